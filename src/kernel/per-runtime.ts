import type { Runtime } from "./runtime.ts";

/**
 * State that a module keeps for each running application, such as caches and clients of outside
 * systems. It is created at its first use and ends with its runtime. A test runs several
 * applications in one process, and they must not share this state.
 */
export function perRuntime<State extends object>(
  make: (runtime: Runtime) => State,
): (runtime: Runtime) => State {
  const states = new WeakMap<Runtime, State>();
  return (runtime) => {
    let state = states.get(runtime);
    if (state === undefined) {
      state = make(runtime);
      states.set(runtime, state);
    }
    return state;
  };
}
