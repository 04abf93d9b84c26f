import type { Client, Query as PgQuery } from "pg";
import type { Statement, WireValue } from "./sql.ts";
import { SYSTEM_SCOPE } from "./transaction.ts";
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

const KEEP_TENANT_STATEMENT = "billfold_keep_tenant";
const LEND_TENANT_STATEMENT = "billfold_lend_tenant";
/** Run on each connection as it opens. */
export const PREPARE_SET_TENANT = `
  prepare ${KEEP_TENANT_STATEMENT} (text) as select set_config('app.tenant', $1, false);
  prepare ${LEND_TENANT_STATEMENT} (text) as select set_config('app.tenant', $1, true)
`;

type Callback = (error: Error | null, rows?: Row[]) => void;

/**
 * The tenant a connection was last set to, known only while it is certain: forgotten before it is
 * changed and after any failure, noted when the server has confirmed it.
 */
const keptTenants = new WeakMap<WireConnection, string>();

export function runTenantQuery(
  client: Client,
  tenantId: string,
  statement: Statement,
): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const query = new TenantQuery(tenantId, statement, (error, rows = []) =>
      error === null ? resolve(rows) : reject(error),
    );
    client.query(query as unknown as PgQuery);
  });
}

/**
 * One statement under one tenant, in one message and one round trip: the tenant is set by a statement
 * bound and executed just before, unless the connection served this very tenant last. The scope of
 * all tenants is only ever lent for the one statement, never kept.
 *
 * Takes the place of pg's own query, which asks for the columns anew each time; what both cost
 * stands in docs/adr/0002-row-level-security-in-one-message.md.
 */
class TenantQuery {
  readonly name: string;
  readonly text: string;
  readonly callback: Callback;
  readonly #tenantId: string;
  readonly #values: readonly WireValue[];
  #columns: readonly Column[] | undefined;
  #connection: WireConnection | undefined;
  #tenantIsSet = false;
  #setsTenant = false;
  readonly #rows: Row[] = [];
  #failure: Error | undefined;

  constructor(tenantId: string, { name, text, values }: Statement, callback: Callback) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#tenantId = tenantId;
    this.#values = values;
  }

  submit(connection: WireConnection): null {
    this.#connection = connection;
    this.#columns = knownColumnsOf(connection, this.name);
    connection.stream.cork();
    this.#setTenant(connection);
    this.#parse(connection);
    connection.bind({ statement: this.name, values: this.#values });
    if (this.#columns === undefined) connection.describe({ type: "P" });
    connection.execute();
    connection.sync();
    connection.stream.uncork();
    return null;
  }

  #setTenant(connection: WireConnection): void {
    if (keptTenants.get(connection) === this.#tenantId) {
      this.#tenantIsSet = true;
      return;
    }
    const isLent = this.#tenantId === SYSTEM_SCOPE;
    if (!isLent) {
      keptTenants.delete(connection);
      this.#setsTenant = true;
    }
    const statement = isLent ? LEND_TENANT_STATEMENT : KEEP_TENANT_STATEMENT;
    connection.bind({ statement, values: [this.#tenantId] });
    connection.execute();
  }

  #parse(connection: WireConnection): void {
    const { name, text } = this;
    if (name !== "" && connection.parsedStatements[name] !== undefined) return;
    connection.parse({ name, text });
    if (name !== "") connection.submittedNamedStatements[name] = text;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#columns = columnsOf(fields);
    if (this.#connection !== undefined) noteColumns(this.#connection, this.name, this.#columns);
  }

  /** Where the tenant is set first, the first row and the first completion belong to that. */
  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (!this.#tenantIsSet || this.#failure !== undefined) return;
    try {
      this.#rows.push(readRow(this.#columns ?? [], fields));
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete(): void {
    this.#tenantIsSet = true;
  }

  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    // The server takes back everything since the last Sync, the tenant too.
    if (this.#connection !== undefined) keptTenants.delete(this.#connection);
    this.#setsTenant = false;
    this.callback(error);
  }

  handleReadyForQuery(): void {
    if (this.#setsTenant && this.#connection !== undefined) {
      keptTenants.set(this.#connection, this.#tenantId);
    }
    if (this.#failure === undefined) this.callback(null, this.#rows);
    else this.callback(this.#failure);
  }
}
