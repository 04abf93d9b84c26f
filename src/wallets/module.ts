import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { contentExplainers } from "#src/content/public.ts";
import { walletTellers } from "#src/passes/public.ts";
import { taskKinds } from "#src/scheduler/public.ts";
import { walletAddresses } from "#src/templates/public.ts";
import { publicationSteps } from "#src/tenants/public.ts";
import { appleExplainer } from "./apple/apple.explanation.ts";
import { appleParts } from "./apple/apple.parts.ts";
import { appleTeller } from "./apple/push/push-teller.service.ts";
import { credentialParts } from "./credentials/credential.parts.ts";
import { checkCredentialsTask } from "./credentials/credential-check.jobs.ts";
import { walletDeliveryEvents } from "./deliveries/delivery.events.ts";
import { syncClassesTask } from "./google/classes/class.jobs.ts";
import { googleExplainer } from "./google/google.explanation.ts";
import { googleParts } from "./google/google.parts.ts";
import { plugLanding } from "./landing/landing.routes.ts";
import { plugPasses } from "./landing/landing-passes.routes.ts";
import { forgetMessages, keepMessage } from "./messages/message.listeners.ts";
import { previewCreate, previewGet } from "./preview/preview.routes.ts";
import { comparePublication } from "./publication.changes.ts";
import { timelineRoutes } from "./timeline/timeline.routes.ts";

export const walletsModule = defineModule({
  name: "wallets",
  routes: [
    ...credentialParts.routes,
    ...appleParts.routes,
    ...googleParts.routes,
    ...timelineRoutes,
    previewGet,
    previewCreate,
  ],
  jobs: [...credentialParts.jobs, ...appleParts.jobs, ...googleParts.jobs],
  events: [...walletDeliveryEvents, ...credentialParts.events],
  listeners: [keepMessage, forgetMessages, ...appleParts.listeners, ...googleParts.listeners],
  configFiles: [
    new URL("./apple/apple.config.ts", import.meta.url),
    new URL("./google/google.config.ts", import.meta.url),
  ],
  sealed: appleParts.sealed,
  provides: [
    provide(contentExplainers, appleExplainer),
    provide(contentExplainers, googleExplainer),
    provide(walletAddresses, new URL("./apple/apple.wallet.ts", import.meta.url)),
    provide(walletAddresses, new URL("./google/google.wallet.ts", import.meta.url)),
    provide(publicationSteps, comparePublication),
    provide(walletTellers, appleTeller),
    provide(walletTellers, googleParts.teller),
    provide(taskKinds, syncClassesTask),
    provide(taskKinds, checkCredentialsTask),
  ],
  start: appleParts.start,
  async work(runtime) {
    const stops = [await appleParts.work(runtime), await googleParts.work(runtime)];
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  },
  plug(app, runtime) {
    appleParts.plug(app, runtime);
    googleParts.plug(app, runtime);
    plugLanding(app, runtime);
    plugPasses(app, runtime);
  },
});
