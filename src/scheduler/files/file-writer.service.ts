import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { fileTooLarge } from "../executions/execution.failures.ts";
import type { FileLine, RunFile, StillThere } from "../kinds.port.ts";
import * as files from "./file.repository.ts";
import { deleteContents, deleteHiddenContents } from "./file-upkeep.service.ts";

/** However often a task runs, its files take a limited room. */
const FORMER_FILES_MAX = 9;
const SIZE_BYTES_MAX = 1024 * 1024 * 1024;

/** Writes the file of one run, part by part. `context` is that of the run: it needs the claim. */
export function createFileWriter(
  context: TenantContext,
  signal: AbortSignal,
  holder: files.Holder,
): RunFile {
  let [position, sizeBytes] = [0, 0];

  async function add(lines: readonly FileLine[], rows: number, tx: TenantTx): Promise<void> {
    const size = lines.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0);
    if (sizeBytes + size > SIZE_BYTES_MAX) throw fileTooLarge({ sizeBytesMax: SIZE_BYTES_MAX });
    await files.insertPart(tx, holder, { position, lines, rows, sizeBytes: size });
    tx.afterCommit(() => {
      sizeBytes += size;
      position += 1;
    });
  }

  return {
    async beginFile(name, head) {
      [position, sizeBytes] = [0, 0];
      await context.transaction((tx) => files.hideFormerFiles(tx, holder, FORMER_FILES_MAX));
      await deleteHiddenContents(context, signal);
      await deleteContents(context, holder.id, signal);
      await context.transaction(async (tx) => {
        await files.replaceFile(tx, holder, name);
        await add([{ key: "", line: head }], 0, tx);
      });
    },
    async addLines(lines, stillThere) {
      signal.throwIfAborted();
      if (lines.length === 0) return 0;
      return await context.transaction(async (tx) => {
        const left = stillThere === undefined ? lines : await linesLeft(tx, lines, stillThere);
        if (left.length > 0) await add(left, left.length, tx);
        return left.length;
      });
    },
  };
}

/** Without the lines about what has been erased since it was read. */
async function linesLeft(
  tx: TenantTx,
  lines: readonly FileLine[],
  stillThere: StillThere,
): Promise<readonly FileLine[]> {
  await files.lockOutErasures(tx);
  const keys = await stillThere(
    tx,
    lines.map(({ key }) => key),
  );
  return lines.filter(({ key }) => keys.has(key));
}
