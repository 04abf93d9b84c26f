import type { TenantContext } from "#kernel/context.ts";
import * as files from "./file.repository.ts";

/** Some megabytes: a step takes some tens of milliseconds. */
const PARTS_AT_ONCE = 64;
const FILES_AT_ONCE = 100;

/** Deletes the contents of the files that are no longer shown. */
export async function deleteHiddenContents(
  context: TenantContext,
  signal: AbortSignal,
): Promise<void> {
  for (let count = FILES_AT_ONCE; count === FILES_AT_ONCE; ) {
    const ids = await files.listHiddenFiles(context, FILES_AT_ONCE);
    for (const id of ids) {
      await deleteContents(context, id, signal);
      await context.transaction((tx) => files.updateToGone(tx, id));
    }
    count = ids.length;
  }
}

/** Deletes the contents of one file in small steps. */
export async function deleteContents(
  context: TenantContext,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  for (let count = PARTS_AT_ONCE; count === PARTS_AT_ONCE; ) {
    signal.throwIfAborted();
    count = await context.transaction((tx) => files.deleteParts(tx, id, PARTS_AT_ONCE));
  }
}
