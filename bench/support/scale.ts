const { BENCH_SCALE = "1" } = process.env;

/** `BENCH_SCALE=0.05`: a quick look at whether the lines run; figures of so little say nothing. */
const SCALE = Number(BENCH_SCALE);
if (!(SCALE > 0 && SCALE <= 1)) throw new Error("BENCH_SCALE must be above 0, and 1 at most.");

/** As many as asked for, or that share of them, but at least `least`. */
export function scaled(count: number, least = 1): number {
  return Math.min(count, Math.max(least, Math.round(count * SCALE)));
}
