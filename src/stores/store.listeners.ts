import { listen } from "#kernel/events/listen.ts";
import { configurationPublished } from "#src/tenants/public.ts";
import { syncStores } from "./store.service.ts";

/** The event tells of 200 files at most: whether the stores are among them is looked up. */
export const syncOnPublication = listen(configurationPublished, async (tx, events) => {
  for (const { data } of events) await syncStores(tx, data.version);
});
