import type { FileChange } from "./configuration.schema.ts";

type Hashes = ReadonlyMap<string, Buffer>;

/** Sorted by path. Files that did not change are left out. */
export function diffFiles(before: Hashes, after: Hashes): FileChange[] {
  const changes: FileChange[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, current] = [before.get(path), after.get(path)];
    if (old === undefined) changes.push({ path, change: "added" });
    else if (current === undefined) changes.push({ path, change: "removed" });
    else if (!old.equals(current)) changes.push({ path, change: "changed" });
  }
  return changes;
}
