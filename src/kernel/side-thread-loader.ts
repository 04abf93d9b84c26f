import { enableCompileCache, flushCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

/** The first module of every `SideThread`, which loads the program of the thread. */

export type SideThreadData = {
  readonly program: string;
  /** Where compiled code is kept; undefined if it is not kept. */
  readonly compileCacheFolder: string | undefined;
};

const { program, compileCacheFolder } = workerData as SideThreadData;
// A thread does not inherit this from its process. Without it, the thread for templates takes 1.1 s of the
// processor to start, and 0.7 s with it.
if (compileCacheFolder !== undefined) enableCompileCache(compileCacheFolder);
await import(program);
// Now, because a process that is killed keeps nothing.
flushCompileCache();
