import { parentPort } from "node:worker_threads";

/** The code inside the thread of a `SideThread`; an error that `answer` throws ends the thread. */
export function serveSideThread<Ask, Reply>(answer: (ask: Ask) => Reply): void {
  parentPort?.on("message", (ask: Ask) => parentPort?.postMessage(answer(ask)));
}
