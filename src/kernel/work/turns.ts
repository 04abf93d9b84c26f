/** How long a group rests after a failed turn; the time doubles with each further failure. */
const REST_MS_MIN = 100;
const REST_MS_MAX = 1_000;

type Failed = { readonly count: number; readonly restsUntil: number };

/**
 * Decides which group is served next. Groups take turns, so a group with a million rows does not
 * delay the others. A group never has two turns at once. A group that is woken during its turn gets
 * another turn, because the present one may have been too early for the reason. The caller provides
 * the time.
 */
export class Turns {
  readonly #atOnceMax: number;
  /** Waiting groups, in the order of their turns. */
  readonly #waiting = new Set<string>();
  readonly #served = new Set<string>();
  readonly #wokenAgain = new Set<string>();
  /** The times at which groups have work without being woken. */
  readonly #dueAt = new Map<string, number>();
  readonly #failed = new Map<string, Failed>();

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** Whether a waiting group can have a turn now. */
  get hasNext(): boolean {
    return this.#waiting.size > 0 && this.#served.size < this.#atOnceMax;
  }

  /** Notes that the group may have work. A group that rests gets its turn after the rest. */
  wake(group: string): void {
    if (this.#served.has(group)) this.#wokenAgain.add(group);
    else if (!this.#isResting(group)) this.#waiting.add(group);
  }

  /** Starts the turn of the group that has waited longest. */
  next(): string | undefined {
    if (!this.hasNext) return undefined;
    const [group] = this.#waiting;
    if (group === undefined) return undefined;
    this.#waiting.delete(group);
    this.#served.add(group);
    return group;
  }

  /** Ends a successful turn. The group is woken at `dueAt`, unless it is woken earlier. */
  end(group: string, hasMore: boolean, dueAt = Number.POSITIVE_INFINITY): void {
    this.#served.delete(group);
    this.#failed.delete(group);
    if (dueAt === Number.POSITIVE_INFINITY) this.#dueAt.delete(group);
    else this.#dueAt.set(group, dueAt);
    const isWoken = this.#wokenAgain.delete(group);
    if (hasMore || isWoken) this.#waiting.add(group);
  }

  /** Ends a failed turn: the group gets another one after a rest. */
  fail(group: string, now: number): void {
    this.#served.delete(group);
    this.#wokenAgain.delete(group);
    const count = (this.#failed.get(group)?.count ?? 0) + 1;
    const restMs = Math.min(REST_MS_MAX, REST_MS_MIN * 2 ** (count - 1));
    this.#failed.set(group, { count, restsUntil: now + restMs });
  }

  /** The next time at which a group must be woken. */
  get nextTimeAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const at of this.#dueAt.values()) next = Math.min(next, at);
    for (const { restsUntil } of this.#failed.values()) next = Math.min(next, restsUntil);
    return next;
  }

  /** Wakes the groups whose time has come. */
  noteTime(now: number): void {
    for (const [group, { count, restsUntil }] of this.#failed) {
      if (restsUntil > now) continue;
      this.#failed.set(group, { count, restsUntil: Number.POSITIVE_INFINITY });
      this.#waiting.add(group);
    }
    for (const [group, at] of this.#dueAt) {
      if (at > now) continue;
      this.#dueAt.delete(group);
      this.wake(group);
    }
  }

  #isResting(group: string): boolean {
    const failed = this.#failed.get(group);
    return failed !== undefined && failed.restsUntil !== Number.POSITIVE_INFINITY;
  }
}
