import { isConnectionFailure } from "#kernel/db/failures.ts";
import { messageOf } from "#kernel/errors.ts";
import { createLog, type Log } from "#kernel/log.ts";
import { version } from "./api-document.ts";
import { type Application, startApplication } from "./application.ts";
import { renderBanner } from "./banner.ts";
import { type Config, ConfigError, loadConfig } from "./config.ts";
import { openStore } from "./store.ts";

const STOP_SECONDS_MAX = 30;

/** The program: `start` runs the product, `migrate` only brings the database to the newest schema. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    const config = loadConfig(process.env);
    const [command = "start"] = words;
    if (command === "start") await start(config);
    else if (command === "migrate") await migrate(config);
    else fail(`Unknown command '${command}'. Commands: start, migrate.`);
  } catch (error) {
    fail(
      error instanceof ConfigError ? error.message : `Billfold cannot start: ${messageOf(error)}`,
    );
  }
}

async function start(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel });
  endOnDefect(log);
  const starting = startApplication(config, { log });
  // Before it runs: whoever changes their mind during the start wants no database left behind.
  stopOnSignal(starting, log);
  const application = await starting;
  const { url, firstStart, signInLink } = application;
  process.stdout.write(renderBanner({ config, version, url, firstStart, signInLink }));
  if (firstStart !== undefined) await application.confirmTold();
}

/** For releases that change the schema before the new version takes requests. */
async function migrate(config: Config): Promise<void> {
  const store = await openStore(config, createLog({ level: config.logLevel }));
  await store.stop();
  const { added } = store;
  process.stdout.write(
    added.length === 0 ? "The database is up to date.\n" : `Applied ${added.join(", ")}.\n`,
  );
}

/** After a defect nobody foresaw the memory is not to be trusted; the database is, so start afresh. */
function endOnDefect(log: Log): void {
  process.on("uncaughtException", (error, origin) => {
    // A library let go of a connection just as the server did. Pools open a new one.
    if (isConnectionFailure(error)) {
      log.error({ err: error, origin }, "a database connection ended while nobody held it");
      return;
    }
    log.fatal({ err: error, origin }, "a defect ends the process");
    process.exit(1);
  });
}

function stopOnSignal(starting: Promise<Application>, log: Log): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.error(`not everything stopped within ${STOP_SECONDS_MAX} seconds`);
      process.exit(1);
    }, STOP_SECONDS_MAX * 1_000);
    // A start that fails meanwhile ends the process by itself.
    const application = await starting.catch(() => undefined);
    await application?.stop();
    process.exit(application === undefined ? 1 : 0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop());
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
