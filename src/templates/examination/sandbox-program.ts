import { examine, type Texts } from "./examination.ts";
import { loadRules } from "./rules.ts";

/**
 * Runs in a process of its own, which may be killed at any moment: see sandbox.ts. Its argument says
 * where to find the rules of other modules.
 */

const rules = await loadRules(JSON.parse(process.argv[2] ?? ""));

process.on("message", ({ files, tenant }: Texts) => {
  const paths = [...files.keys()];
  const set = new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  const onFile = (path: string) => process.send?.(paths.indexOf(path));
  process.send?.(examine({ files: set, tenant }, rules, onFile));
});
process.send?.("ready");
