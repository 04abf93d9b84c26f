import { isObject } from "#kernel/json.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { JsonObject } from "#src/templates/language/public.ts";
import { servicesOf } from "../../wallet.services.ts";
import type { GoogleType } from "../google.kinds.ts";
import type { GoogleAccount } from "../google-account.ts";
import { isNothing, keptPaths } from "./api.content.ts";
import { type GoogleFailure, type GoogleOutcome, outcomeOf } from "./api.outcome.ts";
import { exchange, type GoogleRequest } from "./api-exchange.client.ts";
import { noteAccepted, noteDenied, takeQuota } from "./api-quota.service.ts";
import { accessTokenOf, forgetToken } from "./token.client.ts";

export type GoogleResource = `${GoogleType}${"Class" | "Object"}`;

export type Upsert = {
  readonly resource: GoogleResource;
  readonly id: string;
  readonly content: JsonObject;
  /** What a change sends; an insert always sends the whole content. */
  readonly change: JsonObject;
  /** The paths of the members that Google has. */
  readonly before: readonly string[];
  /** True if the class or object most likely does not exist yet. */
  readonly isNew: boolean;
};

const OVERTAKEN: GoogleFailure = {
  kind: "unavailable",
  message: "Another process sends a newer state.",
  isUnsent: true,
};

/** False if what is about to be sent may be older than what Google has by now. */
export type SendGuard = () => Promise<boolean>;

/** The REST API of Google Wallet, for one account. */
export class GoogleApi {
  readonly #runtime: Runtime;
  readonly #account: GoogleAccount;
  readonly #signal: AbortSignal;
  readonly #guards: readonly SendGuard[];

  constructor(
    runtime: Runtime,
    account: GoogleAccount,
    signal: AbortSignal,
    guards: readonly SendGuard[] = [],
  ) {
    this.#runtime = runtime;
    this.#account = account;
    this.#signal = signal;
    this.#guards = guards;
  }

  /** Ends with the time that the caller has. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /**
   * The same, with a question that is asked right before each request. Between reading a pass and sending
   * it lie the wait for a token and for the quota, and maybe a pause of the process; Google keeps
   * what comes last.
   */
  guarded(guard: SendGuard): GoogleApi {
    return new GoogleApi(this.#runtime, this.#account, this.#signal, [...this.#guards, guard]);
  }

  /**
   * Makes it, or changes it if it exists. Google has one operation for each, so the likely one is
   * tried first, and the other one if that guess was wrong.
   */
  async upsert(upsert: Upsert): Promise<GoogleOutcome> {
    if (upsert.isNew) {
      const inserted = await this.#insert(upsert);
      return inserted.kind === "exists" ? await this.#change(upsert) : inserted;
    }
    const patched = await this.#change(upsert);
    return patched.kind === "not-found" ? await this.#insert(upsert) : patched;
  }

  patch(resource: GoogleResource, id: string, change: JsonObject): Promise<GoogleOutcome> {
    return this.#send("PATCH", `/${resource}/${id}`, change);
  }

  /** Replaces the whole: the one way in which Google says that members are cleared. */
  put(resource: GoogleResource, id: string, content: JsonObject): Promise<GoogleOutcome> {
    return this.#send("PUT", `/${resource}/${id}`, content);
  }

  addMessage(resource: GoogleResource, id: string, message: JsonObject): Promise<GoogleOutcome> {
    return this.#send("POST", `/${resource}/${id}/addMessage`, { message });
  }

  /** Gives Google a token that is too long for a link; the answer has a `saveUri` for it. */
  insertToken(jwt: string): Promise<GoogleOutcome> {
    return this.#send("POST", "/jwt", { jwt });
  }

  async #insert({ resource, content }: Upsert): Promise<GoogleOutcome> {
    const inserted = await this.#send("POST", `/${resource}`, content);
    // Nothing else that a new object needs can be missing.
    const isOfClass = inserted.kind === "not-found" && resource.endsWith("Object");
    return isOfClass ? { ...inserted, kind: "class-not-found" } : inserted;
  }

  /**
   * Members that were taken away are sent as null. Where Google's answer still shows them, the whole is
   * replaced, with the messages that it has.
   */
  async #change({ resource, id, content, change, before }: Upsert): Promise<GoogleOutcome> {
    const patched = await this.patch(resource, id, change);
    if (patched.kind !== "done") return patched;
    const { body } = patched;
    if (keptPaths(content, before, body).length === 0) return patched;
    const replaced = await this.put(resource, id, { ...keptMessages(body), ...content });
    // Google has the change, also if the replacement was not sent.
    return replaced.kind === "done"
      ? replaced
      : { ...replaced, isUnsent: false, isPartlyDone: true };
  }

  async #send(
    method: GoogleRequest["method"],
    path: string,
    content: JsonObject,
  ): Promise<GoogleOutcome> {
    const first = await this.#sendOnce(method, path, content);
    // The token may have been withdrawn before its time: a new one decides.
    return first === "token-refused"
      ? asOutcome(await this.#sendOnce(method, path, content))
      : first;
  }

  async #sendOnce(
    method: GoogleRequest["method"],
    path: string,
    content: JsonObject,
  ): Promise<GoogleOutcome | "token-refused"> {
    const services = await servicesOf(this.#runtime).google(this.#account.isDemo);
    const token = await accessTokenOf(this.#runtime, services, this.#account, this.#signal);
    if (token.kind !== "token") return token;
    if (!(await takeQuota(this.#runtime, this.#account, this.#signal))) {
      const message = "There was no time left for the request.";
      return { kind: "unavailable", message, isUnsent: true };
    }
    for (const isNewest of this.#guards) {
      if (!(await isNewest())) return OVERTAKEN;
    }
    const reply = await exchange({
      method,
      url: `${services.apiUrl}${path}`,
      headers: {
        authorization: `Bearer ${token.value}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(content),
      signal: this.#signal,
    });
    if ("kind" in reply) return reply;
    if (reply.status !== 401) return this.#heed(outcomeOf(reply), path, content);
    forgetToken(this.#runtime, services, this.#account, token.value);
    return "token-refused";
  }

  /** Whether Google lets the account act for its issuer, which only its own ids can show. */
  #heed(outcome: GoogleOutcome, path: string, content: JsonObject): GoogleOutcome {
    const id = path.split("/")[2] ?? content.id;
    const isOfIssuer = String(id).startsWith(`${this.#account.issuerId}.`);
    if (outcome.kind === "done" && isOfIssuer) noteAccepted(this.#runtime, this.#account);
    if (outcome.kind === "denied") noteDenied(this.#runtime, this.#account);
    return outcome;
  }
}

/** With the type that does not ring, because a message that is sent again might otherwise ring once more. */
function keptMessages({ messages }: JsonObject): JsonObject {
  if (!Array.isArray(messages) || isNothing(messages)) return {};
  const silent = messages.map((message: unknown) =>
    isObject(message) ? { ...message, messageType: "TEXT" } : message,
  );
  return { messages: silent };
}

function asOutcome(outcome: GoogleOutcome | "token-refused"): GoogleOutcome {
  if (outcome !== "token-refused") return outcome;
  return { kind: "denied", message: "Google does not accept the access token." };
}
