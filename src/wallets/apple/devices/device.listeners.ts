import { listen } from "#kernel/events/listen.ts";
import { passDeleted } from "#src/passes/public.ts";
import { deletePassStates } from "../deliveries/delivery.repository.ts";
import { deletePassesOfDevices } from "./device.repository.ts";

/** Runs in the transaction that erases the pass. */
export const forgetErasedPasses = listen(passDeleted, async (tx, events) => {
  const passIds = events.map(({ data }) => data.id);
  await deletePassesOfDevices(tx, passIds);
  await deletePassStates(tx, passIds);
});
