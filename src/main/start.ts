import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isConnectionFailure } from "#kernel/db/failures.ts";
import { messageOf, ProblemError } from "#kernel/errors.ts";
import { createLog, type Log } from "#kernel/log.ts";
import type { Application } from "./application.ts";
import { renderBanner } from "./banner.ts";
import { type Config, ConfigError, loadConfig } from "./config.ts";
import { makeDataFolder } from "./data-folder.ts";
import { requireDatabase } from "./database-url.ts";
import { claimPorts } from "./listen-address.ts";
import { version } from "./version.ts";

const HEAD_START_MS = 200;
const STOP_SECONDS_MAX = 30;
/** SIGHUP comes when a terminal is closed. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Runs the product until it is stopped. */
export async function start(): Promise<void> {
  await orFail(async () => {
    const config = await claimPorts(loadConfig(process.env));
    await requireGround(config);
    if (isWithoutDatabase(config)) {
      say(`Making a database in ${config.dataDir}: the first start takes some seconds.`);
    }
    const log = createLog({ level: config.logLevel });
    endOnDefect(log);
    const stopping = new AbortController();
    const starting = loadAndStart(config, log, stopping.signal);
    // Before the start has finished, so that a stop during the start leaves no database running.
    stopOnSignal(starting, stopping, log);
    const application = await unlessStopped(starting, stopping.signal);
    if (application === undefined) return;
    const { url, firstStart, signInLink } = application;
    say(renderBanner({ config, version, url, firstStart, signInLink }));
    if (firstStart !== undefined) await application.confirmTold();
  });
}

/**
 * Loads the product while its database is being created, which takes a second. Loading blocks this
 * process until it is done, so the database starts a little earlier: by then it runs in processes
 * of its own.
 */
async function loadAndStart(config: Config, log: Log, signal: AbortSignal): Promise<Application> {
  const { openDatabase } = await import("./open-database.ts");
  const database = openDatabase(config, log, () => endWithoutData(config));
  await Promise.race([database, sleep(HEAD_START_MS)]);
  const { startApplication } = await import("./application.ts");
  return await startApplication(config, { log, signal, database });
}

/** For releases that change the schema before the new version accepts requests. */
export async function migrate(): Promise<void> {
  await orFail(async () => {
    const config = loadConfig(process.env);
    await requireGround(config);
    const { openDatabase } = await import("./open-database.ts");
    const { added, stop } = await openDatabase(config, createLog({ level: config.logLevel }));
    await stop();
    say(added.length === 0 ? "The database is up to date." : `Applied ${added.join(", ")}.`);
  });
}

/** Checks the data folder and the database before anything is loaded or created. */
async function requireGround(config: Config): Promise<void> {
  await makeDataFolder(config);
  if (config.databaseUrl !== undefined) await requireDatabase(config.databaseUrl);
}

async function orFail(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isComplete = error instanceof ConfigError;
    const message = isComplete ? error.message : `Billfold cannot start: ${reasonOf(error)}`;
    process.stderr.write(`${message}\n`);
    process.exit(1);
  }
}

/** Callers only learn that the database failed; the person who starts the process may know why. */
function reasonOf(error: unknown): string {
  if (error instanceof ProblemError && error.cause !== undefined) {
    return `the database failed: ${messageOf(error.cause)}`;
  }
  return messageOf(error);
}

function say(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

function isWithoutDatabase({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl === undefined && !existsSync(join(dataDir, "postgres"));
}

/**
 * The person who removed the data should learn it from this message and not from failing requests.
 */
function endWithoutData({ dataDir }: Config): never {
  process.stderr.write(
    `The database in ${resolve(dataDir)} was removed while Billfold was running. ` +
      "Put it back, or start again to begin anew.\n",
  );
  process.exit(1);
}

/**
 * After an unexpected error the memory of the process cannot be trusted, but the database can: so
 * the process ends, to be started again.
 */
function endOnDefect(log: Log): void {
  process.on("uncaughtException", (error, origin) => {
    // A library released a connection at the moment the server closed it. Pools open a new one.
    if (isConnectionFailure(error)) {
      log.error({ err: error, origin }, "a database connection ended while nobody held it");
      return;
    }
    log.fatal({ err: error, origin }, "a defect ends the process");
    process.exit(1);
  });
}

/** Undefined if the process was stopped meanwhile: then nothing is printed any more. */
async function unlessStopped(
  starting: Promise<Application>,
  stopping: AbortSignal,
): Promise<Application | undefined> {
  try {
    const application = await starting;
    return stopping.aborted ? undefined : application;
  } catch (error) {
    if (stopping.aborted) return undefined;
    throw error;
  }
}

function stopOnSignal(starting: Promise<Application>, stopping: AbortController, log: Log): void {
  const stop = async () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    say("Billfold is stopping.");
    setTimeout(() => {
      log.error(`not everything stopped within ${STOP_SECONDS_MAX} seconds`);
      process.exit(1);
    }, STOP_SECONDS_MAX * 1_000);
    // An interrupted start has closed everything itself, and its error does not matter any more.
    const application = await starting.catch(() => undefined);
    await application?.stop();
    process.exit(0);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, () => void stop());
}
