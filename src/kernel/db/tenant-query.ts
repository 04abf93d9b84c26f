import type { Client } from "pg";
import { submitOwn, type WireConnection, type WireValue } from "./pg-inside.ts";
import { SYSTEM_SCOPE } from "./scope.ts";
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

const KEEP_TENANT_STATEMENT = "billfold_keep_tenant";
const LEND_TENANT_STATEMENT = "billfold_lend_tenant";
/** SQL that runs on each connection when it opens. */
export const PREPARE_SET_TENANT = `
  prepare ${KEEP_TENANT_STATEMENT} (text) as select set_config('app.tenant', $1, false);
  prepare ${LEND_TENANT_STATEMENT} (text) as select set_config('app.tenant', $1, true)
`;

type Callback = (error: Error | null, rows?: Row[]) => void;

/**
 * The tenant that each connection is set to, kept only while it is certain: an entry is deleted
 * before a change and after any failure, and written when the server has confirmed the change.
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
    submitOwn(client, query);
  });
}

/**
 * One statement under one tenant, in one message and one round trip. A statement that sets the
 * tenant is executed just before it, unless the connection is already set to this tenant. The scope
 * of all tenants is set for the one statement only and never stays on the connection.
 *
 * Replaces pg's own query class, which asks for the columns each time; the measured costs are in
 * docs/adr/0002-row-level-security-in-one-message.md.
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

  /**
   * If the tenant is set first, the first row and the first completion belong to that statement.
   */
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
    // The server undoes everything since the last Sync, including the change of tenant.
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
