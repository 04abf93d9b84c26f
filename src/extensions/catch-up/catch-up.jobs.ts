import Type, { type Static } from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import { connectors, findConnector } from "../connectors.ts";
import { listToCatchUp } from "./catch-up.repository.ts";
import { catchUpWith, lookAgain, type Rest } from "./catch-up.service.ts";
import { SPREAD_MS, spreadMs } from "./catch-up.spread.ts";

/** Until then much of what waits in an inbox is worked on. */
const FULL_MS = 10 * 60_000;

const Payload = Type.Object({
  connector: Type.String(),
  part: Type.Optional(Type.String()),
  /** Where an earlier look at all of the part had to stop. */
  since: Type.Optional(Type.String()),
});
type Payload = Static<typeof Payload>;

/** Finds what one vendor did not tell one tenant; with a `part`, all that there is of it. */
export const catchUpTenant = defineJob({
  name: "extension.catch-up",
  payload: Payload,
  concurrency: 2,
  timeoutSeconds: 3_000,
  retryDelaySeconds: 60,
  async run(context, payload, signal) {
    const connector = findConnector(payload.connector);
    if (connector === undefined) return;
    const tenant = context.forTenant(context.tenantId);
    const { part, since } = payload;
    const { seen, missed, rest } =
      part === undefined
        ? await catchUpWith(tenant, connector, signal)
        : await lookAgain(tenant, connector, { part, ...(since && { since }) }, signal);
    if (rest !== undefined) await goOnLater(tenant, payload, rest);
    const facts = { tenantId: context.tenantId, connector: connector.name, seen, missed };
    context.log.info(facts, "looked through what changed at a vendor");
  },
});

/** What is left when an inbox is too full comes later: vendors that send something go first. */
async function goOnLater(
  tenant: TenantContext,
  { connector, part }: Payload,
  rest: Rest,
): Promise<void> {
  // At a time that all rests have in common: looks that meet a full inbox one after the other leave one.
  const startAfter = nextFull(tenant.clock.now().getTime() + FULL_MS, FULL_MS);
  const payload = { connector, ...(part !== undefined && { part, ...rest }) };
  // A rest has a key of its own: it does not stand for a look from the beginning.
  const singletonKey = Object.values(payload).join(" ");
  await tenant.transaction(async (tx) => {
    tx.enqueue(catchUpTenant, payload, { singletonKey, startAfter });
  });
}

function nextFull(time: number, unitMs: number): Date {
  return new Date(Math.ceil(time / unitMs) * unitMs);
}

/** Every night, for all tenants. */
export const catchUpAll = defineJob({
  name: "extension.plan-catch-up",
  payload: Type.Object({}),
  cron: "41 1 * * *",
  concurrency: 1,
  async run(context) {
    const names = connectors.filter(({ catchUp }) => catchUp !== undefined).map(({ name }) => name);
    // The next full hour, so that a run that failed halfway plans nothing twice when it is tried again.
    const night = nextFull(context.clock.now().getTime(), SPREAD_MS);
    for (const { tenantId, connector } of await listToCatchUp(context, names)) {
      const startAfter = new Date(night.getTime() + spreadMs(tenantId, connector));
      const options = { singletonKey: connector, startAfter };
      await runInTenant(context, tenantId, (tenant) =>
        tenant.transaction(async (tx) => {
          tx.enqueue(catchUpTenant, { connector }, options);
        }),
      );
    }
  },
});
