import { listen } from "#kernel/events/listen.ts";
import { configurationPublished, findChangedFile } from "#src/tenants/public.ts";
import { connectors } from "../connectors.ts";
import { catchUpTenant } from "./catch-up.jobs.ts";

/** Settings are often saved several times in a row, and the address is given to the vendor after it. */
const SETTLING_MS = 60_000;

/** Whoever connects a vendor gets what is there already, and need not wait for the night. */
export const catchUpAfterPublication = listen(configurationPublished, async (tx, events) => {
  const startAfter = new Date(tx.now.getTime() + SETTLING_MS);
  for (const { data } of events) {
    for (const { name, file, catchUp } of connectors) {
      if (catchUp === undefined) continue;
      const changed = await findChangedFile(tx, data.version, file.path);
      if (changed === undefined || changed.content === null) continue;
      tx.enqueue(catchUpTenant, { connector: name }, { singletonKey: name, startAfter });
    }
  }
});
