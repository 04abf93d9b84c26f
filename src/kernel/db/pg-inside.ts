import pg, { type Client, type Query as PgQuery } from "pg";

/*
 * The only file that reaches into parts of `pg` which its types leave out. They are needed because its
 * public way asks the server for the columns of every answer anew and sends each statement in a message
 * of its own: reads take 1.5 times and transactions 3 times as long (ADR 2, ADR 9). The version of `pg`
 * is pinned; `statement-batch.test.ts` and `database.test.ts` fail when a new one changes these parts.
 */

/** The form in which a value is sent. */
export type WireValue = string | Buffer | null;

export type WireConnection = {
  readonly stream: {
    readonly bytesRead: number;
    cork(): void;
    uncork(): void;
    destroy(): void;
  };
  /** Statement texts by name: those that the server has parsed, and those sent to be parsed. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(config: { name: string; text: string }): void;
  bind(config: { statement: string; values: readonly WireValue[] }): void;
  describe(config: { type: "P" }): void;
  execute(): void;
  sync(): void;
  on(event: "parseComplete", listener: () => void): void;
  off(event: "parseComplete", listener: () => void): void;
};

export type ClientInside = {
  readonly connection: WireConnection;
  /** False while the server owes an answer. */
  readonly readyForQuery?: boolean;
};

export function insideOf(client: Client): ClientInside {
  return client as unknown as ClientInside;
}

/**
 * A query class of our own: the client calls `submit` when its turn comes, and passes the answers
 * to it.
 */
export type OwnQuery = { submit(connection: WireConnection): null };

export function submitOwn(client: Client, query: OwnQuery): void {
  client.query(query as unknown as PgQuery);
}

const { utils } = pg as unknown as { utils: { prepareValue(value: unknown): WireValue } };

/**
 * Turns a value into the form in which it is sent. `pg` itself does this only after it has sent a
 * statement to be parsed. If the conversion fails then (a bigint inside an object), `pg` remembers
 * a statement name that the server does not know. So the conversion is done first, before `pg`
 * hears of the statement.
 */
export const prepareValue = utils.prepareValue;
