import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { passFollowers } from "#src/passes/public.ts";
import { refreshCodesJob } from "./codes/code.jobs.ts";
import { forgetCodesOfErased, refreshOnPublication } from "./codes/code.listeners.ts";
import { codesOfPasses, notedCodesOf } from "./codes/code.service.ts";
import { CONTENT_SIGNAL, forgetOnErasure } from "./content.listeners.ts";
import { contentGet } from "./content.routes.ts";
import { contentCacheOf } from "./content.service.ts";

export const contentModule = defineModule({
  name: "content",
  routes: [contentGet],
  jobs: [refreshCodesJob],
  listeners: [forgetOnErasure, forgetCodesOfErased, refreshOnPublication],
  provides: [provide(passFollowers, codesOfPasses)],
  async start(runtime) {
    const [cache, noted] = [contentCacheOf(runtime), notedCodesOf(runtime)];
    runtime.signals.on(CONTENT_SIGNAL, (key) => {
      cache.erase(key);
      noted.delete(key);
    });
    // Signals may have been missed, so a pass may have been erased without notice.
    runtime.signals.onGap(() => {
      cache.clear();
      noted.clear();
    });
    return async () => cache.clear();
  },
});
