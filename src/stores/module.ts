import { defineModule } from "#kernel/module.ts";
import { storeEvents } from "./store.events.ts";
import { syncOnPublication } from "./store.listeners.ts";
import { storeGet, storeList } from "./store.routes.ts";

export const storesModule = defineModule({
  name: "stores",
  configFiles: [new URL("./store.config.ts", import.meta.url)],
  routes: [storeList, storeGet],
  events: storeEvents,
  listeners: [syncOnPublication],
});
