// Two tabs of this page share what the browser keeps: some work is for one of them at a time.

/** Leaves the work to the tab that is at it already. */
export function exclusively(name, work) {
  if (navigator.locks === undefined) return work();
  return navigator.locks.request(name, { ifAvailable: true }, (lock) =>
    lock === null ? undefined : work(),
  );
}
