import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { publishedTemplatesOf } from "#src/templates/public.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { passTypesAffectedBy } from "../../publication.changes.ts";
import { deleteHalt } from "../halts/halt.repository.ts";
import { deleteOldMessages } from "./message.repository.ts";
import { markNext } from "./object.repository.ts";
import { OBJECT_HINT } from "./object.signal.ts";

const MARKED_MAX = 1_000;
/** Longer than the 24 hours in which notifications are counted. */
const MESSAGE_DAYS = 3;
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

export const purgeMessages = defineJob({
  name: "google-message.purge",
  payload: Type.Object({}),
  cron: "23 * * * *",
  concurrency: 1,
  async run(context) {
    const before = new Date(context.clock.now().getTime() - MESSAGE_DAYS * DAY_MS);
    await context.transaction((tx) => deleteOldMessages(tx, before));
  },
});
