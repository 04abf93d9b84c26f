import { hash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { EgressError } from "#kernel/egress/egress-error.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { type Pass, SourceProblem, toStorable } from "#src/passes/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { isSuccess, messagesIn } from "./cdp.answer.ts";
import { askedOf, valuesOf } from "./cdp.attributes.ts";
import { askCdp, type CdpAnswer, type CdpConnection } from "./cdp.client.ts";
import { type CustomerIds, customerIdsOf } from "./cdp.identity.ts";

type Attributes = Record<string, unknown>;
type Kept = { readonly attributes: Attributes; readonly readAt: number };

const CUSTOMERS_MAX = 10_000;
/** A customer with more is asked for each time: the memory of all must not depend on a platform. */
const KEPT_CHARS_MAX = 4_000;
const TTL_SECONDS = 300;

/**
 * What was read of customers, in the memory of each process. Nodes may differ until the time is over,
 * as copies of a platform's data always may; in return nothing about people is stored a second time,
 * and nothing has to be erased.
 */
const keptIn = perRuntime(() => new RecentMap<Kept>(CUSTOMERS_MAX));

/**
 * Attributes of the holder of a pass. Always asks the platform, because `UpdateMetadata` demands it.
 * Undefined for a pass without identifiers of the platform, and for somebody unknown there.
 */
export async function readAttributes(
  context: TenantContext,
  { identifiers }: Pick<Pass, "identifiers">,
  connection: CdpConnection,
  signal: AbortSignal,
): Promise<Attributes | undefined> {
  const ids = customerIdsOf(identifiers);
  if (ids === undefined) return undefined;
  const attributes = await ask(context, connection, ids, signal);
  const { customer } = connection.settings.cache ?? {};
  if (attributes !== undefined && customer && isSmall(attributes)) {
    const readAt = context.clock.now().getTime();
    keptIn(context.runtime).set(await keyOf(context, connection, ids), { attributes, readAt });
  }
  return attributes;
}

/** The same, from memory if that is not older than the settings allow. */
export async function recallAttributes(
  context: TenantContext,
  pass: Pick<Pass, "identifiers">,
  connection: CdpConnection,
  signal: AbortSignal,
): Promise<Attributes | undefined> {
  const ids = customerIdsOf(pass.identifiers);
  if (ids === undefined) return undefined;
  const { ttlSeconds = TTL_SECONDS } = connection.settings.cache?.customer ?? { ttlSeconds: 0 };
  const kept = keptIn(context.runtime).get(await keyOf(context, connection, ids));
  const oldest = context.clock.now().getTime() - ttlSeconds * 1_000;
  if (kept !== undefined && kept.readAt > oldest) return kept.attributes;
  return await readAttributes(context, pass, connection, signal);
}

/** Other settings ask for something else, or somewhere else; another tenant may have had the id. */
async function keyOf(
  { runtime, tenantId }: TenantContext,
  { settings }: CdpConnection,
  ids: CustomerIds,
): Promise<string> {
  const since = (await tenantCacheOf(runtime).find(tenantId))?.createdAt;
  return hash("sha256", JSON.stringify([tenantId, since, settings, ids]));
}

async function ask(
  context: TenantContext,
  connection: CdpConnection,
  ids: CustomerIds,
  signal: AbortSignal,
): Promise<Attributes | undefined> {
  const asked = askedOf(connection.settings.cache?.customer?.attributes);
  if (asked.length === 0) return undefined;
  const body = { customer_ids: ids, attributes: asked.map(({ question }) => question) };
  const answer = await askOrExplain(context, connection, body, signal);
  if (isUnknownCustomer(answer)) return undefined;
  const values = isSuccess(answer) ? valuesOf(asked, answer.json) : undefined;
  if (values === undefined) throw new SourceProblem(problemOf(answer));
  return toStorable(values);
}

function isSmall(attributes: Attributes): boolean {
  return JSON.stringify(attributes).length <= KEPT_CHARS_MAX;
}

async function askOrExplain(
  context: TenantContext,
  connection: CdpConnection,
  body: object,
  signal: AbortSignal,
): Promise<CdpAnswer> {
  const request = { method: "POST", api: "data", path: "customers/attributes", body } as const;
  try {
    return await askCdp(context, connection, request, signal);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new SourceProblem("could not be reached");
  }
}

function isUnknownCustomer({ status, json }: CdpAnswer): boolean {
  const mayBe = status === 404 || status === 200;
  return mayBe && /customer (does not exist|not found)/i.test(messagesIn(json));
}

/** In our own words, as it is shown to callers. */
function problemOf({ status }: CdpAnswer): string {
  if (status === 401 || status === 403) return "refused the API key";
  if (status === 429) return "takes no more requests at the moment";
  if (status === 200) return "gave an answer that cannot be read";
  return `answered with status ${status}`;
}
