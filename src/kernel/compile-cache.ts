import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * The folder in which this process keeps compiled code, for threads and processes that it starts; undefined
 * if it keeps none. Node keeps the code of each version in a folder of its own in it, and names that one.
 */
export function compileCacheFolder(): string | undefined {
  const ofVersion = getCompileCacheDir();
  return ofVersion === undefined ? undefined : dirname(ofVersion);
}
