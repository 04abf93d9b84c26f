import { createResealJob } from "#kernel/crypto/sealed.jobs.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import type { EventDefinition } from "#kernel/events/define.ts";
import type { Listener } from "#kernel/events/listen.ts";
import type { Route } from "#kernel/http/route.ts";
import type { JobDefinition } from "#kernel/jobs/define.ts";
import type { Log } from "#kernel/log.ts";
import type { Module } from "#kernel/module.ts";
import { type Provision, provide } from "#kernel/port.ts";
import { accessModule } from "#src/access/module.ts";
import { apiKeysModule } from "#src/api-keys/module.ts";
import { consoleModule } from "#src/console/module.ts";
import { contentModule } from "#src/content/module.ts";
import { customersModule } from "#src/customers/module.ts";
import { devicesModule } from "#src/devices/module.ts";
import { enrolmentsModule } from "#src/enrolments/module.ts";
import { eventsModule } from "#src/events/module.ts";
import { extensionsModule } from "#src/extensions/module.ts";
import { gatesModule } from "#src/gates/module.ts";
import { importsModule } from "#src/imports/module.ts";
import { jobsModule } from "#src/jobs/module.ts";
import { numbersModule } from "#src/numbers/module.ts";
import { oauthClientsModule } from "#src/oauth-clients/module.ts";
import { passesModule } from "#src/passes/module.ts";
import { privilegesModule } from "#src/privileges/module.ts";
import { receiptsModule } from "#src/receipts/module.ts";
import { scannerModule } from "#src/scanner/module.ts";
import { scansModule } from "#src/scans/module.ts";
import { schedulerModule } from "#src/scheduler/module.ts";
import { secretsModule } from "#src/secrets/module.ts";
import { sftpModule } from "#src/sftp/module.ts";
import { sftpAddress } from "#src/sftp/public.ts";
import { simulatorModule } from "#src/simulator/module.ts";
import { simulators } from "#src/simulator/public.ts";
import { storesModule } from "#src/stores/module.ts";
import { templatesModule } from "#src/templates/module.ts";
import { tenantsModule } from "#src/tenants/module.ts";
import { configFileAddresses, limitableOperations } from "#src/tenants/public.ts";
import { walletsModule } from "#src/wallets/module.ts";
import { walletServices } from "#src/wallets/public.ts";
import { webhooksModule } from "#src/webhooks/module.ts";
import { eventCatalogue } from "#src/webhooks/public.ts";
import type { Config } from "./config.ts";
import { createDescriptionModule } from "./description.module.ts";
import { serviceModule } from "./service.module.ts";
import { createSimulatorBySetting, createWalletServices } from "./wallet-services.ts";

const describe = createDescriptionModule(() => ({ routes: allRoutes(), events: allEvents() }));

/**
 * The table of contents of the product, from the bottom up. A module may import those of the lines above
 * its own, and none of its own line (`test/architecture/imports.test.ts`).
 */
export const moduleLevels: readonly (readonly Module[])[] = [
  [tenantsModule],
  [secretsModule, apiKeysModule, oauthClientsModule, schedulerModule],
  [accessModule, templatesModule, customersModule, eventsModule, jobsModule],
  [storesModule, passesModule, devicesModule],
  [privilegesModule, contentModule],
  [walletsModule, scansModule, importsModule, receiptsModule],
  [webhooksModule, sftpModule, extensionsModule, gatesModule, scannerModule, consoleModule],
  [enrolmentsModule, numbersModule],
  [simulatorModule],
  [serviceModule, describe],
];

export const modules: readonly Module[] = moduleLevels.flat();

export const allSealed = (): SealedColumn[] => modules.flatMap((module) => module.sealed);
/** The only background job that reads the tables of every module, so it belongs to none. */
export const resealJob = createResealJob(allSealed);

export const allRoutes = (): Route[] => modules.flatMap((module) => module.routes);
export const allJobs = (): JobDefinition[] => [
  ...modules.flatMap((module) => module.jobs),
  resealJob,
];
export const allEvents = (): EventDefinition[] => modules.flatMap((module) => module.events);
export const allConfigFiles = (): URL[] => modules.flatMap((module) => module.configFiles);
export const allListeners = (): Listener[] => modules.flatMap((module) => module.listeners);

/** A tenant may set limits only for operations within the tenant that require a credential. */
const isLimitable = ({ url, scope }: Route): boolean =>
  url.includes(":tenantId") && scope !== "public";

/** The offers of all modules, and those that need the list of all modules. */
export const allProvisions = (): Provision[] => [
  ...modules.flatMap((module) => module.provides),
  ...allRoutes()
    .filter(isLimitable)
    .map(({ op }) => provide(limitableOperations, op)),
  ...allEvents().map((event) => provide(eventCatalogue, event)),
  ...allConfigFiles().map((address) => provide(configFileAddresses, address)),
];

/** Offers that depend on the settings of the process. */
export function provisionsBySetting(config: Config, log: Log): Provision[] {
  const simulator = createSimulatorBySetting(config, log);
  return [
    provide(walletServices, createWalletServices(config, simulator)),
    provide(sftpAddress, { host: new URL(config.baseUrl).hostname, port: config.sftpPort }),
    ...(simulator === undefined ? [] : [provide(simulators, simulator)]),
  ];
}
