import { parentPort } from "node:worker_threads";

/** The other end of a `SideThread`: what it throws ends the thread. */
export function serveSideThread<Ask, Reply>(answer: (ask: Ask) => Reply): void {
  parentPort?.on("message", (ask: Ask) => parentPort?.postMessage(answer(ask)));
}
