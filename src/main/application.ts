import { writeAudit } from "#kernel/audit.ts";
import { type Call, systemCall } from "#kernel/call.ts";
import { type Clock, systemClock } from "#kernel/clock.ts";
import { planResealing } from "#kernel/crypto/sealed.jobs.ts";
import { createSealer } from "#kernel/crypto/sealer.ts";
import { Database } from "#kernel/db/database.ts";
import { ServerClock } from "#kernel/db/server-clock.ts";
import { openSignals } from "#kernel/db/signals.ts";
import { createEgressPolicy } from "#kernel/egress/egress-policy.ts";
import { createGuardedHttp } from "#kernel/egress/guarded-fetch.ts";
import { createOutbox } from "#kernel/events/outbox.ts";
import { createMetrics } from "#kernel/http/metrics.ts";
import { createRouteTable } from "#kernel/http/route-table.ts";
import { createServer } from "#kernel/http/server.ts";
import { type Jobs, openJobs } from "#kernel/jobs/jobs.ts";
import { createLog, type Log } from "#kernel/log.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createFirstRunLink } from "#src/access/public.ts";
import { registerCustomerLinks } from "#src/customers/public.ts";
import { registerPassCompanions } from "#src/passes/public.ts";
import { createSecretReader } from "#src/secrets/public.ts";
import { registerConfigurationChecks } from "#src/tenants/public.ts";
import { registerEventCatalogue } from "#src/webhooks/public.ts";
import type { FirstStart } from "./banner.ts";
import type { Config } from "./config.ts";
import { makeUploadFolder } from "./data-folder.ts";
import { seedDemo } from "./demo.ts";
import { Callers } from "./drain.ts";
import {
  checkMasterKey,
  endFirstStart,
  isFirstStart,
  loadMasterKeys,
  loadOperatorKey,
  type OperatorKey,
} from "./installation.ts";
import { closeServer, listen } from "./listen.ts";
import {
  allEvents,
  allJobs,
  allListeners,
  allRoutes,
  allSealed,
  configurationChecks,
  customerLinks,
  limitableOperations,
  modules,
  passCompanions,
  resealJob,
} from "./modules.ts";
import { callersMax, outboundConnectionsMax, readFilesMax } from "./open-files.ts";
import { createPorts } from "./ports.ts";
import { startProbe } from "./probe.ts";
import { openStore, type Store } from "./store.ts";

export type Application = {
  readonly runtime: Runtime;
  /** Where the API listens; undefined in a process without the role `api`. */
  readonly url: string | undefined;
  /** Present on the very first start of an installation. */
  readonly firstStart: FirstStart | undefined;
  /** Present as long as nobody can sign in yet. */
  readonly signInLink: string | undefined;
  /** After the banner is out: a start that dies before it leaves the telling to the next one. */
  confirmTold(): Promise<void>;
  /** Takes no new work, finishes what runs, closes everything. */
  stop(): Promise<void>;
};

export type ApplicationOptions = {
  readonly log?: Log;
  readonly checkReplies?: boolean;
  /** Gives the start up at its next step, and undoes what was done. */
  readonly signal?: AbortSignal;
  /** Where it was opened already; else it is opened as the settings say. */
  readonly store?: Promise<Store>;
  /** Instead of this machine's own. */
  readonly clock?: Clock;
  /** See `DatabaseOptions`. */
  readonly refusesSecond?: boolean;
};

/** Things to undo, newest first: what was opened last depends on what was opened before. */
class Closers {
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  add(close: () => Promise<void>): void {
    this.#closers.unshift(close);
  }

  addIfAny(close: (() => Promise<void>) | undefined): void {
    if (close !== undefined) this.add(close);
  }

  /** One that fails keeps none of the others from closing, least of all the database server. */
  async closeAll(): Promise<void> {
    for (const close of this.#closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        this.#log.warn({ err: error }, "something did not close in good order");
      }
    }
  }
}

export async function startApplication(
  config: Config,
  options: ApplicationOptions = {},
): Promise<Application> {
  const log = options.log ?? createLog({ level: config.logLevel });
  const closers = new Closers(log);
  const stopping = new AbortController();
  const goOn = () => options.signal?.throwIfAborted();
  try {
    const store = await (options.store ?? openStore(config, log));
    closers.add(() => store.stop());
    goOn();
    const clock = options.clock ?? new ServerClock(systemClock, log);
    const refusesSecond = options.refusesSecond ?? false;
    const ground = { store, log, clock, refusesSecond, stopping: stopping.signal };
    const { runtime, jobs } = await openRuntime(config, ground, closers);
    const call = systemCall(runtime, "service.start");
    await checkMasterKey(call, allSealed());
    await planResealing(call, resealJob, allSealed());
    registerConfigurationChecks(runtime, {
      checks: configurationChecks,
      operations: limitableOperations(),
      secretsOf: createSecretReader,
    });
    registerEventCatalogue(runtime, allEvents());
    registerCustomerLinks(runtime, customerLinks);
    registerPassCompanions(runtime, passCompanions);
    const operatorKey = await loadOperatorKey(call, config);
    for (const module of modules) closers.addIfAny(await module.start?.(runtime));
    goOn();
    // Before anybody can ask: whoever finds the service ready finds the demo tenant, too.
    const firstStart = await makeFirstStart(call, config, store, operatorKey);
    goOn();
    const url = config.roles.has("api")
      ? await startApi(config, runtime, operatorKey, options, closers)
      : undefined;
    if (config.roles.has("worker")) {
      await jobs.startWorkers();
      for (const module of modules) closers.addIfAny(await module.work?.(runtime));
    }
    if (config.metricsPort !== undefined) {
      const { metricsPort: port, host } = config;
      closers.add(await startProbe(runtime, { setting: "METRICS_PORT", port, host }));
    }
    const signsIn = config.authIssuer === undefined && url !== undefined;
    const signInLink = signsIn ? await createFirstRunLink(call) : undefined;
    return {
      runtime,
      url,
      firstStart,
      signInLink,
      confirmTold: () => endFirstStart(call),
      stop() {
        stopping.abort();
        return closers.closeAll();
      },
    };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function makeFirstStart(
  call: Call,
  config: Config,
  store: Store,
  operatorKey: OperatorKey,
): Promise<FirstStart | undefined> {
  if (!(await isFirstStart(call))) return undefined;
  const demo = config.demo ? await store.alone(() => seedDemo(call)) : undefined;
  return { operatorKey: operatorKey.text, demo };
}

type Ground = {
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly refusesSecond: boolean;
  readonly stopping: AbortSignal;
};

async function openRuntime(
  config: Config,
  { store, log, clock, refusesSecond, stopping }: Ground,
  closers: Closers,
): Promise<{ runtime: Runtime; jobs: Jobs }> {
  const db = new Database({
    connection: store.connection,
    poolSize: config.databasePoolSize,
    clock,
    log,
    role: store.role,
    refusesSecond,
  });
  closers.add(() => db.close());
  if (clock instanceof ServerClock) {
    const unfollow = await clock.follow(db);
    closers.add(async () => unfollow());
  }
  const signals = openSignals({ connection: store.connection, db, log });
  closers.add(() => signals.close());
  const { environment, egressAllow: allowNetworks } = config;
  const egress = createGuardedHttp(createEgressPolicy({ environment, allowNetworks }), {
    connectionsMax: outboundConnectionsMax(readFilesMax()),
  });
  closers.add(() => egress.close());
  const runtime: Runtime = {
    environment,
    baseUrl: config.baseUrl,
    authIssuer: config.authIssuer,
    authClientId: config.authClientId,
    db,
    signals,
    sealer: createSealer(await loadMasterKeys(config)),
    metrics: createMetrics(db),
    egress,
    clock,
    log,
    stopping,
  };
  const jobs = await openJobs({
    connection: store.connection,
    runtime: () => runtime,
    definitions: allJobs(),
    log,
  });
  closers.add(() => jobs.stop());
  await jobs.prepare();
  db.addCommitStep(createOutbox(allListeners()));
  db.addCommitStep(writeAudit);
  db.addCommitStep(jobs.commitStep);
  return { runtime, jobs };
}

async function startApi(
  config: Config,
  runtime: Runtime,
  operatorKey: OperatorKey,
  options: ApplicationOptions,
  closers: Closers,
): Promise<string> {
  const { ports, stop } = createPorts(runtime, operatorKey.hash);
  closers.add(stop);
  const routes = allRoutes();
  const app = createServer({
    runtime,
    routes,
    table: createRouteTable(routes),
    ports,
    trustedProxies: config.trustedProxies,
    uploadFolder: await makeUploadFolder(config, runtime.log),
    checkReplies: options.checkReplies ?? false,
  });
  for (const module of modules) module.plug?.(app, runtime);
  const callers = new Callers(app.server);
  closers.add(() => closeServer(app, callers));
  const filesMax = readFilesMax();
  const ownMax = config.databasePoolSize + outboundConnectionsMax(filesMax);
  const { port, host } = config;
  return await listen(app, { setting: "PORT", port, host }, callersMax(filesMax, ownMax));
}
