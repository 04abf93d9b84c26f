// Two tabs of this page share what the browser keeps: some work is for one of them at a time.

/** Leaves the work to the tab that is at it already. */
export function exclusively(name, work) {
  if (navigator.locks === undefined) return work();
  return navigator.locks.request(name, { ifAvailable: true }, (lock) =>
    lock === null ? undefined : work(),
  );
}

/** Whether a tab is at such work, as far as can be known. */
export async function isAtWork(name) {
  if (navigator.locks === undefined) return true;
  const { held } = await navigator.locks.query();
  return held.some((lock) => lock.name === name);
}
