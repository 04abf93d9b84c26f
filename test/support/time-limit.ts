/*
 * Loaded into the process of every test file. The runner waits for a process for ever; a test that fails
 * may leave a server running in it, which would keep the whole suite from ending.
 */

const LIMIT_MINUTES = 8;

const timer = setTimeout(() => {
  const still = process.getActiveResourcesInfo().join(", ");
  const told = `${process.argv[1]} still runs after ${LIMIT_MINUTES} minutes: ${still}\n`;
  process.stderr.write(told);
  process.exit(1);
}, LIMIT_MINUTES * 60_000);
timer.unref();
