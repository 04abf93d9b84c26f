import type { TenantContext } from "#kernel/context.ts";
import type { ImportFile } from "../files/file.schema.ts";
import { readFileChunks } from "../files/file.service.ts";
import { createMapper } from "../mapping/mapper.ts";
import type { Mapper, MappingGround, RefusedRow, RowWish } from "../mapping/row-wish.ts";
import { readRows } from "../rows/read-rows.ts";
import type { SourceRow } from "../rows/source-row.ts";

/** What one row asks for, or why it asks for nothing. */
export type ReadRow = RowWish | RefusedRow;

export type RowBatch = {
  readonly rows: readonly ReadRow[];
  /** How many bytes of the file were read by then. */
  readonly bytesDone: number;
};

/**
 * A batch ends when so much of the file was read for it, and with the row that is begun then: 200 rows
 * of a megabyte would take all the memory there is.
 */
const BATCH_BYTES = 2 * 1024 * 1024;
/** So exactly the progress of an import is known. */
const PIECE_BYTES = 16 * 1024;

/**
 * The rows of a file that are not done yet, a batch at a time. While a batch is written, the next one
 * is read already. Rows that are done are read again and passed over.
 */
export class RowSource {
  readonly #rows: AsyncGenerator<readonly SourceRow[]>;
  #ground: MappingGround;
  #mapper: Mapper;
  #done: number;
  #bytesRead = 0;
  /** Rows that were read and belong to the next batch. */
  #left: readonly SourceRow[] = [];
  #ahead: Promise<RowBatch | undefined> | undefined;
  /** Why the file cannot be read any further; thrown when the rows before that place are given. */
  #problem: { readonly error: unknown } | undefined;

  constructor(context: TenantContext, file: ImportFile, ground: MappingGround) {
    this.#done = file.rows;
    this.#ground = ground;
    this.#mapper = createMapper(ground);
    const { delimiter } = ground.mapping;
    const bytes = this.#count(readFileChunks(context, file));
    const checkHeader: Mapper["checkHeader"] = (header) => this.#mapper.checkHeader(header);
    this.#rows = readRows(bytes, { fileName: file.name, delimiter, checkHeader });
  }

  /** From now on rows mean what they mean by this configuration. */
  follow(ground: MappingGround): void {
    if (ground.mapping === this.#ground.mapping && ground.types === this.#ground.types) return;
    this.#ground = ground;
    this.#mapper = createMapper(ground);
  }

  /** Undefined after the last row. Throws `UnreadableFile` after the last row that can be read. */
  async next(countMax: number): Promise<RowBatch | undefined> {
    const batch = await (this.#ahead ?? this.#read(countMax));
    this.#ahead = undefined;
    return batch;
  }

  /** Begins to read the next batch. */
  readAhead(countMax: number): void {
    this.#ahead ??= this.#read(countMax);
    // Whoever asks for the batch gets the failure.
    this.#ahead.catch(() => undefined);
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    await this.#ahead?.catch(() => undefined);
    await this.#rows.return(undefined).catch(() => undefined);
  }

  async #read(countMax: number): Promise<RowBatch | undefined> {
    const rows: ReadRow[] = [];
    let end = Number.POSITIVE_INFINITY;
    try {
      while (rows.length < countMax && this.#bytesRead < end && (await this.#fill())) {
        // Counted from the first row on: those before it are done, and were passed over.
        if (rows.length === 0) end = this.#bytesRead + BATCH_BYTES;
        this.#take(rows, countMax);
      }
    } catch (error) {
      this.#problem = { error };
    }
    if (rows.length > 0) return { rows, bytesDone: this.#bytesRead };
    if (this.#problem !== undefined) throw this.#problem.error;
    return undefined;
  }

  /** False at the end of the file, or where it cannot be read any further. */
  async #fill(): Promise<boolean> {
    if (this.#problem !== undefined) return false;
    while (this.#left.length === 0) {
      const { done, value } = await this.#rows.next();
      if (done === true) return false;
      this.#left = value.filter(({ row }) => row > this.#done);
    }
    return true;
  }

  #take(rows: ReadRow[], countMax: number): void {
    const taken = this.#left.slice(0, countMax - rows.length);
    this.#left = this.#left.slice(taken.length);
    for (const row of taken) rows.push(this.#mapper.wish(row));
    this.#done = taken.at(-1)?.row ?? this.#done;
  }

  async *#count(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        this.#bytesRead += piece.length;
        yield piece;
      }
    }
  }
}
