import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Database } from "./database.ts";
import { sql } from "./sql.ts";

const LOOK_EVERY_MS = 30_000;
/**
 * Smaller differences are ignored: measuring takes some milliseconds, and synchronised clocks
 * differ by less than this.
 */
const TOLERATED_MS = 1_000;
/** A node that starts while everything is slow must not work for 30 seconds by a wrong clock. */
const FIRST_LOOKS_MAX = 5;

type Source = Pick<Database, "readAsSystem">;

/**
 * The time of the database server, without a query for each call: the clock of this machine,
 * corrected by the difference at the last measurement. All nodes then agree on what is due and what
 * has expired, even a node whose own clock is wrong by an hour.
 */
export class ServerClock implements Clock {
  readonly #own: Clock;
  readonly #log: Log;
  #offsetMs = 0;

  constructor(own: Clock, log: Log) {
    this.#own = own;
    this.#log = log;
  }

  now(): Date {
    return new Date(this.#own.now().getTime() + this.#offsetMs);
  }

  /** Measures once, then every 30 seconds until the returned function is called. */
  async follow(db: Source): Promise<() => void> {
    for (let looks = 0; looks < FIRST_LOOKS_MAX && !(await this.#look(db)); looks += 1);
    const timer = setInterval(() => {
      this.#look(db).catch((error: unknown) => {
        this.#log.debug({ err: error }, "the time of the database is not known");
      });
    }, LOOK_EVERY_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** False if the answer took too long to tell. */
  async #look(db: Source): Promise<boolean> {
    const before = this.#own.now().getTime();
    const [row] = await db.readAsSystem(sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now
    `);
    const after = this.#own.now().getTime();
    const measured = Math.round((row?.now ?? before) - (before + after) / 2);
    // A slow answer is not used: the measured time may be wrong by half of the time it took.
    if (after - before > TOLERATED_MS) return false;
    const offsetMs = Math.abs(measured) < TOLERATED_MS ? 0 : measured;
    if (Math.abs(offsetMs - this.#offsetMs) >= TOLERATED_MS) {
      this.#log.warn({ offsetMs }, "the clock of this machine differs from that of the database");
    }
    this.#offsetMs = offsetMs;
    return true;
  }
}
