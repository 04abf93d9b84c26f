import { createHash } from "node:crypto";
import type { Call } from "../call.ts";
import type { SealedColumn } from "../crypto/sealed-column.ts";
import { type Sql, sql } from "../db/sql.ts";
import type { TenantTx } from "../db/transaction.ts";
import { validationProblem } from "../errors.ts";
import { fingerprint, readIdempotencyKey } from "./idempotency-key.ts";
import { problem } from "./problem.ts";
import { Answer, type AnswerOptions, type Route, toAnswer } from "./route.ts";

type Input = { readonly params: unknown; readonly query: unknown; readonly body: unknown };
type Place = { readonly credentialId: string; readonly op: string; readonly keyHash: Buffer };
const PURPOSE = "idempotency";

/** Not essential: they are gone after a day anyway. */
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
  // An answer that was erased is none.
  where: sql`answer is not null`,
  essential: false,
};

type StoredAnswer = { readonly body: unknown; readonly options: AnswerOptions };
/** What a request leaves that runs in several steps, until its answer takes the place. */
type StoredNote = { readonly runningUntil: string };

/** Longer than any request takes: who has not answered by then has died. */
const RUNNING_MS_MAX = 120_000;

/** Someone else was quicker, and left this. */
class AnsweredMeanwhile extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super("The answer is there already.");
    this.answer = answer;
  }
}

/**
 * Runs a POST at most once per key. All that the request writes is one transaction, and the answer is
 * written in it: whoever sees the effect also finds the answer, whatever dies in between. The lock ends
 * with the transaction, so nothing is left to expire after a crash. Failed requests leave nothing behind
 * and may be sent again.
 *
 * The transaction begins with the first write. Until then requests with one key are kept apart by the
 * process alone: two on different nodes may both get ready, and the second learns it when it begins.
 */
export async function answerOnce(
  route: Route,
  call: Call,
  header: string | string[] | undefined,
  input: Input,
  running: RunningKeys,
): Promise<Answer> {
  const read = readIdempotencyKey(Array.isArray(header) ? header.join(",") : header);
  if (!read.ok) throw validationProblem({ "Idempotency-Key": [read.problem] });
  if (read.key === undefined) return toAnswer(await route.handle(call, input));

  const keyHash = createHash("sha256").update(read.key).digest();
  const place = { credentialId: call.actor.credentialId, op: route.op, keyHash };
  const bodyHash = fingerprint([input.params, input.query ?? null, input.body ?? null]);
  const asked = { place, bodyHash };
  if (route.callsOut === true) return await answerInSteps(route, call, input, asked);
  const name = lockName(call.tenantId, place);
  if (running.has(name)) throw stillRunning();
  running.add(name);
  try {
    return await answerInOne(route, call, input, asked);
  } catch (error) {
    if (error instanceof AnsweredMeanwhile) return error.answer;
    throw error;
  } finally {
    running.delete(name);
  }
}

/** The requests with a key that this process is answering. */
export type RunningKeys = Set<string>;

async function answerInOne(
  route: Route,
  call: Call,
  input: Input,
  { place, bodyHash }: Asked,
): Promise<Answer> {
  const [known] = await call.read(storedAt(call.tenantId, place));
  if (known !== undefined) return replay(open(call, place, known, bodyHash) as StoredAnswer);
  return await call.asOneTransaction(
    async (tx) => {
      const stored = await lockAndFind(tx, place);
      if (stored === undefined) return;
      throw new AnsweredMeanwhile(replay(open(call, place, stored, bodyHash) as StoredAnswer));
    },
    async () => toAnswer(await route.handle(call, input)),
    (tx, { body, options }) => {
      insert(tx, place, bodyHash, call, { body, options });
      insertSubjects(tx, place);
    },
  );
}

type Asked = { readonly place: Place; readonly bodyHash: string };

/** The same promise, except that a request whose process dies may be run again after a while. */
async function answerInSteps(
  route: Route,
  call: Call,
  input: Input,
  { place, bodyHash }: Asked,
): Promise<Answer> {
  const known = await call.transaction(async (tx) => {
    const row = await lockAndFind(tx, place);
    const stored = row && open(call, place, row, bodyHash);
    if (stored !== undefined && !("runningUntil" in stored)) return replay(stored);
    if (stored !== undefined && Date.parse(stored.runningUntil) > tx.now.getTime()) {
      throw stillRunning();
    }
    const runningUntil = new Date(tx.now.getTime() + RUNNING_MS_MAX).toISOString();
    insert(tx, place, bodyHash, call, { runningUntil });
    return undefined;
  });
  if (known !== undefined) return known;
  try {
    const result = toAnswer(await route.handle(call, input));
    const { body, options } = result;
    await call.transaction(async (tx) => insert(tx, place, bodyHash, call, { body, options }));
    return result;
  } catch (error) {
    await forget(call, place);
    throw error;
  }
}

async function forget(call: Call, { credentialId, op, keyHash }: Place): Promise<void> {
  try {
    await call.transaction((tx) =>
      tx.run(sql`
        delete from idempotent_answer
         where tenant_id = ${tx.tenantId}
           and credential_id = ${credentialId}
           and op = ${op}
           and key_hash = ${keyHash}
      `),
    );
  } catch (error) {
    // It runs out by itself; the caller is to learn of the first failure, not of this one.
    call.log.warn({ err: error, op }, "the note of a failed request stays until it runs out");
  }
}

function lockName(tenantId: string, { credentialId, op, keyHash }: Place): string {
  return `${tenantId} ${credentialId} ${op} ${keyHash.toString("base64")}`;
}

/** Without an answer: it was erased. */
type Row = { readonly body_hash: string; readonly answer: Buffer | null };

function storedAt(tenantId: string, { credentialId, op, keyHash }: Place): Sql<Row> {
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
 * Two statements, in one message: only a statement that begins after the lock is there sees all that
 * its last holder left. The first tells the second by a setting whether it got the lock.
 */
async function lockAndFind(tx: TenantTx, place: Place): Promise<Row | undefined> {
  tx.defer(sql`
    select set_config(
      'app.has_key',
      pg_try_advisory_xact_lock(hashtextextended(${lockName(tx.tenantId, place)}, 0))::text,
      true)
  `);
  const { free, body_hash, answer } = await tx.one(sql<
    { free: boolean } & { [Name in keyof Row]: Row[Name] | null }
  >`
    select current_setting('app.has_key')::boolean as free, body_hash, answer
      from (select) as always
      left join (${storedAt(tx.tenantId, place)}) as stored on true
  `);
  if (!free) throw stillRunning();
  return body_hash === null ? undefined : { body_hash, answer };
}

function stillRunning() {
  return problem("conflictRunning", "Wait for the first request with this Idempotency-Key.", {
    headers: { "retry-after": "1" },
  });
}

/** An answer that tells of someone is erased with them: who that is, the transaction knows. */
function insertSubjects(tx: TenantTx, { credentialId, op, keyHash }: Place): void {
  const { subjects } = tx;
  if (subjects.size === 0) return;
  tx.defer(sql`
    insert into idempotent_subject (tenant_id, subject, credential_id, op, key_hash)
    select ${tx.tenantId}, subject, ${credentialId}, ${op}, ${keyHash}
      from unnest(${[...subjects]}::text[]) as subject
        on conflict do nothing
  `);
}

/** Sealed because an answer may hold a token that is shown only once and stored nowhere. */
function insert(
  tx: TenantTx,
  place: Place,
  bodyHash: string,
  call: Call,
  stored: StoredAnswer | StoredNote,
): void {
  const plain = Buffer.from(JSON.stringify(stored));
  const sealed = call.runtime.sealer.seal(PURPOSE, context(tx.tenantId, place), plain);
  tx.defer(sql`
    insert into idempotent_answer (tenant_id, credential_id, op, key_hash, body_hash, answer, created_at)
    values (${tx.tenantId}, ${place.credentialId}, ${place.op}, ${place.keyHash}, ${bodyHash},
            ${sealed}, now())
    on conflict (tenant_id, credential_id, op, key_hash) do update
       set body_hash = excluded.body_hash, answer = excluded.answer, created_at = excluded.created_at
  `);
}

function open(call: Call, place: Place, row: Row, bodyHash: string): StoredAnswer | StoredNote {
  if (row.answer === null) {
    throw problem(
      "answerErased",
      "What the first request with this Idempotency-Key made is erased.",
    );
  }
  if (row.body_hash !== bodyHash) {
    throw problem("keyReused", "This Idempotency-Key belongs to a request with other content.");
  }
  const plain = call.runtime.sealer.open(PURPOSE, context(call.tenantId, place), row.answer);
  if (plain === undefined) throw new Error("A stored answer cannot be opened with any known key.");
  return JSON.parse(plain.toString()) as StoredAnswer | StoredNote;
}

function replay({ body, options }: StoredAnswer): Answer {
  const headers = { ...options.headers, "idempotency-replayed": "true" };
  return new Answer(body, { ...options, headers });
}

function context(tenantId: string, { credentialId, op, keyHash }: Place): string {
  return [tenantId, credentialId, op, keyHash.toString("base64")].join("|");
}
