import Type from "typebox";
import { defineJob } from "#kernel/jobs/define.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { passTypesOf } from "./pass.types.ts";
import { type IdentifierPosition, markUnique } from "./pass-identifier.repository.ts";

const BATCH = 1_000;
const START: IdentifierPosition = { name: "", value: "", passId: "" };

/** Applies the unique identifiers of a published template to the passes that already exist. */
export const markUniqueIdentifiers = defineJob({
  name: "pass.mark-unique",
  payload: Type.Object({}),
  concurrency: 1,
  async run(context, _payload, signal) {
    const tenant = context.forTenant(context.tenantId);
    await newestConfigurationOf(tenant);
    const types = await passTypesOf(tenant);
    const unique = types.names.flatMap((passType) =>
      (types.find(passType)?.rules.unique ?? []).map((name) => ({ passType, name })),
    );
    const rules = { passTypes: types.names, unique };
    let [changed, duplicates] = [0, 0];
    for (let after: IdentifierPosition | undefined = START; after !== undefined; ) {
      signal.throwIfAborted();
      const position: IdentifierPosition = after;
      const batch = await tenant.transaction((tx) => markUnique(tx, position, rules, BATCH));
      changed += batch?.changed ?? 0;
      duplicates += batch?.duplicates ?? 0;
      after = batch?.last;
    }
    const counts = { tenantId: context.tenantId, changed, duplicates };
    if (duplicates > 0) context.log.warn(counts, "identifiers that are now unique are shared");
    else context.log.info(counts, "unique identifiers follow the templates");
  },
});
