import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { StillThere } from "../kinds.port.ts";
import { deleteLinesOf } from "./file.repository.ts";
import * as files from "./file-check.repository.ts";

const FILES_AT_ONCE = 100;
/** Some thousand lines: erasures of the same file wait for some milliseconds. */
const PARTS_AT_ONCE = 5;

/**
 * Deletes the lines about erased subjects from files of before this release, in which erasures at the
 * same time left them. A file has its turn once, and files are kept for a week.
 */
export async function checkFiles(
  context: SystemContext,
  kind: string,
  stillThere: StillThere,
  signal: AbortSignal,
): Promise<void> {
  for (let after = files.FIRST_FILE; ; ) {
    const unchecked = await files.listUncheckedFiles(context, kind, after, FILES_AT_ONCE);
    for (const file of unchecked) {
      if (signal.aborted) return;
      await checkOrGoOn(context, file, stillThere, signal);
    }
    const last = unchecked.at(-1);
    if (last === undefined || unchecked.length < FILES_AT_ONCE) return;
    after = last;
  }
}

/** What fails for one file must not keep the lines in all others; the next run tries it again. */
async function checkOrGoOn(
  context: SystemContext,
  { tenantId, id }: files.UncheckedFile,
  stillThere: StillThere,
  signal: AbortSignal,
): Promise<void> {
  const { log } = context;
  try {
    const count = await runInTenant(context, tenantId, (tenant) =>
      checkFile(tenant, id, stillThere, signal),
    );
    if (count === undefined) return;
    log.info(
      { tenantId, executionId: id, count },
      "a file has no lines of erased subjects any more",
    );
  } catch (error) {
    log.error({ err: error, tenantId, executionId: id }, "the lines of a file were not checked");
  }
}

/** Returns the number of deleted lines; undefined if it was interrupted. */
async function checkFile(
  context: TenantContext,
  id: string,
  stillThere: StillThere,
  signal: AbortSignal,
): Promise<number | undefined> {
  let total = 0;
  for (let after = -1; ; ) {
    if (signal.aborted) return undefined;
    const { count, last } = await context.transaction(async (tx) => {
      const parts = await files.lockPartsAfter(tx, id, after, PARTS_AT_ONCE);
      // The head of a file is about nobody.
      const keys = parts.flatMap((part) => part.keys.filter((key) => key !== ""));
      const there = await stillThere(tx, keys);
      const gone = keys.filter((key) => !there.has(key));
      if (gone.length > 0) await deleteLinesOf(tx, parts, gone);
      const isLast = parts.length < PARTS_AT_ONCE;
      if (isLast) await files.updateToChecked(tx, id);
      return { count: gone.length, last: isLast ? undefined : parts.at(-1)?.position };
    });
    total += count;
    if (last === undefined) return total;
    after = last;
  }
}
