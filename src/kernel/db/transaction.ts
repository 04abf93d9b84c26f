import type { Client } from "pg";
import type { AuditEntry } from "../audit.ts";
import type { Actor } from "../context.ts";
import type { EventDefinition, EventPayload, PendingEvent } from "../events/define.ts";
import { newId } from "../ids.ts";
import type { EnqueueOptions, JobDefinition, JobPayload, PendingJob } from "../jobs/define.ts";
import { compileSql, type Sql, type Statement, sql } from "./sql.ts";
import { type BatchResult, runBatch } from "./statement-batch.ts";

/** The tenant id that means "the machinery itself": no tenant can be called so. */
export const SYSTEM_SCOPE = "*";

const BEGIN: Statement = { name: "billfold_begin", text: "begin", values: [] };
const COMMIT: Statement = { name: "billfold_commit", text: "commit", values: [] };

/** How many statements stand ahead of the first. */
const UNOPENED = 2;

const TENANT_ID_SHAPE = /^[a-z0-9][a-z0-9-]{1,62}$/;

/** Never true of `SYSTEM_SCOPE`: nobody enters the machinery's scope by naming it. */
export function isTenantId(text: string): boolean {
  return TENANT_ID_SHAPE.test(text);
}

export type TransactionOrigin = {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly op: string;
  readonly ip: string;
};

/**
 * The only handle a repository accepts. It is born with its tenant, and row-level security holds
 * every statement to that tenant even where a `where` was forgotten.
 *
 * Events, jobs and audit rows are collected and written just before the commit: they exist if, and
 * only if, the change does.
 *
 * Statements that nobody waits for, `begin` first of all, travel with the next one that somebody
 * does: what a write costs is mostly its messages.
 */
export class TenantTx {
  readonly tenantId: string;
  readonly origin: TransactionOrigin;
  /** The same instant for every row this transaction writes. */
  readonly now: Date;
  readonly pendingEvents: PendingEvent[] = [];
  readonly pendingJobs: PendingJob[] = [];
  readonly pendingAudit: AuditEntry[] = [];
  readonly pendingSignals: { channel: string; payload: string }[] = [];
  readonly pendingHints: { channel: string; payload: string }[] = [];
  readonly afterCommitHooks: (() => void)[] = [];
  readonly #client: Client;
  #ahead: Statement[];
  #isOpen = false;

  constructor(client: Client, origin: TransactionOrigin, now: Date) {
    this.#client = client;
    this.tenantId = origin.tenantId;
    this.origin = origin;
    this.now = now;
    const setTenant = sql`select set_config('app.tenant', ${origin.tenantId}, true)`;
    this.#ahead = [BEGIN, compileSql(setTenant)];
  }

  /** The database has heard of it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  async many<Row>(statement: Sql<Row>): Promise<Row[]> {
    const { rows } = await this.#send(compileSql(statement));
    return rows as Row[];
  }

  /**
   * For a statement of which nothing needs to be known: sent ahead of the next one, or of the commit,
   * in the same message. Should it fail, so does the one it travels with.
   */
  defer(statement: Sql): void {
    this.#ahead.push(compileSql(statement));
  }

  /** Everything the transaction did is undone when this throws. */
  async commit(): Promise<void> {
    if (!this.#isOpen && this.#ahead.length === UNOPENED) return;
    const { command } = await this.#send(COMMIT);
    // A statement failed and its failure was swallowed: the server undid everything.
    if (command !== "COMMIT") throw new Error("A transaction with a failed statement committed.");
  }

  #send(statement: Statement): Promise<BatchResult> {
    const batch = [...this.#ahead, statement];
    this.#ahead = [];
    this.#isOpen = true;
    return runBatch(this.#client, batch);
  }

  async maybeOne<Row>(statement: Sql<Row>): Promise<Row | undefined> {
    const rows = await this.many(statement);
    return rows[0];
  }

  /** For statements that always give a row, such as `insert … returning`. */
  async one<Row>(statement: Sql<Row>): Promise<Row> {
    const row = await this.maybeOne(statement);
    if (row === undefined) throw new Error("A statement that must give a row gave none.");
    return row;
  }

  /** How many rows the statement touched. */
  async run(statement: Sql): Promise<number> {
    const { count } = await this.#send(compileSql(statement));
    return count;
  }

  /** For libraries that bring their own SQL and take part in this transaction. */
  async runText(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    // It may be several statements, which pg sends in a way of their own.
    const [last, ...rest] = this.#ahead.reverse();
    this.#ahead = rest.reverse();
    if (last !== undefined) await this.#send(last);
    return await this.#client.query(text, values);
  }

  /** The id that the event will have. */
  emit<Definition extends EventDefinition>(
    event: Definition,
    data: EventPayload<Definition>,
    more: { previous?: unknown; name?: string; tenantId?: string; subject?: string } = {},
  ): string {
    const id = newId("evt", this.now.getTime());
    this.pendingEvents.push({
      id,
      definition: event,
      name: more.name ?? event.name,
      tenantId: more.tenantId ?? this.tenantId,
      data,
      previous: more.previous,
      subject: more.subject,
    });
    return id;
  }

  /** Whom it tells of so far: what its events are about, and what its audit rows name (`pass:…`). */
  get subjects(): ReadonlySet<string> {
    const told = this.pendingEvents.flatMap(({ subject }) => subject ?? []);
    const named = this.pendingAudit.map(({ target }) => target.slice(target.indexOf(":") + 1));
    return new Set([...told, ...named]);
  }

  enqueue<Definition extends JobDefinition>(
    job: Definition,
    payload: JobPayload<Definition>,
    options: EnqueueOptions = {},
  ): void {
    this.pendingJobs.push({ definition: job, tenantId: this.tenantId, payload, options });
  }

  audit(entry: AuditEntry): void {
    this.pendingAudit.push(entry);
  }

  /** Tells every node, after the commit; this node hears it before `transaction` resolves. */
  signal(channel: string, payload: string): void {
    this.pendingSignals.push({ channel, payload });
  }

  /**
   * A signal for busy places: sent after the commit, together with others, and lost when the process
   * dies just then. Whoever waits for it also looks by itself from time to time.
   */
  hint(channel: string, payload: string): void {
    this.pendingHints.push({ channel, payload });
  }

  afterCommit(hook: () => void): void {
    this.afterCommitHooks.push(hook);
  }
}
