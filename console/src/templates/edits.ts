import { useSyncExternalStore } from "react";
import type { FileChanges, FileContent, Files } from "./configuration.ts";
import { isSame } from "./configuration.ts";

/*
 * What was typed and is not saved. It is kept by the page and not by a component: whoever looks at
 * another page of the console and comes back finds it again.
 */

export type Edits = {
  readonly changes: FileChanges;
  /** Increased by every change. */
  readonly revision: number;
};

const NONE: Edits = { changes: {}, revision: 0 };
const byTenant = new Map<string, Edits>();
const listeners = new Set<() => void>();

function set(tenantId: string, changes: FileChanges): void {
  const { revision } = getEdits(tenantId);
  byTenant.set(tenantId, { changes, revision: revision + 1 });
  for (const listener of listeners) listener();
}

export const getEdits = (tenantId: string): Edits => byTenant.get(tenantId) ?? NONE;

/** Null takes the file away. What is the same as the saved file is no change. */
export function editFile(
  tenantId: string,
  saved: Files,
  path: string,
  content: FileContent | null,
): void {
  const { [path]: _, ...others } = getEdits(tenantId).changes;
  const isBack = content === null ? saved[path] === undefined : isSame(saved[path], content);
  set(tenantId, isBack ? others : { ...others, [path]: content });
}

/** Forgets what was saved, but not what was typed since. */
export function forgetEdits(tenantId: string, saved: FileChanges): void {
  const { changes } = getEdits(tenantId);
  const left = Object.entries(changes).filter(
    ([path, content]) => !(path in saved) || saved[path] !== content,
  );
  set(tenantId, Object.fromEntries(left));
}

export const forgetAll = (tenantId: string): void => set(tenantId, {});

export const useEdits = (tenantId: string): Edits =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => getEdits(tenantId),
  );

/** The files as they would be after saving. */
export function withEdits(files: Files, changes: FileChanges): Files {
  const all = Object.entries({ ...files, ...changes }).filter(
    (entry): entry is [string, FileContent] => entry[1] !== null,
  );
  return Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1)));
}

// A browser asks before it closes or reloads a page that listens so.
addEventListener("beforeunload", (event) => {
  const isDirty = [...byTenant.values()].some(({ changes }) => Object.keys(changes).length > 0);
  if (isDirty) event.preventDefault();
});
