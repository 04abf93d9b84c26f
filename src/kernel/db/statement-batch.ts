import type { Client, Query as PgQuery } from "pg";
import type { Statement } from "./sql.ts";
import {
  type Column,
  columnsOf,
  type Field,
  knownColumnsOf,
  noteColumns,
  type Row,
  readRow,
  type WireConnection,
} from "./wire.ts";

/** What the last statement of a batch gave. */
export type BatchResult = {
  readonly rows: Row[];
  /** Rows it touched, or returned. */
  readonly count: number;
  /** `INSERT`, `COMMIT` … */
  readonly command: string;
};

type Callback = (error: Error | null, result?: BatchResult) => void;

/**
 * Runs statements one after the other, sent in one message and answered in one: the first that fails
 * keeps those behind it from running, and fails the batch.
 */
export function runBatch(client: Client, statements: readonly Statement[]): Promise<BatchResult> {
  return new Promise((resolve, reject) => {
    const query = new StatementBatch(statements, (error, result) => {
      if (error !== null || result === undefined) reject(error);
      else resolve(result);
    });
    client.query(query as unknown as PgQuery);
  }).catch((error: unknown) => {
    // Else the trace would lead to the socket and not to whoever asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }) as Promise<BatchResult>;
}

/** Takes the place of pg's own query, as `TenantQuery` does for reads. */
class StatementBatch {
  /** pg notes which names it has parsed by this; here there are several. */
  readonly name = "";
  readonly callback: Callback;
  readonly #statements: readonly Statement[];
  #connection: WireConnection | undefined;
  /** Those that the server has yet to say it has parsed, in order. */
  #parsing: Statement[] = [];
  #at = 0;
  #columns: readonly Column[] | undefined;
  #rows: Row[] = [];
  #tag = "";
  #failure: Error | undefined;

  constructor(statements: readonly Statement[], callback: Callback) {
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
    if (!this.#isLast() || this.#failure !== undefined) return;
    try {
      this.#rows.push(readRow(this.#columns ?? [], fields));
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

/** `INSERT 0 1`, `UPDATE 5`, `COMMIT`. */
function readTag(tag: string): { command: string; count: number } {
  const words = tag.split(" ");
  return { command: words[0] ?? "", count: Number(words.at(-1)) || 0 };
}
