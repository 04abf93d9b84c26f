import { listen } from "#kernel/events/listen.ts";
import { passDeleted } from "#src/passes/public.ts";
import { configurationPublished } from "#src/tenants/public.ts";
import { refreshCodes } from "./code.queue.ts";
import { deleteCodes, hasPasses } from "./code.repository.ts";

/** Codes may be personal data, such as the number of a member. */
export const forgetCodesOfErased = listen(passDeleted, async (tx, events) => {
  await deleteCodes(
    tx,
    events.map(({ data }) => data.id),
  );
});

/** A publication may change the codes of all passes of a type. */
export const refreshOnPublication = listen(configurationPublished, async (tx) => {
  if (!(await hasPasses(tx))) return;
  tx.enqueue(refreshCodes, {}, { singletonKey: "codes" });
});
