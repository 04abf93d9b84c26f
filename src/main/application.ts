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
import { createPorts, type Ports, type Provision } from "#kernel/port.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createFirstRunLink } from "#src/access/public.ts";
import type { FirstStart } from "./banner.ts";
import { Closers } from "./closers.ts";
import type { Config } from "./config.ts";
import { makeUploadFolder } from "./data-folder.ts";
import { seedDemo } from "./demo.ts";
import { Callers } from "./drain.ts";
import { createHttpPorts } from "./http-ports.ts";
import {
  checkMasterKey,
  endFirstStart,
  isFirstStart,
  loadMasterKeys,
  loadOperatorKey,
  type OperatorKey,
} from "./installation.ts";
import { closeServer, listen } from "./listen.ts";
import { listenProblem } from "./listen-address.ts";
import {
  allJobs,
  allListeners,
  allProvisions,
  allRoutes,
  allSealed,
  modules,
  provisionsBySetting,
  resealJob,
} from "./modules.ts";
import { type DatabaseHome, openDatabase } from "./open-database.ts";
import { callersMax, outboundConnectionsMax, readFilesMax } from "./open-files.ts";
import { startProbe } from "./probe.ts";

export type Application = {
  readonly runtime: Runtime;
  /** The address of the API; undefined in a process without the role `api`. */
  readonly url: string | undefined;
  /** Set on the very first start of an installation. */
  readonly firstStart: FirstStart | undefined;
  /** Set as long as nobody can sign in yet. */
  readonly signInLink: string | undefined;
  /** Called after the banner was printed: if a start dies earlier, the next start prints it. */
  confirmTold(): Promise<void>;
  /** Accepts no new work, finishes what is running, and closes everything. */
  stop(): Promise<void>;
};

export type ApplicationOptions = {
  readonly log?: Log;
  readonly checkReplies?: boolean;
  /** Ends the start at its next step and closes what was opened. */
  readonly signal?: AbortSignal;
  /** The database if it is already being opened; otherwise it is opened as the settings say. */
  readonly database?: Promise<DatabaseHome>;
  /** Used instead of this machine's clock. */
  readonly clock?: Clock;
  /** See `DatabaseOptions`. */
  readonly refusesSecond?: boolean;
  /** Further offers to ports, as if from one more module. */
  readonly provides?: readonly Provision[];
};

export async function startApplication(
  config: Config,
  options: ApplicationOptions = {},
): Promise<Application> {
  const log = options.log ?? createLog({ level: config.logLevel });
  const closers = new Closers(log);
  const stopping = new AbortController();
  const goOn = () => options.signal?.throwIfAborted();
  try {
    const database = await (options.database ?? openDatabase(config, log));
    closers.addGround(() => database.stop());
    goOn();
    const clock = options.clock ?? new ServerClock(systemClock, log);
    const refusesSecond = options.refusesSecond ?? false;
    const ports = createPorts([
      ...allProvisions(),
      ...provisionsBySetting(config, log),
      ...(options.provides ?? []),
    ]);
    const ground = { database, log, clock, refusesSecond, ports, stopping: stopping.signal };
    const { runtime, jobs } = await openRuntime(config, ground, closers);
    const call = systemCall(runtime, "service.start");
    await checkMasterKey(call, allSealed());
    await planResealing(call, resealJob, allSealed());
    const operatorKey = await loadOperatorKey(call, config);
    for (const module of modules) closers.addGround(await module.start?.(runtime));
    goOn();
    // Before the API starts, so that the demo tenant exists as soon as the service is ready.
    const firstStart = await makeFirstStart(call, config, database, operatorKey);
    goOn();
    const url = config.roles.has("api")
      ? await startApi(config, runtime, operatorKey, options, closers)
      : undefined;
    if (config.roles.has("worker")) {
      closers.addWork(() => jobs.stopWorkers());
      await jobs.startWorkers();
      for (const module of modules) closers.addWork(await module.work?.(runtime));
    }
    if (config.roles.has("sftp")) await startListeners(config, runtime, closers);
    if (config.metricsPort !== undefined) {
      const { metricsPort: port, host } = config;
      closers.addWork(await startProbe(runtime, { setting: "METRICS_PORT", port, host }));
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
  database: DatabaseHome,
  operatorKey: OperatorKey,
): Promise<FirstStart | undefined> {
  if (!(await isFirstStart(call))) return undefined;
  const demo = config.demo ? await database.alone(() => seedDemo(call)) : undefined;
  return { operatorKey: operatorKey.text, demo };
}

type Ground = {
  readonly database: DatabaseHome;
  readonly log: Log;
  readonly clock: Clock;
  readonly refusesSecond: boolean;
  readonly ports: Ports;
  readonly stopping: AbortSignal;
};

async function openRuntime(
  config: Config,
  { database, log, clock, refusesSecond, ports, stopping }: Ground,
  closers: Closers,
): Promise<{ runtime: Runtime; jobs: Jobs }> {
  const db = new Database({
    connection: database.connection,
    poolSize: config.databasePoolSize,
    clock,
    log,
    role: database.role,
    refusesSecond,
  });
  closers.addGround(() => db.close());
  if (clock instanceof ServerClock) {
    const unfollow = await clock.follow(db);
    closers.addGround(async () => unfollow());
  }
  const signals = openSignals({ connection: database.connection, db, log });
  closers.addGround(() => signals.close());
  const { environment, egressAllow: allowNetworks } = config;
  const egress = createGuardedHttp(createEgressPolicy({ environment, allowNetworks }), {
    connectionsMax: outboundConnectionsMax(readFilesMax()),
  });
  closers.addGround(() => egress.close());
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
    ports,
    clock,
    log,
    stopping,
  };
  const jobs = await openJobs({
    connection: database.connection,
    runtime: () => runtime,
    definitions: allJobs(),
    log,
  });
  closers.addGround(() => jobs.stop());
  await jobs.prepare();
  db.addCommitStep(createOutbox(allListeners()));
  db.addCommitStep(writeAudit);
  db.addCommitStep(jobs.commitStep);
  return { runtime, jobs };
}

/** Other protocols than HTTP, of which the file drop is the only one. */
async function startListeners(config: Config, runtime: Runtime, closers: Closers): Promise<void> {
  const address = { host: config.host, port: config.sftpPort };
  for (const module of modules) {
    try {
      closers.addWork(await module.listen?.(runtime, address));
    } catch (error) {
      throw listenProblem(error, { setting: "SFTP_PORT", ...address });
    }
  }
}

async function startApi(
  config: Config,
  runtime: Runtime,
  operatorKey: OperatorKey,
  options: ApplicationOptions,
  closers: Closers,
): Promise<string> {
  const { ports, stop } = createHttpPorts(runtime, operatorKey.hash);
  closers.addGround(stop);
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
  closers.addWork(() => closeServer(app, { callers, giveUpOutside: () => runtime.egress.close() }));
  const filesMax = readFilesMax();
  const ownMax = config.databasePoolSize + outboundConnectionsMax(filesMax);
  const { port, host } = config;
  return await listen(app, { setting: "PORT", port, host }, callersMax(filesMax, ownMax));
}
