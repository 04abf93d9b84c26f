import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import type { TaskKind } from "#src/scheduler/public.ts";
import { IMPORT_HINT } from "../files/file.signal.ts";
import { countImports, type ImportCounts, listOpenImports } from "./waiting.repository.ts";

const LOOK_MS_MIN = 100;
const LOOK_MS_MAX = 2_000;

export type WaitingImports = { readonly summary: string; readonly counts: ImportCounts };

/** Waits for the files of the tenant, so that their end is in the history of the task. */
export const importTask: TaskKind = {
  kind: "import",
  waits: true,
  async run({ context, signal, progress, noteProgress }) {
    // After a crash, the run is still about the files that waited when it began.
    const noted = fileIdsIn(progress);
    const fileIds = noted ?? (await listOpenImports(context));
    if (noted === undefined) await noteProgress({ fileIds });
    return await importWaiting(context, signal, fileIds);
  },
};

function fileIdsIn(progress: unknown): string[] | undefined {
  if (typeof progress !== "object" || progress === null || !("fileIds" in progress)) {
    return undefined;
  }
  const { fileIds } = progress;
  if (!Array.isArray(fileIds)) return undefined;
  return fileIds.filter((id) => typeof id === "string");
}

/**
 * Has these files imported, or all that wait now, and returns when the last of them has ended. The work is done by the
 * engines of all processes, each file in its turn; nothing is lost if this ends early.
 */
export async function importWaiting(
  context: TenantContext,
  signal: AbortSignal,
  known?: readonly string[],
): Promise<WaitingImports> {
  const fileIds = known ?? (await listOpenImports(context));
  if (fileIds.length > 0) {
    await context.transaction(async (tx) => tx.hint(IMPORT_HINT, tx.tenantId));
  }
  for (let pauseMs = LOOK_MS_MIN; ; pauseMs = Math.min(LOOK_MS_MAX, pauseMs * 2)) {
    const { open, ...counts } = await countImports(context, fileIds);
    if (open === 0) return { summary: summaryOf(counts), counts };
    await sleep(pauseMs, undefined, { signal });
  }
}

function summaryOf({ files, rows, failed, errors }: ImportCounts): string {
  if (files === 0) return "No file waited.";
  const imported = `${files} ${files === 1 ? "file" : "files"} with ${rows} rows imported`;
  const bad = [
    ...(failed === 0 ? [] : [`${failed} rows failed`]),
    ...(errors === 0 ? [] : [`${errors} could not be read to the end`]),
  ];
  return bad.length === 0 ? `${imported}.` : `${imported}: ${bad.join(", ")}.`;
}
