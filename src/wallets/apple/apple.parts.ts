import type { Module } from "#kernel/module.ts";
import { CONTENT_SIGNAL } from "#src/content/public.ts";
import { bundleCacheOf } from "./bundle/bundle.service.ts";
import { bundleLinkCreate } from "./bundle/bundle-link.routes.ts";
import { purgePassDeliveries } from "./deliveries/delivery.jobs.ts";
import {
  tellOnChange,
  tellOnMessage,
  tellOnPrivilege,
  tellOnPublication,
} from "./deliveries/delivery.listeners.ts";
import { passDeliveryRoutes } from "./deliveries/delivery.routes.ts";
import { forgetErasedPasses } from "./devices/device.listeners.ts";
import { plugAppleService } from "./devices/device.routes.ts";
import { tellAllAsBefore } from "./fan-out/fan-out.jobs.ts";
import { pushClientOf } from "./push/push.client.ts";
import { PushEngine } from "./push/push.engine.ts";
import { sealedAuthorities } from "./signing/authority.repository.ts";

/** What Apple Wallet adds to the module of the wallets. */
export const appleParts = {
  routes: [...passDeliveryRoutes, bundleLinkCreate],
  jobs: [purgePassDeliveries, tellAllAsBefore],
  listeners: [tellOnChange, tellOnMessage, tellOnPrivilege, tellOnPublication, forgetErasedPasses],
  sealed: [sealedAuthorities],
  plug: plugAppleService,
  async start(runtime) {
    const bundles = bundleCacheOf(runtime);
    runtime.signals.on(CONTENT_SIGNAL, (key) => bundles.erase(key));
    // Signals may have been missed, so a pass may have been erased without notice.
    runtime.signals.onGap(() => bundles.clear());
    return async () => {
      bundles.clear();
      pushClientOf(runtime).close();
    };
  },
  async work(runtime) {
    const engine = new PushEngine(runtime);
    engine.start();
    return () => engine.stop();
  },
} satisfies Partial<Module>;
