/** The same clock in every process of the machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
