import { RecentMap } from "#kernel/recent-map.ts";
import { addressGroup } from "#src/access/public.ts";

/** People mistype a password some times; so many are guesses. */
export const FAILURES_MAX = 15;
const MINUTE_MS = 60_000;
const MEMORY_MS = 30 * MINUTE_MS;
const BAN_MS = 30 * MINUTE_MS;
/** Each further ban is longer by half of the first, up to this. */
const BAN_MS_MAX = 24 * 60 * MINUTE_MS;
const ADDRESSES_MAX = 20_000;

type Record = {
  failures: number;
  /** The time of the first of these failures. */
  since: number;
  bans: number;
  bannedUntil: number;
};

/**
 * Keeps out addresses that guess passwords. An unknown user counts as much as a wrong password:
 * otherwise the ban would tell which tenants there are.
 */
export class Defender {
  readonly #records = new RecentMap<Record>(ADDRESSES_MAX);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  isBanned(address: string): boolean {
    return (this.#records.get(addressGroup(address))?.bannedUntil ?? 0) > this.#now();
  }

  /** Counts a failure. Returns the end of the ban that it began, if it did. */
  fail(address: string): number | undefined {
    const now = this.#now();
    const record = this.#recordOf(addressGroup(address));
    if (now - record.since > MEMORY_MS) Object.assign(record, { failures: 0, since: now });
    record.failures += 1;
    if (record.failures < FAILURES_MAX || record.bannedUntil > now) return undefined;
    const until = now + Math.min(BAN_MS_MAX, BAN_MS * (1 + record.bans / 2));
    this.#ban(record, until);
    return until;
  }

  /** For failures before a success of the same client, such as keys that it tried before. */
  takeBack(address: string, count: number): void {
    const record = this.#recordOf(addressGroup(address));
    record.failures = Math.max(0, record.failures - count);
  }

  /** A ban that another node began. */
  ban(address: string, until: number): void {
    const record = this.#recordOf(addressGroup(address));
    if (record.bannedUntil < until) this.#ban(record, until);
  }

  #ban(record: Record, until: number): void {
    Object.assign(record, { bannedUntil: until, bans: record.bans + 1, failures: 0, since: until });
  }

  #recordOf(group: string): Record {
    const known = this.#records.get(group);
    if (known !== undefined) return known;
    const record = { failures: 0, since: this.#now(), bans: 0, bannedUntil: 0 };
    this.#records.set(group, record);
    return record;
  }
}
