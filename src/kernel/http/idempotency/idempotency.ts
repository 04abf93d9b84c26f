import { createHash } from "node:crypto";
import type { Call } from "../../call.ts";
import type { SealedColumn } from "../../crypto/sealed-column.ts";
import { type Sql, sql } from "../../db/sql.ts";
import type { TenantTx } from "../../db/transaction.ts";
import { validationProblem } from "../../errors.ts";
import { parseExactJson } from "../../exact-number.ts";
import { problem } from "../problem.ts";
import { Answer, type AnswerOptions, type Route, toAnswer } from "../route.ts";
import { fingerprint, readIdempotencyKey } from "./idempotency-key.ts";
import { storeAnswer } from "./store-answer.ts";

type Input = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly raw?: Buffer | undefined;
};
/** Identifies a stored answer within its tenant. */
type AnswerKey = { readonly credentialId: string; readonly op: string; readonly keyHash: Buffer };
const PURPOSE = "idempotency";

/** Not essential, because stored answers are deleted after a day in any case. */
export const sealedAnswers: SealedColumn = {
  table: "idempotent_answer",
  column: "answer",
  key: ["tenant_id", "credential_id", "op", "key_hash"],
  purpose: PURPOSE,
  contextOf: (key) =>
    context(String(key.tenant_id), {
      credentialId: String(key.credential_id),
      op: String(key.op),
      keyHash: key.key_hash as Buffer,
    }),
  // A row whose answer was erased has nothing to seal.
  where: sql`answer is not null`,
  essential: false,
};

type StoredAnswer = { readonly body: unknown; readonly options: AnswerOptions };
/** Stored by a request that runs in several steps, until its answer replaces this note. */
type StoredNote = { readonly runningUntil: string };

/** Longer than any request takes: a request without an answer by then has died with its process. */
const RUNNING_MS_MAX = 120_000;

/** Thrown when another request with the same key has stored its answer first. */
class AnsweredMeanwhile extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super("The answer is there already.");
    this.answer = answer;
  }
}

/** The key in a header; a header that is no key is a problem of the caller. */
export function requireIdempotencyKey(header: string | string[]): string {
  const read = readIdempotencyKey(Array.isArray(header) ? header.join(",") : header);
  if (!read.ok) throw validationProblem({ "Idempotency-Key": [read.problem] });
  return read.key;
}

/**
 * Runs a POST at most once per key. Everything that the request writes is one transaction, which
 * also stores the answer: if the effect exists, the answer exists, even when a process dies in
 * between. The lock ends with the transaction, so a crash leaves no lock behind. A failed request
 * stores nothing and may be sent again.
 *
 * The transaction begins with the first write. Until then, only requests within one process exclude
 * each other: on two nodes, two requests with the same key may both prepare their work, and the
 * second finds the first when it begins its transaction.
 */
export async function answerOnce(
  route: Route,
  call: Call,
  sentKey: string,
  input: Input,
  running: RunningKeys,
): Promise<Answer> {
  const keyHash = createHash("sha256").update(sentKey).digest();
  const key = { credentialId: call.actor.credentialId, op: route.op, keyHash };
  const { params, query = null, body = null, raw } = input;
  // A route that reads bytes has no body: without them, the same key would answer for any bytes.
  const sent = raw === undefined ? body : createHash("sha256").update(raw).digest("base64url");
  const bodyHash = fingerprint([params, query, sent]);
  const asked = { key, bodyHash };
  const name = lockName(call.tenantId, key);
  if (running.has(name)) throw stillRunning();
  running.add(name);
  const end = () => running.delete(name);
  if (route.inSteps === true) return await answerInSteps(route, call, input, asked, end);
  try {
    return await answerInOne(route, call, input, asked);
  } catch (error) {
    if (error instanceof AnsweredMeanwhile) return error.answer;
    throw error;
  } finally {
    end();
  }
}

/**
 * The requests with an idempotency key that this process is answering now, and those whose answer it still has to
 * store.
 */
export type RunningKeys = Set<string>;

async function answerInOne(
  route: Route,
  call: Call,
  input: Input,
  { key, bodyHash }: Asked,
): Promise<Answer> {
  const [known] = await call.read(storedAt(call.tenantId, key));
  if (known !== undefined) return replay(open(call, key, known, bodyHash) as StoredAnswer);
  return await call.asOneTransaction(
    async (tx) => {
      const stored = await lockAndFind(tx, key);
      if (stored === undefined) return;
      throw new AnsweredMeanwhile(replay(open(call, key, stored, bodyHash) as StoredAnswer));
    },
    async () => toAnswer(await route.handle(call, input)),
    (tx, { body, options }) => {
      insert(tx, key, bodyHash, call, { body, options });
      insertSubjects(tx, key);
    },
  );
}

/** Tells the note of this request from that of another one with the same key. */
type Note = { readonly createdAt: string };

type Asked = { readonly key: AnswerKey; readonly bodyHash: string };

/**
 * Makes the same promise as `answerInOne`, except that a request whose process died may run again
 * after `RUNNING_MS_MAX`. Each step names whom it concerns, so that an erasure between two steps
 * already finds the note, and the answer is not stored any more. `end` is called when this process has
 * nothing left to do for the request.
 */
async function answerInSteps(
  route: Route,
  call: Call,
  input: Input,
  asked: Asked,
  end: () => void,
): Promise<Answer> {
  const { key } = asked;
  let isDone = false;
  try {
    const found = await findOrNote(call, asked);
    if (found instanceof Answer) return found;
    const result = await runInSteps(route, call, input, key, found);
    isDone = true;
    const { body, options } = result;
    await storeAnswer(call, (tx) => update(tx, key, call, { body, options }, found), end);
    return result;
  } finally {
    if (!isDone) end();
  }
}

/** The stored answer; or else the note that this request is running. */
async function findOrNote(call: Call, { key, bodyHash }: Asked): Promise<Answer | Note> {
  return await call.transaction(async (tx) => {
    const row = await lockAndFind(tx, key);
    const stored = row && open(call, key, row, bodyHash);
    if (stored !== undefined && !("runningUntil" in stored)) return replay(stored);
    if (stored !== undefined && Date.parse(stored.runningUntil) > tx.now.getTime()) {
      throw stillRunning();
    }
    const runningUntil = new Date(tx.now.getTime() + RUNNING_MS_MAX).toISOString();
    insert(tx, key, bodyHash, call, { runningUntil });
    return await tx.one(sql<Note>`
      select created_at::text as "createdAt" from idempotent_answer where ${isOf(tx, key)}
    `);
  });
}

/** A request that failed may be sent again at once, because each of its steps may run again. */
async function runInSteps(
  route: Route,
  call: Call,
  input: Input,
  key: AnswerKey,
  note: Note,
): Promise<Answer> {
  try {
    return await call.keeping(
      (tx) => insertSubjects(tx, key),
      async () => toAnswer(await route.handle(call, input)),
    );
  } catch (error) {
    await forget(call, key, note);
    throw error;
  }
}

async function forget(call: Call, key: AnswerKey, note: Note): Promise<void> {
  try {
    await call.transaction((tx) =>
      tx.run(sql`delete from idempotent_answer where ${isNoteOf(tx, key, note)}`),
    );
  } catch (error) {
    // The note expires by itself, and the caller should get the first error, not this one.
    call.log.warn(
      { err: error, op: key.op },
      "the note of a failed request stays until it runs out",
    );
  }
}

function isOf(tx: TenantTx, { credentialId, op, keyHash }: AnswerKey): Sql {
  return sql`
    tenant_id = ${tx.tenantId} and credential_id = ${credentialId} and op = ${op}
    and key_hash = ${keyHash}`;
}

function isNoteOf(tx: TenantTx, key: AnswerKey, { createdAt }: Note): Sql {
  return sql`${isOf(tx, key)} and created_at = ${createdAt}::timestamptz`;
}

function lockName(tenantId: string, { credentialId, op, keyHash }: AnswerKey): string {
  return `${tenantId} ${credentialId} ${op} ${keyHash.toString("base64")}`;
}

/** `answer` is null if it was erased. */
type Row = { readonly body_hash: string; readonly answer: Buffer | null };

function storedAt(tenantId: string, { credentialId, op, keyHash }: AnswerKey): Sql<Row> {
  return sql<Row>`
    select body_hash, answer
      from idempotent_answer
     where tenant_id = ${tenantId}
       and credential_id = ${credentialId}
       and op = ${op}
       and key_hash = ${keyHash}
       and created_at > now() - interval '24 hours'
  `;
}

/**
 * Runs two statements in one message: only a statement that starts after the lock was taken sees
 * everything that the last holder of the lock wrote. The first statement passes the result of the
 * lock to the second one by a setting.
 */
async function lockAndFind(tx: TenantTx, key: AnswerKey): Promise<Row | undefined> {
  tx.defer(sql`
    select set_config(
      'app.has_key',
      pg_try_advisory_xact_lock(hashtextextended(${lockName(tx.tenantId, key)}, 0))::text,
      true)
  `);
  const { free, body_hash, answer } = await tx.one(sql<
    { free: boolean } & { [Name in keyof Row]: Row[Name] | null }
  >`
    select current_setting('app.has_key')::boolean as free, body_hash, answer
      from (select) as always
      left join (${storedAt(tx.tenantId, key)}) as stored on true
  `);
  if (!free) throw stillRunning();
  return body_hash === null ? undefined : { body_hash, answer };
}

function stillRunning() {
  return problem("conflictRunning", "Wait for the first request with this Idempotency-Key.", {
    headers: { "retry-after": "1" },
  });
}

/**
 * Records which customers and passes the answer concerns, so that it is erased together with them.
 */
function insertSubjects(tx: TenantTx, { credentialId, op, keyHash }: AnswerKey): void {
  const { subjects } = tx;
  if (subjects.size === 0) return;
  tx.defer(sql`
    insert into idempotent_subject (tenant_id, subject, credential_id, op, key_hash)
    select tenant_id, subject, credential_id, op, key_hash
      from idempotent_answer, unnest(${[...subjects]}::text[]) as subject
     where tenant_id = ${tx.tenantId}
       and credential_id = ${credentialId}
       and op = ${op}
       and key_hash = ${keyHash}
        on conflict do nothing
  `);
}

/**
 * The answer is encrypted because it may hold a token that is shown only once and stored nowhere
 * else.
 */
function seal(call: Call, key: AnswerKey, stored: StoredAnswer | StoredNote) {
  const plain = Buffer.from(JSON.stringify(stored));
  return call.runtime.sealer.seal(PURPOSE, context(call.tenantId, key), plain);
}

function insert(
  tx: TenantTx,
  key: AnswerKey,
  bodyHash: string,
  call: Call,
  stored: StoredAnswer | StoredNote,
): void {
  const sealed = seal(call, key, stored);
  tx.defer(sql`
    insert into idempotent_answer (tenant_id, credential_id, op, key_hash, body_hash, answer, created_at)
    values (${tx.tenantId}, ${key.credentialId}, ${key.op}, ${key.keyHash}, ${bodyHash},
            ${sealed}, now())
    on conflict (tenant_id, credential_id, op, key_hash) do update
       set body_hash = excluded.body_hash, answer = excluded.answer, created_at = excluded.created_at
  `);
}

/**
 * Stores the answer in the place of the note. Not where whom it concerns was erased meanwhile, nor where another
 * node has run the request since, because this one was not heard of for too long.
 */
async function update(
  tx: TenantTx,
  key: AnswerKey,
  call: Call,
  stored: StoredAnswer,
  note: Note,
): Promise<void> {
  const count = await tx.run(sql`
    update idempotent_answer
       set answer = ${seal(call, key, stored)}, created_at = now()
     where ${isNoteOf(tx, key, note)} and answer is not null
  `);
  if (count === 0) call.log.info({ op: key.op }, "an answer has no place any more");
}

function open(call: Call, key: AnswerKey, row: Row, bodyHash: string): StoredAnswer | StoredNote {
  if (row.answer === null) {
    throw problem(
      "answerErased",
      "What the first request with this Idempotency-Key made is erased.",
    );
  }
  if (row.body_hash !== bodyHash) {
    throw problem("keyReused", "This Idempotency-Key belongs to a request with other content.");
  }
  const plain = call.runtime.sealer.open(PURPOSE, context(call.tenantId, key), row.answer);
  if (plain === undefined) throw new Error("A stored answer cannot be opened with any known key.");
  return parseExactJson(plain.toString()) as StoredAnswer | StoredNote;
}

function replay({ body, options }: StoredAnswer): Answer {
  const headers = { ...options.headers, "idempotency-replayed": "true" };
  return new Answer(body, { ...options, headers });
}

function context(tenantId: string, { credentialId, op, keyHash }: AnswerKey): string {
  return [tenantId, credentialId, op, keyHash.toString("base64")].join("|");
}
