import type { TenantContext } from "#kernel/context.ts";
import { isObject } from "#kernel/json.ts";
import { type Connection, VendorProblem } from "../kit/connector.ts";
import { parseVendorJson } from "../kit/values.ts";
import type { PretixSettings } from "./pretix.config.ts";

/** The REST API of pretix. */

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 262_144;

export type PretixConnection = Connection<PretixSettings, "apiToken">;

export type PretixRequest = {
  /** The parts of the address after the organizer. */
  readonly path: readonly string[];
  readonly query?: readonly (readonly [string, string])[];
  /** Sent by POST. */
  readonly body?: object;
};

export type PretixAnswer = {
  readonly status: number;
  /** Undefined if the answer is no JSON, or too long. */
  readonly json: unknown;
  readonly isTooLong: boolean;
  /** When the answer was made, by pretix's clock. */
  readonly generated: string | undefined;
  readonly retryAfter: string | undefined;
};

/** Rejects with an `EgressError` if no answer came. Redirects are answers: they are not followed. */
export async function askPretix(
  { runtime, tenantId }: TenantContext,
  { settings, secrets }: PretixConnection,
  { path, query = [], body }: PretixRequest,
  signal: AbortSignal,
): Promise<PretixAnswer> {
  const base = settings.baseUrl.replace(/\/+$/, "");
  const parts = ["organizers", settings.organizer, ...path].map(partOf).join("/");
  const search =
    query.length === 0 ? "" : `?${new URLSearchParams(query.map(([...pair]) => pair))}`;
  const answer = await runtime.egress.request(`${base}/api/v1/${parts}/${search}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      authorization: `Token ${secrets.apiToken[0] ?? ""}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
    timeoutMs: TIMEOUT_MS,
    bodyBytesMax: ANSWER_BYTES_MAX,
    group: tenantId,
  });
  const header = (name: string): string | undefined => {
    const value: string | string[] | undefined = answer.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    status: answer.status,
    json: answer.bodyWasCut ? undefined : parseVendorJson(answer.body),
    isTooLong: answer.bodyWasCut,
    generated: header("x-page-generated"),
    retryAfter: header("retry-after"),
  };
}

/** Encoding leaves `..` as it is, and the address would climb. */
function partOf(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new Error("A part of an address must be a name.");
  return encodeURIComponent(text);
}

/**
 * The object that pretix shows at an address; undefined if it has none. Rejects with a `VendorProblem`
 * for all that may be over later.
 */
export async function readPretix(
  context: TenantContext,
  connection: PretixConnection,
  request: PretixRequest,
  signal: AbortSignal,
): Promise<Found | undefined> {
  if (connection.secrets.apiToken.length === 0) throw new VendorProblem(NO_TOKEN);
  const { status, json, isTooLong, generated } = await askPretix(
    context,
    connection,
    request,
    signal,
  );
  if (status === 404 && isObject(json)) return undefined;
  if (status !== 200) throw new VendorProblem(problemOf(status));
  if (isTooLong) throw new VendorProblem("pretix gave an answer that is too long.");
  if (!isObject(json)) throw new VendorProblem(UNREADABLE);
  return { json, generated };
}

export type Found = {
  readonly json: Readonly<Record<string, unknown>>;
  readonly generated: string | undefined;
};

export const UNREADABLE = "pretix gave an answer that cannot be read.";
const NO_TOKEN = "The apiToken is missing, or was stored for another address: send it again.";

/** In our own words: whoever runs the address must not speak through us. */
export function problemOf(status: number): string {
  if (status === 401) return "pretix refuses the API token.";
  if (status === 403) return "pretix does not let the API token do this.";
  if (status === 429) return "pretix takes no more requests at the moment.";
  if (status >= 300 && status < 400) return "pretix leads to another address, which is not asked.";
  return `pretix answered with status ${status}.`;
}
