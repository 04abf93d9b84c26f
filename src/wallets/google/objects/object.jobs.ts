import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { type Purge, purgeInTurns } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { publishedTemplatesOf } from "#src/templates/public.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { passTypesAffectedBy } from "../../publication.changes.ts";
import { deleteHalt } from "../halts/halt.repository.ts";
import { deleteSentBefore, listTenantsOfMessages } from "./message.repository.ts";
import { giveUpMessages, MESSAGE_DAYS } from "./message.service.ts";
import { markNext } from "./object.repository.ts";
import { OBJECT_HINT } from "./object.signal.ts";

const MARKED_MAX = 1_000;
const MESSAGES_MAX = 1_000;
const DAY_MS = 86_400_000;

/**
 * Marks the objects of a tenant that may show one of the published files, some at a time, because a tenant may
 * have a million; without `paths`, all. Those whose content is still the same cost no request.
 */
export const refreshObjects = defineJob({
  name: "google-object.refresh",
  payload: Type.Object({ after: Type.String(), paths: Type.Optional(Type.Array(Type.String())) }),
  async run(context, { after, paths }, signal) {
    const tenant = context.forTenant(context.tenantId);
    const passTypes = await passTypesOf(tenant, paths);
    await tenant.transaction(async (tx) => void (await deleteHalt(tx)));
    if (passTypes?.length === 0) return;
    for (let last: string | undefined = after; last !== undefined; ) {
      const from: string = last;
      last = await tenant.transaction(async (tx) => {
        const marked = await markNext(tx, from, MARKED_MAX, passTypes);
        tx.hint(OBJECT_HINT, tx.tenantId);
        if (marked === undefined || !signal.aborted) return marked;
        // The process stops, and another goes on from here.
        tx.enqueue(refreshObjects, { after: marked, ...(paths && { paths }) });
        return undefined;
      });
    }
  },
});

/** Undefined for all. */
async function passTypesOf(
  context: TenantContext,
  paths: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (paths === undefined) return undefined;
  // The publication began this job, and this process may not have read the new files yet.
  const configuration = await newestConfigurationOf(context);
  return passTypesAffectedBy(await publishedTemplatesOf(configuration), paths);
}

const unsentMessages: Purge = {
  rowsMax: MESSAGES_MAX,
  run: (tenant) => tenant.transaction((tx) => giveUpMessages(tx, daysAgo(tenant), MESSAGES_MAX)),
};

const sentMessages: Purge = {
  rowsMax: MESSAGES_MAX,
  run: (tenant) => tenant.transaction((tx) => deleteSentBefore(tx, daysAgo(tenant), MESSAGES_MAX)),
};

const daysAgo = ({ clock }: TenantContext): Date =>
  new Date(clock.now().getTime() - MESSAGE_DAYS * DAY_MS);

/** Gives up what could not be sent, and forgets what was. */
export const purgeMessages = defineJob({
  name: "google-message.purge",
  payload: Type.Object({}),
  cron: "23 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    const tenantIds = await listTenantsOfMessages(context);
    await purgeInTurns(context, tenantIds, unsentMessages, signal);
    await purgeInTurns(context, tenantIds, sentMessages, signal);
  },
});
