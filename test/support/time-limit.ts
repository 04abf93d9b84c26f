/*
 * Loaded into the process of every test file. The runner waits for a process for ever; a test that fails
 * may leave a server running in it, which would keep the whole suite from ending.
 */

/** Processes that several files share are named by `test/run.ts`. */
const isShared = process.argv[1]?.endsWith(".test.mjs") === true;
/**
 * Four minutes for the tests of one file: twice what the longest of them takes where four processes
 * share two slow cores.
 */
const LIMIT_SECONDS = isShared ? 480 : 240;

const timer = setTimeout(() => {
  const still = process.getActiveResourcesInfo().join(", ");
  const told = `${process.argv[1]} still runs after ${LIMIT_SECONDS} seconds: ${still}\n`;
  process.stderr.write(told);
  process.exit(1);
}, LIMIT_SECONDS * 1_000);
timer.unref();
