import asyncHooks, { type AsyncHook } from "node:async_hooks";

/*
 * Loaded into the process of every test file, before Node's test runner. The runner follows every promise
 * and every callback, to know to which suite a test belongs that is registered, and to which test an
 * error that nobody caught. The first is needed while a file is loaded. The second takes a tenth of the
 * processor time of all tests; without it, such an error fails the whole process instead of its test.
 */

let hookOfRunner: AsyncHook | undefined;

const { createHook } = asyncHooks;
// The runner takes this function when it is loaded, and calls it once, at the first test.
Object.assign(asyncHooks, {
  createHook(...callbacks: Parameters<typeof createHook>): AsyncHook {
    Object.assign(asyncHooks, { createHook });
    hookOfRunner = createHook(...callbacks);
    return hookOfRunner;
  },
});

export function beginTracking(): void {
  hookOfRunner?.enable();
}

/** Loads a file, whose tests are known from then on. */
export async function register(load: () => Promise<unknown>): Promise<void> {
  try {
    await load();
  } finally {
    hookOfRunner?.disable();
  }
}
