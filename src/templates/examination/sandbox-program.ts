import { flushCompileCache } from "node:module";
import { examine, type Texts } from "./examination.ts";
import { loadRules } from "./rules.ts";

/**
 * Runs in a separate process that may be killed at any moment: see sandbox.ts. Its argument has the
 * addresses of the rules of other modules.
 */

const rules = await loadRules(JSON.parse(process.argv[2] ?? ""));

process.on("message", ({ files, ...texts }: Texts) => {
  const paths = [...files.keys()];
  const set = new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  const onFile = (path: string) => process.send?.(paths.indexOf(path));
  process.send?.(examine({ ...texts, files: set }, rules, onFile));
});
process.send?.("ready");
// At once, because a process that is killed keeps nothing: without it every helper would compile all its
// modules again.
flushCompileCache();
