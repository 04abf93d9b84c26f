import type { Client } from "pg";
import { submitOwn, type WireConnection } from "./pg-inside.ts";
import type { Statement } from "./sql.ts";
import {
  type Column,
  columnsOf,
  type Field,
  knownColumnsOf,
  noteColumns,
  type Row,
  readRow,
} from "./wire.ts";

/** The result of the last statement of a batch. */
export type BatchResult = {
  readonly rows: Row[];
  /** The number of rows that the statement changed or returned. */
  readonly count: number;
  /** The SQL command, such as `INSERT` or `COMMIT`. */
  readonly command: string;
};

/** A statement that is not the last of its batch may take its rows as they come. */
export type BatchStatement = Statement & { readonly onRow?: (row: Row) => void };

type Callback = (error: Error | null, result?: BatchResult) => void;

/**
 * Runs statements one after the other, sent in one message and answered in one. When a statement
 * fails, the statements after it do not run, and the batch fails.
 */
export function runBatch(
  client: Client,
  statements: readonly BatchStatement[],
): Promise<BatchResult> {
  return new Promise((resolve, reject) => {
    const query = new StatementBatch(statements, (error, result) => {
      if (error !== null || result === undefined) reject(error);
      else resolve(result);
    });
    submitOwn(client, query);
  }).catch((error: unknown) => {
    // Otherwise the stack trace would point to the socket and not to the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }) as Promise<BatchResult>;
}

/** Replaces pg's own query class, as `TenantQuery` does for reads. */
class StatementBatch {
  /**
   * pg would use this name to note what was parsed; a batch has several names and notes them
   * itself.
   */
  readonly name = "";
  readonly callback: Callback;
  readonly #statements: readonly BatchStatement[];
  #connection: WireConnection | undefined;
  /** Statements that were sent to be parsed and are not confirmed yet, in order. */
  #parsing: Statement[] = [];
  #at = 0;
  #columns: readonly Column[] | undefined;
  #rows: Row[] = [];
  #tag = "";
  #failure: Error | undefined;

  constructor(statements: readonly BatchStatement[], callback: Callback) {
    this.#statements = statements;
    this.callback = callback;
  }

  submit(connection: WireConnection): null {
    this.#connection = connection;
    connection.stream.cork();
    for (const statement of this.#statements) this.#sendOne(connection, statement);
    connection.sync();
    if (this.#parsing.length > 0) connection.on("parseComplete", this.#noteParsed);
    connection.stream.uncork();
    this.#columns = this.#known();
    return null;
  }

  #sendOne(connection: WireConnection, statement: Statement): void {
    const { name, text, values } = statement;
    const isParsed =
      name !== "" &&
      (connection.parsedStatements[name] !== undefined ||
        this.#parsing.some((other) => other.name === name));
    if (!isParsed) {
      connection.parse({ name, text });
      this.#parsing.push(statement);
    }
    connection.bind({ statement: name, values });
    if (knownColumnsOf(connection, name) === undefined) connection.describe({ type: "P" });
    connection.execute();
  }

  readonly #noteParsed = () => {
    const statement = this.#parsing.shift();
    if (statement === undefined || statement.name === "" || this.#connection === undefined) return;
    this.#connection.parsedStatements[statement.name] = statement.text;
  };

  #known(): readonly Column[] | undefined {
    const statement = this.#statements[this.#at];
    if (this.#connection === undefined || statement === undefined) return undefined;
    return knownColumnsOf(this.#connection, statement.name);
  }

  #isLast(): boolean {
    return this.#at === this.#statements.length - 1;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#columns = columnsOf(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const onRow = this.#statements[this.#at]?.onRow;
    if (this.#failure !== undefined || (onRow === undefined && !this.#isLast())) return;
    try {
      const row = readRow(this.#columns ?? [], fields);
      onRow?.(row);
      if (this.#isLast()) this.#rows.push(row);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const statement = this.#statements[this.#at];
    if (statement !== undefined && this.#connection !== undefined && this.#known() === undefined) {
      noteColumns(this.#connection, statement.name, this.#columns ?? []);
    }
    this.#tag = text;
    this.#at += 1;
    this.#columns = this.#known();
  }

  handleEmptyQuery(): void {
    this.#at += 1;
  }

  handleError(error: Error): void {
    this.#connection?.off("parseComplete", this.#noteParsed);
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.#connection?.off("parseComplete", this.#noteParsed);
    if (this.#failure !== undefined) this.callback(this.#failure);
    else this.callback(null, { rows: this.#rows, ...readTag(this.#tag) });
  }
}

/** Reads a tag such as `INSERT 0 1`, `UPDATE 5` or `COMMIT`. */
function readTag(tag: string): { command: string; count: number } {
  const words = tag.split(" ");
  return { command: words[0] ?? "", count: Number(words.at(-1)) || 0 };
}
