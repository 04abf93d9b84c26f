type Wishes = {
  readonly firstSeconds: number;
  /** No wait is longer than this. */
  readonly longestSeconds: number;
  /** All waits together are not longer than this. */
  readonly totalSeconds: number;
};

/** Waits before retries, each twice as long as the one before it. */
export function doublingDelays({ firstSeconds, longestSeconds, totalSeconds }: Wishes): number[] {
  const delays: number[] = [];
  let total = 0;
  for (let wait = firstSeconds; total + wait <= totalSeconds; ) {
    delays.push(wait);
    total += wait;
    wait = Math.min(wait * 2, longestSeconds);
  }
  return delays;
}
