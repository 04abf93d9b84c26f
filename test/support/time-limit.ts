import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { addLateEnd } from "./test-results.ts";

/*
 * Loaded into the process of every test file. The runner waits for a process for ever; a test that fails
 * may leave a server running in it, which would keep the whole suite from ending.
 */

/** Processes that several files share are named by `test-processes.ts`, and give each file its own limit. */
const isShared = process.argv[1]?.endsWith("-shared.test.mjs") === true;
/**
 * Ten minutes for the tests of one file: three times what the longest of them takes where four
 * processes share two slow cores.
 */
const LIMIT_SECONDS = isShared ? 7_200 : 600;
/** For what still runs when the last test has ended. A durable server takes its time to drop databases. */
const END_SECONDS = 180;

function endAfter(seconds: number): void {
  const timer = setTimeout(() => {
    const still = process.getActiveResourcesInfo().join(", ");
    const text = `${process.argv[1]} still runs after ${seconds} seconds: ${still}\n`;
    process.stderr.write(text);
    addLateEnd(text);
    process.exit(1);
  }, seconds * 1_000);
  timer.unref();
}

endAfter(LIMIT_SECONDS);

/** A process without another test has nothing left to wait for. */
export function endSoon(): void {
  endAfter(END_SECONDS);
}

/**
 * Products that a test started would outlive a process that ends before the test has stopped them, and
 * would take the processor from all tests that follow. Linux alone says who they are.
 */
function endChildren(): void {
  for (const pid of childrenOf(process.pid)) {
    for (const target of [-pid, pid]) {
      try {
        process.kill(target, "SIGKILL");
      } catch {
        // It has ended, or leads no group.
      }
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

// Threads of a test load this file too, and their end is not the end of the process.
if (isMainThread) {
  process.on("exit", endChildren);
  // So the runner ends a process that took too long.
  process.once("SIGTERM", () => process.exit(143));
}
