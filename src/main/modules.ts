import { createResealJob } from "#kernel/crypto/sealed.jobs.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import type { EventDefinition } from "#kernel/events/define.ts";
import type { Route } from "#kernel/http/route.ts";
import type { JobDefinition } from "#kernel/jobs/define.ts";
import type { Listener, Module } from "#kernel/module.ts";
import { accessModule } from "#src/access/module.ts";
import { apiKeysModule } from "#src/api-keys/module.ts";
import { contentModule } from "#src/content/module.ts";
import { customersModule } from "#src/customers/module.ts";
import type { CustomerLink } from "#src/customers/public.ts";
import { eventsModule } from "#src/events/module.ts";
import { jobsModule } from "#src/jobs/module.ts";
import { oauthClientsModule } from "#src/oauth-clients/module.ts";
import { passesModule } from "#src/passes/module.ts";
import { type PassCompanion, passesOfCustomers } from "#src/passes/public.ts";
import { privilegesOfPasses } from "#src/privileges/public.ts";
import { secretsModule } from "#src/secrets/module.ts";
import { storesModule } from "#src/stores/module.ts";
import { templatesModule } from "#src/templates/module.ts";
import { templateCheck } from "#src/templates/public.ts";
import { tenantsModule } from "#src/tenants/module.ts";
import type { ConfigurationCheck } from "#src/tenants/public.ts";
import { webhooksModule } from "#src/webhooks/module.ts";
import { createDescriptionModule } from "./description.module.ts";
import { serviceModule } from "./service.module.ts";

const describe = createDescriptionModule(() => ({ routes: allRoutes(), events: allEvents() }));

/** The table of contents of the product, from the bottom up. */
export const modules: readonly Module[] = [
  tenantsModule,
  secretsModule,
  apiKeysModule,
  oauthClientsModule,
  accessModule,
  templatesModule,
  customersModule,
  eventsModule,
  storesModule,
  jobsModule,
  passesModule,
  contentModule,
  webhooksModule,
  serviceModule,
  describe,
];

export const allSealed = (): SealedColumn[] => modules.flatMap((module) => module.sealed);
/** The only job that looks into every module's tables, which is why no module has it. */
export const resealJob = createResealJob(allSealed);

export const allRoutes = (): Route[] => modules.flatMap((module) => module.routes);
/** A tenant may set limits for its own operations that know their caller, and for no others. */
export const limitableOperations = (): string[] =>
  allRoutes()
    .filter(({ url, scope }) => url.includes(":tenantId") && scope !== "public")
    .map(({ op }) => op);
export const allJobs = (): JobDefinition[] => [
  ...modules.flatMap((module) => module.jobs),
  resealJob,
];
export const allEvents = (): EventDefinition[] => modules.flatMap((module) => module.events);
export const allListeners = (): Listener[] => modules.flatMap((module) => module.listeners);

/** What the modules know about the files of a tenant. */
export const configurationChecks: readonly ConfigurationCheck[] = [templateCheck];

/** What modules above know of a customer. */
export const customerLinks: readonly CustomerLink[] = [passesOfCustomers];

/** What modules above keep for each pass. */
export const passCompanions: readonly PassCompanion[] = [privilegesOfPasses];
