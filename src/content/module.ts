import { defineModule } from "#kernel/module.ts";
import { CONTENT_SIGNAL, forgetOnErasure } from "./content.listeners.ts";
import { contentGet } from "./content.routes.ts";
import { contentCacheOf } from "./content.service.ts";

export const contentModule = defineModule({
  name: "content",
  routes: [contentGet],
  listeners: [forgetOnErasure],
  async start(runtime) {
    const cache = contentCacheOf(runtime);
    runtime.signals.on(CONTENT_SIGNAL, (key) => cache.erase(key));
    // Signals may have been missed, so a pass may have been erased without notice.
    runtime.signals.onGap(() => cache.clear());
    return async () => cache.clear();
  },
});
