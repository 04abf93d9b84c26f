const CALLERS = 50;
const ROUND_MS = 2_000;

/** How often per second something asynchronous gets done when many callers, or so many, do it at once. */
export async function timesPerSecond(
  work: () => Promise<unknown>,
  callers = CALLERS,
): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  const call = async () => {
    while (performance.now() - startedAt < ROUND_MS) {
      await work();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return count / ((performance.now() - startedAt) / 1_000);
}
