import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/public.ts";
import { purgers } from "#src/scheduler/public.ts";
import { botCheckVerify } from "./bot-check/bot-check.routes.ts";
import { catchUpAll, catchUpTenant } from "./catch-up/catch-up.jobs.ts";
import { catchUpAfterPublication } from "./catch-up/catch-up.listeners.ts";
import { connectors } from "./connectors.ts";
import { sealedPeople } from "./feeds/erasure.repository.ts";
import { rememberSealer } from "./feeds/erasure.service.ts";
import { FeedEngine } from "./feeds/feed.engine.ts";
import { purgeRefusals, refusalPurger } from "./feeds/feed.jobs.ts";
import { eraseAtVendors, eraseRefusals, followPublication } from "./feeds/feed.listeners.ts";
import { sealedFormerTokens, sealedTokens } from "./inbox/address.repository.ts";
import { InboxEngine } from "./inbox/inbox.engine.ts";
import { extensionDeliveryFailed } from "./inbox/inbox.events.ts";
import { inboxPurger, purgeInboxes } from "./inbox/inbox.jobs.ts";
import { eraseInboxOfCustomers, eraseInboxOfPasses } from "./inbox/inbox.listeners.ts";
import { inboxRoutes } from "./inbox/inbox.routes.ts";
import { journeyPurger, purgeJourneys } from "./journeys/journey.jobs.ts";
import { journeyRoutes } from "./journeys/journey.routes.ts";
import { refusedEventRoutes } from "./refusals/refusal.routes.ts";
import { sourceOf } from "./settings/connection-metadata.service.ts";
import { extensionRoutes } from "./settings/settings.routes.ts";
import { plugActivityPage } from "./sfmc/page.routes.ts";
import { sfmcRoutes } from "./sfmc/sfmc.routes.ts";

export const extensionsModule = defineModule({
  name: "extensions",
  routes: [
    ...extensionRoutes,
    ...inboxRoutes,
    ...refusedEventRoutes,
    ...journeyRoutes,
    ...sfmcRoutes,
    botCheckVerify,
  ],
  jobs: [purgeInboxes, purgeJourneys, purgeRefusals, catchUpAll, catchUpTenant],
  events: [extensionDeliveryFailed],
  sealed: [sealedTokens, sealedFormerTokens, sealedPeople],
  listeners: [
    eraseInboxOfPasses,
    eraseInboxOfCustomers,
    followPublication,
    eraseAtVendors,
    eraseRefusals,
    catchUpAfterPublication,
  ],
  provides: [
    ...connectors
      .filter(({ metadata }) => metadata !== undefined)
      .map((connector) => provide(metadataSources, sourceOf(connector))),
    provide(purgers, inboxPurger),
    provide(purgers, refusalPurger),
    provide(purgers, journeyPurger),
  ],
  configFiles: connectors.map(({ configFile }) => configFile),
  async start(runtime) {
    rememberSealer(runtime);
    return async () => undefined;
  },
  plug: plugActivityPage,
  async work(runtime) {
    const engines = [new InboxEngine(runtime), new FeedEngine(runtime)];
    for (const engine of engines) engine.start();
    return async () => {
      await Promise.all(engines.map((engine) => engine.stop()));
    };
  },
});
