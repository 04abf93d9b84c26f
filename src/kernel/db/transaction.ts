import type { Client } from "pg";
import type { Actor } from "../actor.ts";
import type { AuditEntry } from "../audit-entry.ts";
import type { EventDefinition, EventPayload, PendingEvent } from "../events/define.ts";
import { newId } from "../ids.ts";
import type { EnqueueOptions, JobPayload, PendingJob, QueuedJob } from "../jobs/queued-job.ts";
import { SYSTEM_SCOPE } from "./scope.ts";
import { compileSql, type Sql, type Statement, sql } from "./sql.ts";
import { type BatchResult, type BatchStatement, runBatch } from "./statement-batch.ts";

const BEGIN: Statement = { name: "billfold_begin", text: "begin", values: [] };
const COMMIT: Statement = { name: "billfold_commit", text: "commit", values: [] };

/** The number of statements in `#ahead` before the first use: `begin` and the tenant. */
const UNOPENED = 2;

export type TransactionOrigin = {
  readonly tenantId: string;
  /**
   * When the tenant that is meant was created. The transaction fails if the tenant has ended, also when
   * its id belongs to another tenant by now.
   */
  readonly tenantSince?: Date | undefined;
  /** Without this, a transaction of a tenant that does not exist fails. */
  readonly createsTenant?: boolean;
  readonly actor: Actor;
  readonly requestId: string;
  readonly op: string;
  readonly ip: string;
};

type TransactionSettings = {
  readonly database: object;
  readonly now: Date;
  readonly mayGuess: boolean;
};

/**
 * The only handle that a repository accepts. A transaction is created for one tenant, and row-level
 * security limits every statement to that tenant, even where a `where` was forgotten.
 *
 * Events, jobs and audit rows are collected and written just before the commit: they exist if, and
 * only if, the change does.
 *
 * A statement whose result is not needed, such as `begin`, is sent together with the next
 * statement: the cost of a write is mostly the number of its messages.
 */
export class TenantTx {
  /** The database of this transaction: a key for what a module remembers between transactions. */
  readonly database: object;
  readonly tenantId: string;
  readonly origin: TransactionOrigin;
  /** The same instant for every row this transaction writes. */
  readonly now: Date;
  /**
   * Whether code may assume what is most likely true, and have the assumption checked at the
   * commit.
   */
  readonly mayGuess: boolean;
  readonly pendingEvents: PendingEvent[] = [];
  /** What `eraseTracesOf` has erased, and listeners do not know of yet. */
  readonly pendingErasures = new Set<string>();
  readonly pendingJobs: PendingJob[] = [];
  readonly pendingAudit: AuditEntry[] = [];
  readonly pendingSignals: { channel: string; payload: string }[] = [];
  readonly pendingHints: { channel: string; payload: string }[] = [];
  readonly afterCommitHooks: (() => void)[] = [];
  readonly #concerned = new Set<string>();
  readonly #causes = new Map<string, string>();
  readonly #client: Client;
  #ahead: BatchStatement[];
  /** Statements that were sent and are not answered yet. */
  #underWay: Promise<BatchResult> | undefined;
  #isOpen = false;
  #tenantSince: Date | undefined;

  constructor(client: Client, origin: TransactionOrigin, more: TransactionSettings) {
    this.#client = client;
    this.tenantId = origin.tenantId;
    this.origin = origin;
    this.database = more.database;
    this.now = more.now;
    this.mayGuess = more.mayGuess;
    this.#tenantSince = origin.tenantSince;
    this.#ahead = [BEGIN, this.#enterTenant(origin)];
  }

  #enterTenant({
    tenantId,
    tenantSince,
    createsTenant = false,
  }: TransactionOrigin): BatchStatement {
    if (tenantId === SYSTEM_SCOPE) {
      return compileSql(sql`select set_config('app.tenant', ${tenantId}, true)`);
    }
    const enter = sql`
      select enter_tenant(${tenantId}, ${tenantSince ?? null}, ${createsTenant}) as since
    `;
    const onRow = ({ since }: Record<string, unknown>) => {
      // One that the transaction creates gets its time.
      this.#tenantSince = since instanceof Date ? since : this.now;
    };
    return { ...compileSql(enter), onRow };
  }

  /** When the tenant was created; undefined before the first statement was answered. */
  get tenantSince(): Date | undefined {
    return this.#tenantSince;
  }

  /** True once a statement was sent to the database. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  async many<Row>(statement: Sql<Row>): Promise<Row[]> {
    const { rows } = await this.#send(compileSql(statement));
    return rows as Row[];
  }

  /**
   * For a statement whose result is not needed: it is sent in one message with the next statement
   * or the commit. If it fails, that statement or commit fails.
   */
  defer(statement: Sql): void {
    this.#ahead.push(compileSql(statement));
  }

  /** When this throws, nothing that the transaction did remains. */
  async commit(): Promise<void> {
    if (!this.#isOpen && this.#ahead.length === UNOPENED) return;
    const { command } = await this.#send(COMMIT);
    // A statement failed and the caller ignored the error: the server rolled everything back.
    if (command !== "COMMIT")
      throw new Error("A transaction with a failed statement was rolled back.");
  }

  /**
   * Sends the statements that wait, and does not wait for the answer: the database works on them
   * while the caller prepares the next ones. If one fails, the next statement or the commit fails.
   */
  sendAhead(): void {
    const last = this.#ahead.pop();
    if (last === undefined) return;
    this.#underWay = this.#send(last);
    // Told by the next statement. A transaction that ends without one is rolled back anyway.
    this.#underWay.catch(() => undefined);
  }

  async #send(statement: BatchStatement): Promise<BatchResult> {
    const batch = [...this.#ahead, statement];
    this.#ahead = [];
    this.#isOpen = true;
    const earlier = this.#underWay;
    if (earlier !== undefined) {
      this.#underWay = undefined;
      await earlier;
    }
    return await runBatch(this.#client, batch);
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

  /** Returns the number of rows that the statement changed. */
  async run(statement: Sql): Promise<number> {
    const { count } = await this.#send(compileSql(statement));
    return count;
  }

  /** For libraries that bring their own SQL and take part in this transaction. */
  async runText(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    // `text` may hold several statements, which pg sends in another way; so what waits is sent
    // first.
    await this.settle();
    return await this.#client.query(text, values);
  }

  /** Sends the statements that wait, and waits until all are done. */
  async settle(): Promise<void> {
    const last = this.#ahead.pop();
    if (last !== undefined) await this.#send(last);
    await this.#underWay;
  }

  /** Returns the id that the event will have. */
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
      requestId: this.#causeOf(more.subject),
    });
    return id;
  }

  /**
   * Names the request that left this work in a queue: events about the subject carry its id, and not
   * that of the worker.
   */
  causedBy(subject: string, requestId: string): void {
    this.#causes.set(subject, requestId);
  }

  /** A call without a request has the name of its operation in place of an id. */
  #causeOf(subject: string | undefined): string | undefined {
    const cause = subject === undefined ? undefined : this.#causes.get(subject);
    const { requestId, op } = this.origin;
    return cause ?? (requestId === op ? undefined : requestId);
  }

  /**
   * Names a customer or a pass that the answer shows, although nothing is written about it: if the
   * answer is stored, it is erased with the subject. Call it where the subject cannot be erased
   * before the commit.
   */
  concerns(subject: string): void {
    this.#concerned.add(subject);
  }

  /** The customers and passes that this transaction concerns so far, by events, audit or name. */
  get subjects(): ReadonlySet<string> {
    const told = [...this.pendingEvents, ...this.pendingAudit];
    return new Set([...this.#concerned, ...told.flatMap(({ subject }) => subject ?? [])]);
  }

  enqueue<Definition extends QueuedJob>(
    job: Definition,
    payload: JobPayload<Definition>,
    options: EnqueueOptions = {},
  ): void {
    this.pendingJobs.push({ definition: job, tenantId: this.tenantId, payload, options });
  }

  audit(entry: AuditEntry): void {
    this.pendingAudit.push(entry);
  }

  /**
   * Sends a signal to every node with the commit; this node gets it before `transaction` resolves.
   */
  signal(channel: string, payload: string): void {
    this.pendingSignals.push({ channel, payload });
  }

  /**
   * A signal for frequent use: sent after the commit, together with others, and lost if the process
   * dies at that moment. A receiver of hints also looks for work on its own from time to time.
   */
  hint(channel: string, payload: string): void {
    this.pendingHints.push({ channel, payload });
  }

  afterCommit(hook: () => void): void {
    this.afterCommitHooks.push(hook);
  }
}
