import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, FaultSwitch } from "../faults.ts";
import { Listener } from "../listener.ts";
import type { CallbackSigner } from "./callback.signer.ts";
import type { Account, Accounts } from "./google.accounts.ts";
import { GoogleError, invalid } from "./google.errors.ts";
import { requireKnown } from "./google.members.ts";
import { Quota } from "./google.quota.ts";
import { type Collection, collectionOf, issuerOf, type Json, typeOf } from "./google.resources.ts";
import { linkTextOf, saveByToken } from "./google.save.ts";
import type { GoogleStore } from "./google.store.ts";

const BODY_BYTES_MAX = 1024 * 1024;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const PAGE_MAX = 1_000;
const KEYS_SECONDS = 3_600;
const LOG_MAX = 500;
const API = "/walletobjects/v1/";
const SAVE = "/gp/v/save/";

type Answer = { readonly status: number; readonly body: unknown; readonly headers?: object };

/** One request as the log of the simulator shows it. */
export type ApiEntry = {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
};

type Options = {
  readonly accounts: Accounts;
  readonly store: GoogleStore;
  readonly signer: CallbackSigner;
  /** Where a person opens a save link; the token follows. */
  readonly saveUrl: string;
};

/** Google's token endpoint, the Wallet API and the root keys of callbacks, on one port. */
export class GoogleServer {
  readonly faults = new FaultSwitch();
  readonly quota = new Quota();
  readonly #options: Options;
  readonly #listener: Listener;
  readonly #entries: ApiEntry[] = [];
  readonly #counts = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
    const server = createServer({ requestTimeout: 30_000 }, (request, response) => {
      void this.#take(request, response).catch(() => response.destroy());
    });
    this.#listener = new Listener(server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.port}`;
  }

  open(): Promise<void> {
    return this.#listener.open();
  }

  close(): Promise<void> {
    return this.#listener.shut();
  }

  async setFault(fault: Fault | undefined): Promise<void> {
    this.faults.set(fault);
    if (fault?.kind === "refuse") await this.#listener.shut();
    else await this.#listener.open();
  }

  report(): { counts: Record<string, number>; requests: readonly ApiEntry[] } {
    return { counts: Object.fromEntries(this.#counts), requests: this.#entries.toReversed() };
  }

  forget(): void {
    this.#counts.clear();
    this.#entries.length = 0;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const fault = this.faults.take();
    if (fault?.kind === "slow") await sleep(fault.delayMs, undefined, { ref: false });
    const answer = this.#failing(fault) ?? this.#answer(request, body);
    this.#note(request, answer.status);
    // Done, and the answer is lost on the way.
    if (fault?.kind === "cut") return void response.destroy();
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, {
      "content-type": "application/json; charset=UTF-8",
      ...answer.headers,
    });
    response.end(text);
  }

  #failing(fault: Fault | undefined): Answer | undefined {
    switch (fault?.kind) {
      case "500":
        return refusal(new GoogleError(500, "backendError", "Internal error encountered."));
      case "503":
        return refusal(new GoogleError(503, "backendError", "The service is unavailable."));
      case "429":
        return refusal(new GoogleError(429, "rateLimitExceeded", "Quota exceeded."));
      default:
        return undefined;
    }
  }

  #answer(request: IncomingMessage, body: Buffer | undefined): Answer {
    try {
      if (body === undefined) throw new GoogleError(413, "uploadTooLarge", "Request too large.");
      const url = new URL(request.url ?? "/", this.url);
      if (url.pathname === "/token") return this.#grant(request, body);
      if (url.pathname === "/gp/m/issuer/keys") return this.#keys();
      if (url.pathname.startsWith(SAVE)) return this.#toSavePage(url);
      if (url.pathname.startsWith(API)) return this.#api(request, url, body);
      throw new GoogleError(404, "notFound", "Not found.");
    } catch (error) {
      if (error instanceof GoogleError) return refusal(error);
      if (error instanceof URIError) return refusal(invalid("The address cannot be read."));
      throw error;
    }
  }

  #grant({ method }: IncomingMessage, body: Buffer): Answer {
    if (method !== "POST") return oauthError("invalid_request", "Use POST.");
    const form = new URLSearchParams(body.toString());
    if (form.get("grant_type") !== GRANT_TYPE) {
      return oauthError("unsupported_grant_type", "Invalid grant_type.");
    }
    const granted = this.#options.accounts.grant(form.get("assertion") ?? "");
    if (typeof granted === "string") {
      const code = granted === "Invalid OAuth scope." ? "invalid_scope" : "invalid_grant";
      return oauthError(code, granted);
    }
    const { token: access_token, seconds: expires_in } = granted;
    return { status: 200, body: { access_token, expires_in, token_type: "Bearer" } };
  }

  #keys(): Answer {
    const headers = { "cache-control": `public, max-age=${KEYS_SECONDS}` };
    return { status: 200, body: this.#options.signer.rootKeys(Date.now()), headers };
  }

  /** The page on which people save stands at an address that their browsers can reach. */
  #toSavePage({ pathname }: URL): Answer {
    const location = `${this.#options.saveUrl}/${pathname.slice(SAVE.length)}`;
    return { status: 302, body: {}, headers: { location } };
  }

  #api(request: IncomingMessage, url: URL, body: Buffer): Answer {
    const account = this.#authorize(request);
    if (!this.quota.take(account.issuerId)) {
      throw new GoogleError(429, "rateLimitExceeded", "Quota exceeded for requests per second.");
    }
    const [name = "", id, action, ...more] = url.pathname
      .slice(API.length)
      .split("/")
      .map(decodeURIComponent);
    if (more.length > 0) throw new GoogleError(404, "notFound", "Not found.");
    if (name === "jwt" && id === undefined) return this.#insertJwt(readTyped("JwtResource", body));
    if (name === "issuer" && id !== undefined) return showIssuer(account, id);
    const collection = collectionOf(name);
    if (collection === undefined) throw new GoogleError(404, "notFound", "Not found.");
    const method = request.method ?? "GET";
    const result =
      id === undefined
        ? this.#collection(collection, method, { account, url, body })
        : this.#resource(collection, method, { account, id, action, body });
    return { status: 200, body: result };
  }

  #authorize({ headers }: IncomingMessage): Account {
    const [, token = ""] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
    const account = this.#options.accounts.accountOfToken(token);
    if (account === undefined) {
      const message = "Request had invalid authentication credentials.";
      throw new GoogleError(401, "authError", message);
    }
    if (account.hasAccess) return account;
    throw new GoogleError(403, "permissionDenied", "Permission denied.");
  }

  #collection(
    collection: Collection,
    method: string,
    { account, url, body }: { account: Account; url: URL; body: Buffer },
  ): object {
    const { store } = this.#options;
    if (method === "POST") {
      const sent = readResource(collection, body);
      requireIssuer(account, sent.id);
      if (!collection.isClass) requireIssuer(account, sent.classId);
      return store.insert(collection, sent);
    }
    if (method !== "GET") throw new GoogleError(404, "notFound", "Not found.");
    const query = url.searchParams;
    const max = Math.min(Number(query.get("maxResults")) || PAGE_MAX, PAGE_MAX);
    const page = { max, token: Number(query.get("token")) || 0 };
    if (collection.isClass) {
      const issuerId = query.get("issuerId") ?? "";
      requireIssuer(account, `${issuerId}.x`);
      return store.list(collection, (value) => issuerOf(value.id) === issuerId, page);
    }
    const classId = query.get("classId") ?? "";
    requireIssuer(account, classId);
    return store.list(collection, (value) => value.classId === classId, page);
  }

  #resource(
    collection: Collection,
    method: string,
    wanted: { account: Account; id: string; action: string | undefined; body: Buffer },
  ): object {
    const { account, id, action, body } = wanted;
    const { store } = this.#options;
    requireIssuer(account, id);
    const operation = action === undefined ? method : `${method} ${action}`;
    switch (operation) {
      case "GET":
        return store.get(collection, id);
      case "PATCH":
        return store.patch(collection, id, readResource(collection, body));
      case "PUT":
        return store.put(collection, id, readResource(collection, body));
      case "POST addMessage":
        return { resource: store.addMessage(collection, id, readTyped("AddMessageRequest", body)) };
      default:
        throw new GoogleError(404, "notFound", "Not found.");
    }
  }

  #insertJwt({ jwt }: Json): Answer {
    const { accounts, store, saveUrl } = this.#options;
    if (typeof jwt !== "string") throw invalid("Missing required field: jwt.");
    const { objectIds } = saveByToken(jwt, accounts, store);
    const resources: Record<string, unknown[]> = {};
    for (const id of objectIds) {
      const stored = store.find(id);
      if (stored === undefined) continue;
      const name = `${stored.collection}s`;
      resources[name] = [...(resources[name] ?? []), stored.value];
    }
    return { status: 200, body: { saveUri: `${saveUrl}/${linkTextOf(jwt, store)}`, resources } };
  }

  #note({ method = "", url = "" }: IncomingMessage, status: number): void {
    this.#counts.set(String(status), (this.#counts.get(String(status)) ?? 0) + 1);
    const path = (url.split("?", 1)[0] ?? "").slice(0, 200);
    this.#entries.push({ at: new Date().toISOString(), method, path, status });
    if (this.#entries.length > LOG_MAX) this.#entries.shift();
  }
}

function refusal(error: GoogleError): Answer {
  return { status: error.status, body: error.present() };
}

function oauthError(error: string, error_description: string): Answer {
  return { status: 400, body: { error, error_description } };
}

function showIssuer(account: Account, issuerId: string): Answer {
  requireIssuer(account, `${issuerId}.x`);
  return { status: 200, body: { issuerId, name: "Billfold simulator" } };
}

function requireIssuer({ issuerId }: Account, id: unknown): void {
  const issuer = issuerOf(id);
  if (issuer === undefined) throw invalid(`Invalid resource ID: ${String(id)}.`);
  if (issuer === issuerId) return;
  throw new GoogleError(403, "permissionDenied", `Permission denied on issuer ${issuer}.`);
}

/** A body that the API takes as a class or an object. */
function readResource(collection: Collection, body: Buffer): Json {
  const sent = readJson(body);
  requireKnown(typeOf(collection), sent, "resource");
  return sent;
}

function readTyped(type: string, body: Buffer): Json {
  const sent = readJson(body);
  requireKnown(type, sent);
  return sent;
}

function readJson(body: Buffer): Json {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Told below, as for JSON that is not an object.
  }
  throw new GoogleError(400, "parseError", "Invalid JSON payload received.");
}

/** Undefined for a body that is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= BODY_BYTES_MAX) parts.push(part);
  }
  return size > BODY_BYTES_MAX ? undefined : Buffer.concat(parts);
}
