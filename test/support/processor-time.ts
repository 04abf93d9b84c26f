/**
 * Starts a clock of this process's processor time, in milliseconds: unlike the one on the wall it
 * shows the same on a machine that has other things to do.
 */
export function startProcessorClock(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
