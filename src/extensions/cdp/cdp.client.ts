import type { TenantContext } from "#kernel/context.ts";
import type { Connection } from "../kit/connector.ts";
import { parseVendorJson } from "../kit/values.ts";
import type { CdpSettings } from "./cdp.config.ts";

/** The API of the customer-data platform, as Bloomreach Engagement speaks it. */

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 262_144;

export type CdpConnection = Connection<CdpSettings, "apiKeySecret">;

export type CdpRequest = {
  readonly method: "GET" | "POST";
  /** After `/track/v2/projects/{projectToken}/` or `/data/v2/projects/{projectToken}/`. */
  readonly api: "track" | "data";
  readonly path: string;
  readonly body?: object;
};

export type CdpAnswer = {
  readonly status: number;
  /** Undefined if the answer is no JSON, or too long. Nobody but this folder may see its words. */
  readonly json: unknown;
  readonly retryAfter: string | undefined;
};

/** Rejects with an `EgressError` if no answer came. Redirects are answers: they are not followed. */
export async function askCdp(
  { runtime, tenantId }: TenantContext,
  { settings, secrets }: CdpConnection,
  { method, api, path, body }: CdpRequest,
  signal: AbortSignal,
): Promise<CdpAnswer> {
  const base = settings.baseUrl.replace(/\/+$/, "");
  const project = encodeURIComponent(settings.projectToken);
  const credential = `${settings.apiKeyId}:${secrets.apiKeySecret[0] ?? ""}`;
  const answer = await runtime.egress.request(`${base}/${api}/v2/projects/${project}/${path}`, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Basic ${Buffer.from(credential).toString("base64")}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
    timeoutMs: TIMEOUT_MS,
    bodyBytesMax: ANSWER_BYTES_MAX,
    group: tenantId,
  });
  const retryAfter: string | string[] | undefined = answer.headers["retry-after"];
  return {
    status: answer.status,
    json: answer.bodyWasCut ? undefined : parseVendorJson(answer.body),
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
  };
}
