/** A signal that is aborted after a job has looked at it so many times. */
export function abortAfter(looks: number): AbortSignal {
  let left = looks;
  return Object.defineProperty(new AbortController().signal, "aborted", {
    get() {
      left -= 1;
      return left < 0;
    },
  });
}
