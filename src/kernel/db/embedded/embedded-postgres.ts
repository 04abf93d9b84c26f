import { access, mkdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BinarySource, findBinaries } from "./embedded-binaries.ts";
import { type Cluster, ensureCluster, loadPassword } from "./embedded-cluster.ts";
import {
  type Connection,
  connectionTo,
  ensureDatabase,
  readSettingsMark,
} from "./embedded-database.ts";
import { type DataDirectoryLock, lockDataDirectory } from "./embedded-lock.ts";
import { capLog, keepLogCapped } from "./embedded-log.ts";
import { chooseServerUser, ignoreMissing } from "./embedded-owner.ts";
import {
  findPostmaster,
  type Postmaster,
  readPostmasterFile,
  ServerDidNotStart,
  spawnPostmaster,
  stopPostmaster,
  waitUntilReady,
} from "./embedded-postmaster.ts";
import { markOfCluster, type ServerSettings, settingsFor } from "./embedded-settings.ts";
import {
  chooseEndpoint,
  type Endpoint,
  endpointOf,
  removeSocketDirectory,
  removeStaleSocket,
} from "./embedded-socket.ts";

const DEFAULT_MAX_CONNECTIONS = 60;
const READY_TIMEOUT_MS = 10 * 60_000; // Enough to recover from a large log on a slow disk.
const CONTENTION_TIMEOUT_MS = 15_000;
const CONTENTION_RETRY_MS = 200;
const RESTART_DELAY_MS_MIN = 100;
const RESTART_DELAY_MS_MAX = 10_000;
const STEADY_AFTER_MS = 60_000;
const LOSS_CHECK_MS = 1_000;

export type EmbeddedPostgres = {
  /** Fits `pg.Pool`; the host is a socket directory where the system has Unix sockets. */
  readonly connection: Connection;
  /**
   * True if the server was already running, left behind by a killed process, and was taken over.
   */
  readonly adopted: boolean;
  /** Stops the server (an adopted one too) and unlocks the data directory. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  readonly dataDir: string;
  readonly log: (message: string, detail?: object) => void;
  /** False is faster but may lose data in a power cut: for tests only. */
  readonly durable?: boolean;
  readonly maxConnections?: number;
  readonly binaries?: BinarySource;
  /**
   * Called after the data was removed or moved away while the server ran; the server is stopped by
   * then.
   */
  readonly onLost?: () => void;
};

type Plan = {
  readonly cluster: Cluster;
  readonly endpoint: Endpoint;
  readonly settings: ServerSettings;
  readonly connection: Connection;
  readonly logFile: string;
  readonly log: EmbeddedOptions["log"];
  readonly onLost: EmbeddedOptions["onLost"];
};

/**
 * Runs PostgreSQL for this process, with its data in `<dataDir>/postgres`. Throws
 * `DataDirectoryInUse` when another process does so already.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await mkdir(resolve(options.dataDir), { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const lock = await lockDataDirectory(dataDir);
  try {
    const plan = await prepare(dataDir, options);
    return await runServer(plan, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function prepare(dataDir: string, options: EmbeddedOptions): Promise<Plan> {
  const durable = options.durable ?? true;
  const dir = join(dataDir, "postgres");
  const user = await chooseServerUser(dir);
  const binaries = await findBinaries(dataDir, user, options.binaries);
  const cluster = { dir, user, binaries };
  const password = await loadPassword(dataDir, dir);
  await ensureCluster(cluster, dataDir, password, durable);

  const endpoint = (await findRunningEndpoint(cluster)) ?? (await chooseEndpoint(cluster));
  const settings = await settingsFor(cluster, endpoint, {
    durable,
    maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
  });
  const connection = connectionTo(endpoint, password);
  const logFile = join(dataDir, "postgres.log");
  await capLog(logFile);
  const { log, onLost } = options;
  return { cluster, endpoint, settings, connection, logFile, log, onLost };
}

/** The address of a server that was left running. A server that replaces it keeps that address. */
async function findRunningEndpoint(cluster: Cluster): Promise<Endpoint | undefined> {
  if ((await findPostmaster(cluster, await markOfCluster(cluster))) === undefined) return undefined;
  const file = await readPostmasterFile(cluster.dir);
  if (file === undefined || !(file.port > 0)) return undefined; // The server started a moment ago.
  return endpointOf(cluster, file.socketSetting, file.port);
}

async function runServer(plan: Plan, lock: DataDirectoryLock): Promise<EmbeddedPostgres> {
  const first = await bringUp(plan, new AbortController().signal);
  try {
    await ensureDatabase(plan.connection);
  } catch (error) {
    await stopPostmaster(plan.cluster, first.postmaster);
    throw error;
  }
  const { pid } = first.postmaster;
  plan.log(first.adopted ? "embedded database adopted" : "embedded database started", { pid });

  const supervisor = superviseServer(plan, first.postmaster);
  const logTimer = keepLogCapped(plan.logFile, (error) =>
    plan.log("embedded database log cannot be capped", { error }),
  );
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    try {
      clearInterval(logTimer);
      await supervisor.stop();
      await removeSocketDirectory(plan.endpoint);
    } finally {
      lock.release();
    }
  };
  return {
    connection: plan.connection,
    adopted: first.adopted,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/**
 * Restarts the server at the same address whenever it ends unexpectedly. When its data is gone, the
 * server is not restarted, because it could only fail again.
 */
function superviseServer(plan: Plan, first: Postmaster): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const aborted = new Promise<void>((done) => signal.addEventListener("abort", () => done()));
  const loss = watchLoss(plan.cluster.dir, signal);
  let current = first;

  const keepRunning = async () => {
    let delayMs = RESTART_DELAY_MS_MIN;
    for (;;) {
      const since = Date.now();
      await Promise.race([current.whenGone(), loss.whenLost, aborted]);
      if (signal.aborted) return;
      if (loss.isLost()) {
        plan.log("embedded database has lost its data", { dir: plan.cluster.dir });
        await stopPostmaster(plan.cluster, current);
        plan.onLost?.();
        return;
      }
      if (Date.now() - since > STEADY_AFTER_MS) delayMs = RESTART_DELAY_MS_MIN;
      plan.log("embedded database ended unexpectedly", { pid: current.pid, restartInMs: delayMs });
      try {
        await sleep(delayMs, undefined, { signal, ref: false });
        current = (await bringUp(plan, signal)).postmaster;
        plan.log("embedded database restarted", { pid: current.pid });
      } catch (error) {
        if (signal.aborted) return;
        plan.log("embedded database cannot be restarted yet", { error });
      }
      delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS_MAX);
    }
  };
  const supervision = keepRunning();
  return {
    async stop() {
      stopping.abort();
      await supervision;
      await stopPostmaster(plan.cluster, current);
      // A restart that was interrupted may have left a server running that `current` does not name.
      const other = await findPostmaster(plan.cluster, plan.settings.clusterMark);
      if (other !== undefined) await stopPostmaster(plan.cluster, other);
    },
  };
}

type Loss = { readonly whenLost: Promise<void>; isLost(): boolean };

/**
 * The data counts as lost after two checks in a row found none: during a restore, one check may
 * find nothing.
 */
function watchLoss(clusterDir: string, stopping: AbortSignal): Loss {
  let misses = 0;
  const isLost = () => misses > 1;
  const whenLost = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      access(join(clusterDir, "PG_VERSION")).then(
        () => {
          misses = 0;
        },
        // Any other error prevents the check but says nothing about the data.
        ({ code }: NodeJS.ErrnoException) => {
          if (code === "ENOENT") misses += 1;
          if (isLost()) resolve();
        },
      );
    }, LOSS_CHECK_MS).unref();
    stopping.addEventListener("abort", () => clearInterval(timer));
  });
  return { whenLost, isLost };
}

type RunningServer = { readonly postmaster: Postmaster; readonly adopted: boolean };

/** Adopts the running server of this cluster or starts one, and waits until it is ready. */
async function bringUp(plan: Plan, signal: AbortSignal): Promise<RunningServer> {
  const deadline = Date.now() + CONTENTION_TIMEOUT_MS;
  for (;;) {
    const running = await findPostmaster(plan.cluster, plan.settings.clusterMark);
    if (running !== undefined) {
      if (await isAdoptable(plan, running, signal)) return { postmaster: running, adopted: true };
      await stopPostmaster(plan.cluster, running);
    }
    try {
      return { postmaster: await startServer(plan, signal), adopted: false };
    } catch (error) {
      if (!isContention(error) || Date.now() > deadline) throw error;
      await sleep(CONTENTION_RETRY_MS, undefined, { signal });
    }
  }
}

async function startServer(plan: Plan, signal: AbortSignal): Promise<Postmaster> {
  const { cluster, settings, logFile } = plan;
  await removeStaleSocket(plan.endpoint);
  const { size: logFrom } = (await stat(logFile).catch(ignoreMissing)) ?? { size: 0 };
  const postmaster = await spawnPostmaster(cluster, settings, logFile);
  try {
    const limits = { timeoutMs: READY_TIMEOUT_MS, signal, logFile, logFrom };
    await waitUntilReady(cluster, postmaster, limits);
    return postmaster;
  } catch (error) {
    await stopPostmaster(cluster, postmaster);
    throw error;
  }
}

/**
 * False for a server that is shutting down, does not answer, or was started with other settings or
 * binaries.
 */
async function isAdoptable(plan: Plan, running: Postmaster, signal: AbortSignal): Promise<boolean> {
  const { cluster, logFile } = plan;
  if ((await readPostmasterFile(cluster.dir))?.status === "stopping") return false;
  try {
    const limits = { timeoutMs: READY_TIMEOUT_MS, signal, logFile, logFrom: 0 };
    await waitUntilReady(cluster, running, limits);
    return (await readSettingsMark(plan.connection)) === plan.settings.settingsMark;
  } catch (error) {
    signal.throwIfAborted();
    plan.log("embedded database left running does not answer, replacing it", { error });
    return false;
  }
}

/**
 * True if the previous server still holds the data: it was started by a process that was killed at
 * the same moment, or the sessions of a killed server have not ended yet.
 */
function isContention(error: unknown): boolean {
  return (
    error instanceof ServerDidNotStart &&
    /lock file .* (already exists|is empty)|is still in use/.test(error.message)
  );
}
