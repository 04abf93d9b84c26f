import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import Type, { type Static } from "typebox";
import { type Outcome, send } from "../deliveries/delivery.client.ts";
import { ControlTable } from "../frame/control.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import { Shelf, type Vendor, type VendorTools } from "../frame/vendor.ts";

const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });

export const ActivityCreate = Type.Object(
  {
    /** Where the activity describes itself (`config.json`). */
    configUrl: text(2_000),
    /** The JWT signing secret of the package. */
    jwtSecret: text(),
    inArguments: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  },
  { additionalProperties: false },
);
export type ActivityCreate = Static<typeof ActivityCreate>;
export const ContactEnter = Type.Object(
  {
    contactKey: text(),
    inArguments: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  },
  { additionalProperties: false },
);
export type ContactEnter = Static<typeof ContactEnter>;

type Step = "save" | "validate" | "publish" | "stop" | "execute";
export type SfmcCall = {
  readonly step: Step;
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
  readonly answer: string;
  /** Undefined but for `execute`. */
  readonly contactKey?: string;
};
type Activity = {
  readonly id: string;
  readonly jwtSecret: string;
  readonly inArguments: readonly object[];
  readonly urls: Readonly<Partial<Record<Step, string>>>;
  readonly timeoutMs: number;
  /** How often a contact is tried again after a 5xx, or no answer at all. */
  readonly retryCount: number;
  readonly retryDelayMs: number;
  state: "draft" | "running" | "stopped";
  readonly calls: SfmcCall[];
  /** What the activity answered for a contact; null if it was ejected from the journey. */
  readonly contacts: Record<string, Readonly<Record<string, unknown>> | null>;
};

const CALLS_MAX = 1_000;
const TIMEOUT_MS = 10_000;
const RETRIES_MAX = 5;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The whole body of a call of Journey Builder. */
export function signSfmc(secret: string, claims: object): string {
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

const isPassing = ({ status }: SfmcCall): boolean => status === null || status >= 500;

/**
 * Journey Builder of Marketing Cloud, which drives a custom activity. It tries a contact again only as
 * often as the activity asks for it, and all but a 2xx ejects the contact then.
 */
export class Sfmc implements Vendor {
  readonly name = "sfmc";
  readonly control = new ControlTable();
  readonly activities: Shelf<Activity>;
  /** Signs with another secret, for the next calls. */
  isForging = false;
  readonly #tools: VendorTools;

  constructor(tools: VendorTools) {
    this.#tools = tools;
    const kept = tools.kept as readonly (readonly [string, Activity])[] | undefined;
    this.activities = new Shelf("activity", 50, kept);
    const { control } = this;
    const idOf = ({ id = "" }: Readonly<Record<string, string>>) => id;
    control.get("", () => ({
      activities: this.activities.all.map(({ jwtSecret: _, ...activity }) => activity),
    }));
    control.post("/activities", ActivityCreate, async (body) => {
      const { jwtSecret: _, ...activity } = await this.createActivity(body);
      return activity;
    });
    control.act("/activities/:id/publish", ({ params }) => this.publish(idOf(params)));
    control.post("/activities/:id/contacts", ContactEnter, (body, { params }) =>
      this.enter(idOf(params), body),
    );
    control.act("/activities/:id/stop", ({ params }) => this.stop(idOf(params)));
    control.put("/forging", Type.Object({ on: Type.Boolean() }), ({ on }) => {
      this.isForging = on;
      return { on };
    });
  }

  async open(): Promise<void> {
    // Only calls others.
  }

  async close(): Promise<void> {
    // Only calls others.
  }

  keep(): readonly (readonly [string, Activity])[] {
    return this.activities.entries();
  }

  async reset(): Promise<void> {
    this.activities.clear();
    this.isForging = false;
  }

  /** Reads `config.json` and takes the addresses and the deadline from it. */
  async createActivity({ configUrl, jwtSecret, inArguments }: ActivityCreate): Promise<Activity> {
    const { status, answer } = await this.#send("GET", configUrl, "", TIMEOUT_MS);
    const config = status === 200 ? readConfig(answer) : undefined;
    const execute = config?.arguments?.execute;
    if (execute?.url === undefined) {
      throw vendorRefused({ reason: `No activity is described at ${configUrl} (${status}).` });
    }
    const urls: Partial<Record<Step, string>> = { execute: execute.url };
    for (const step of ["save", "validate", "publish", "stop"] as const) {
      const url = config?.configurationArguments?.[step]?.url;
      if (url !== undefined) urls[step] = url;
    }
    const id = randomUUID();
    this.#tools.changed();
    return this.activities.put(id, {
      id,
      jwtSecret,
      inArguments: inArguments ?? execute.inArguments ?? [],
      urls,
      timeoutMs: Math.min(execute.timeout ?? TIMEOUT_MS, 100_000),
      retryCount: Math.min(execute.retryCount ?? 0, RETRIES_MAX),
      retryDelayMs: Math.min(execute.retryDelay ?? 0, TIMEOUT_MS),
      state: "draft",
      calls: [],
      contacts: {},
    });
  }

  /** Saves, validates and publishes; whatever is not a 200 blocks it. */
  async publish(id: string): Promise<{ isPublished: boolean; calls: SfmcCall[] }> {
    const activity = this.activities.get(id);
    const calls: SfmcCall[] = [];
    for (const step of ["save", "validate", "publish"] as const) {
      if (activity.urls[step] === undefined) continue;
      const call = await this.#call(activity, step, { activityObjectID: id });
      calls.push(call);
      if (call.status !== 200) return { isPublished: false, calls };
    }
    activity.state = "running";
    this.#tools.changed();
    return { isPublished: true, calls };
  }

  /** Lets a contact come to the activity; all but a 2xx ejects it from the journey. */
  async enter(id: string, { contactKey, inArguments }: ContactEnter): Promise<SfmcCall> {
    const activity = this.activities.get(id);
    if (activity.state !== "running")
      throw vendorRefused({ reason: "The journey is not running." });
    const claims = {
      inArguments: inArguments ?? activity.inArguments,
      outArguments: [],
      activityObjectID: id,
      journeyId: id,
      activityId: id,
      definitionInstanceId: randomUUID(),
      activityInstanceId: randomUUID(),
      keyValue: contactKey,
      mode: 0,
    };
    let call = await this.#call(activity, "execute", claims, contactKey);
    for (let left = activity.retryCount; left > 0 && isPassing(call); left -= 1) {
      await sleep(activity.retryDelayMs);
      call = await this.#call(activity, "execute", claims, contactKey);
    }
    const isTaken = call.status !== null && call.status >= 200 && call.status <= 299;
    activity.contacts[contactKey] = isTaken ? readObject(call.answer) : null;
    return call;
  }

  async stop(id: string): Promise<SfmcCall | undefined> {
    const activity = this.activities.get(id);
    activity.state = "stopped";
    if (activity.urls.stop === undefined) return undefined;
    return await this.#call(activity, "stop", { activityObjectID: id });
  }

  async #call(
    activity: Activity,
    step: Step,
    claims: object,
    contactKey?: string,
  ): Promise<SfmcCall> {
    const secret = this.isForging ? `not ${activity.jwtSecret}` : activity.jwtSecret;
    const body = signSfmc(secret, claims);
    const outcome = await this.#send("POST", activity.urls[step] ?? "", body, activity.timeoutMs);
    const { status, failure, durationMs, answer } = outcome;
    const about = contactKey === undefined ? {} : { contactKey };
    const call = { step, status, failure, durationMs, answer, ...about };
    activity.calls.push(call);
    if (activity.calls.length > CALLS_MAX) activity.calls.shift();
    this.#tools.changed();
    return call;
  }

  #send(method: "GET" | "POST", url: string, body: string, deadlineMs: number): Promise<Outcome> {
    const headers: Record<string, string> =
      method === "GET" ? {} : { "Content-Type": "application/jwt" };
    return send({ method, url: this.#tools.resolve(url), headers, body, deadlineMs });
  }
}

type Address = { readonly url?: string };
type Config = {
  readonly arguments?: {
    readonly execute?: Address & {
      readonly timeout?: number;
      readonly retryCount?: number;
      readonly retryDelay?: number;
      readonly inArguments?: readonly object[];
    };
  };
  readonly configurationArguments?: Readonly<Partial<Record<Step, Address>>>;
};

const readConfig = (answer: string): Config => readObject(answer);

function readObject(answer: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
