import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { purgers } from "#src/scheduler/public.ts";
import { DeliveryEngine } from "./deliveries/delivery.engine.ts";
import { deliveryPurger, purgeDeliveries } from "./deliveries/delivery.jobs.ts";
import { fanOut } from "./deliveries/delivery.listeners.ts";
import { createDeliveryMetrics } from "./deliveries/delivery.metrics.ts";
import { deliveryRoutes } from "./deliveries/delivery.routes.ts";
import { eraseOnErasure } from "./deliveries/delivery-erasure.listeners.ts";
import { recoverWebhook } from "./recovery.jobs.ts";
import { webhookEvents } from "./webhook.events.ts";
import { forgetOnDeletion } from "./webhook.listeners.ts";
import { sealedFormerSecrets, sealedSignatureSecrets } from "./webhook.repository.ts";
import { webhookRoutes } from "./webhook.routes.ts";

export const webhooksModule = defineModule({
  name: "webhooks",
  routes: [...webhookRoutes, ...deliveryRoutes],
  jobs: [recoverWebhook, purgeDeliveries],
  events: webhookEvents,
  provides: [provide(purgers, deliveryPurger)],
  sealed: [sealedSignatureSecrets, sealedFormerSecrets],
  listeners: [forgetOnDeletion, eraseOnErasure, fanOut],
  async work(runtime) {
    const engine = new DeliveryEngine(runtime, createDeliveryMetrics(runtime));
    engine.start();
    return () => engine.stop();
  },
});
