import type { Listener } from "#kernel/module.ts";
import { syncStores } from "./store.service.ts";

/** The event tells of 200 files at most: whether the stores are among them is looked up. */
export const syncOnPublication: Listener = {
  events: "configuration.published",
  async hear(tx, events) {
    for (const { data } of events) await syncStores(tx, (data as { version: number }).version);
  },
};
