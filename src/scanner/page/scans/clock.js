// The time as the service has it. Clocks of tablets may be wrong by hours, and would then let in
// what has expired.
import { read, write } from "./store.js";

/** The header has whole seconds, and answers take their time: less is no difference. */
const DIFFERENCE_MS_MIN = 30_000;

let offsetMs = 0;

export const now = () => Date.now() + offsetMs;
export const nowText = () => new Date(now()).toISOString();

export async function startClock() {
  offsetMs = (await read("kept", "clock")) ?? 0;
}

/** `date` is the header of an answer. */
export function noteServerTime(date) {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there)) return;
  const difference = there - Date.now();
  const fresh = Math.abs(difference) < DIFFERENCE_MS_MIN ? 0 : difference;
  if (Math.abs(fresh - offsetMs) < DIFFERENCE_MS_MIN) return;
  offsetMs = fresh;
  write("kept", fresh, "clock").catch(() => {});
}
