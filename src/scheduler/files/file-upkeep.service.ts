import type { TenantContext } from "#kernel/context.ts";
import * as files from "./file.repository.ts";

/** Some megabytes: a step takes some tens of milliseconds. */
const PARTS_AT_ONCE = 64;

/** Deletes the contents of the files that are no longer shown. */
export async function deleteHiddenContents(
  context: TenantContext,
  signal: AbortSignal,
): Promise<void> {
  do signal.throwIfAborted();
  while (await deleteHiddenParts(context));
}

/** Deletes some parts of one file that is no longer shown. False if there is no such file. */
export async function deleteHiddenParts(context: TenantContext): Promise<boolean> {
  const id = await files.findHiddenFile(context);
  if (id === undefined) return false;
  const count = await context.transaction((tx) => files.deleteParts(tx, id, PARTS_AT_ONCE));
  if (count < PARTS_AT_ONCE) await context.transaction((tx) => files.updateToGone(tx, id));
  return true;
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
