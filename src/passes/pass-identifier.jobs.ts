import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { passTypesOf } from "./pass.types.ts";
import {
  type IdentifierPosition,
  isPublished,
  markUnique,
  type UniqueNames,
} from "./pass-identifier.repository.ts";

const BATCH = 1_000;
const START: IdentifierPosition = { name: "", value: "", passId: "" };

/**
 * Applies the unique identifiers of a published template to the passes that already exist. Ends when a newer
 * publication has made others unique: that one has a job of its own, which may run beside this one on another node and
 * has the last word.
 */
export const markUniqueIdentifiers = defineJob({
  name: "pass.mark-unique",
  payload: Type.Object({}),
  concurrency: 1,
  async run(context, _payload, signal) {
    const tenant = context.forTenant(context.tenantId);
    let rules = await publishedRulesOf(tenant);
    let [changed, duplicates] = [0, 0];
    for (let after: IdentifierPosition | undefined = START; after !== undefined; ) {
      signal.throwIfAborted();
      const position: IdentifierPosition = after;
      const { version, names } = rules;
      const batch = await tenant.transaction(async (tx) =>
        (await isPublished(tx, version)) ? await markUnique(tx, position, names, BATCH) : "former",
      );
      if (batch === "former") {
        rules = await publishedRulesOf(tenant);
        if (isDeepStrictEqual(rules.names, names)) continue;
        return;
      }
      changed += batch?.changed ?? 0;
      duplicates += batch?.duplicates ?? 0;
      after = batch?.last;
    }
    const counts = { tenantId: context.tenantId, changed, duplicates };
    if (duplicates > 0) context.log.warn(counts, "identifiers that are now unique are shared");
    else context.log.info(counts, "unique identifiers follow the templates");
  },
});

async function publishedRulesOf(
  tenant: TenantContext,
): Promise<{ readonly version: number; readonly names: UniqueNames }> {
  const { version } = await newestConfigurationOf(tenant);
  const types = await passTypesOf(tenant);
  const unique = types.names.flatMap((passType) =>
    (types.find(passType)?.rules.unique ?? []).map((name) => ({ passType, name })),
  );
  return { version, names: { passTypes: types.names, unique } };
}
