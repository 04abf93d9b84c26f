import { examine } from "./examination.ts";

/** Runs in a process of its own, which may be killed at any moment: see render-sandbox.ts. */

process.once("message", (files: ReadonlyMap<string, Uint8Array>) => {
  const paths = [...files.keys()];
  const set = new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  process.send?.(examine(set, (path) => process.send?.(paths.indexOf(path))));
});
process.send?.("ready");
