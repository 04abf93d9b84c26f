import { listen } from "#kernel/events/listen.ts";
import { configurationPublished } from "#src/tenants/public.ts";
import { syncStores } from "./store.service.ts";

/** The event lists at most 200 files, so `syncStores` checks whether the file of stores changed. */
export const syncOnPublication = listen(configurationPublished, async (tx, events) => {
  for (const { data } of events) await syncStores(tx, data.version);
});
