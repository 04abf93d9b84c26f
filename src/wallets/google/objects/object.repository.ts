import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { TakenFacts } from "../classes/class.plan.ts";
import type { GoogleType } from "../google.kinds.ts";
import { LACKS_LOCAL_TIMES } from "../outdated/outdated.repository.ts";

/** What is known of a pass at Google. */
export type GoogleObject = {
  readonly passId: string;
  readonly objectId: string;
  readonly classId: string | null;
  readonly googleType: GoogleType | null;
  readonly revision: number;
  readonly contentHash: string | null;
  readonly members: readonly string[];
  readonly state: string;
  readonly problem: string | null;
  readonly attempts: number;
  /** The time of the oldest change that Google has not been told of. */
  readonly queuedAt: Date;
  readonly isErased: boolean;
  /** What its class last took from the pass; null if it took nothing. */
  readonly taken: TakenFacts | null;
};

export const objectColumns = sql<GoogleObject>`
  google_object.pass_id as "passId", google_object.object_id as "objectId",
  google_object.class_id as "classId", google_object.google_type as "googleType",
  google_object.revision,
  google_object.content_hash as "contentHash", google_object.members, google_object.state,
  google_object.problem, google_object.attempts, google_object.queued_at as "queuedAt",
  google_object.is_erased as "isErased", google_object.taken_facts as taken
`;

/**
 * Notes that passes may look different at Google. Passes that nobody asked a save link for have no
 * row and cost nothing. A row that is claimed or waits after a failure keeps its time: the end of
 * the claim or of the wait finds the new revision.
 */
export function markChanged(tx: TenantTx, passIds: readonly string[]): void {
  tx.defer(sql`
    update google_object
       set revision = revision + 1,
           state = 'queued',
           attempts = case when due_at is null then 0 else attempts end,
           queued_at = case when state = 'queued' then queued_at else ${tx.now}::timestamptz end,
           -- One that is only brought up to date by itself, in its turn, is sent at once.
           due_at = case when state = 'sent' and claim_token is null then now()
                         else coalesce(due_at, now()) end
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
}

/** Google's words about the pass may quote it. */
export function markErased(tx: TenantTx, passIds: readonly string[]): void {
  tx.defer(sql`
    update google_object
       set revision = revision + 1, state = 'queued', is_erased = true, attempts = 0, problem = null,
           due_at = case when claim_token is null then now() else due_at end
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
}

/**
 * Marks the next objects after this one, in the order of their passes; the last one, if any. With `passTypes`,
 * those of other types among them stay as they are.
 */
export async function markNext(
  tx: TenantTx,
  after: string,
  count: number,
  passTypes?: readonly string[],
): Promise<string | undefined> {
  const isWanted =
    passTypes === undefined
      ? sql`true`
      : sql`not exists (
          select from pass
           where pass.tenant_id = ${tx.tenantId} and pass.id = next.pass_id
             and pass.pass_type <> all(${passTypes}::text[]))`;
  const { last } = await tx.one(sql<{ last: string | null }>`
    with next as (
      select pass_id from google_object
       where tenant_id = ${tx.tenantId} and pass_id > ${after}
       order by pass_id
       limit ${count}
    ), marked as (
      update google_object
         set revision = revision + 1, attempts = 0,
             -- What is merely brought up to date cannot be told from what the publication changes.
             state = case when ${LACKS_LOCAL_TIMES} then state else 'queued' end,
             queued_at = case when state = 'queued' then queued_at else ${tx.now}::timestamptz end,
             due_at = case when claim_token is null then now() else due_at end
        from next
       where google_object.tenant_id = ${tx.tenantId} and google_object.pass_id = next.pass_id
         and ${isWanted}
    )
    select max(pass_id) as last from next
  `);
  return last ?? undefined;
}

export async function findObject(
  context: TenantContext,
  passId: string,
): Promise<GoogleObject | undefined> {
  const [row] = await context.read(sql<GoogleObject>`
    select ${objectColumns} from google_object
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
  `);
  return row;
}

export type ObjectState = {
  readonly passId: string;
  readonly state: "queued" | "sent" | "failed" | "denied";
  readonly problem: string | null;
  readonly attempts: number;
};

export function listObjects(
  context: TenantContext,
  passIds: readonly string[],
): Promise<ObjectState[]> {
  return context.read(sql<ObjectState>`
    select pass_id as "passId", state, problem, attempts
      from google_object
     where tenant_id = ${context.tenantId} and pass_id = any(${passIds}::text[])
  `);
}

export type SentObject = Pick<
  GoogleObject,
  "passId" | "objectId" | "revision" | "members" | "taken"
> & {
  readonly classId: string;
  readonly googleType: string;
  readonly contentHash: string;
};

/**
 * Before an object is sent: what Google may have from now on. False, and nothing is changed, if the
 * row has another token by now.
 */
export async function recordSending(
  tx: TenantTx,
  token: string,
  sending: Pick<SentObject, "passId" | "objectId" | "classId" | "googleType" | "members">,
): Promise<boolean> {
  const { passId, objectId, classId, googleType, members } = sending;
  const count = await tx.run(sql`
    update google_object
       set content_hash = case when object_id = ${objectId} then content_hash end,
           object_id = ${objectId}, class_id = ${classId}, google_type = ${googleType},
           members = ${members}::text[]
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and claim_token = ${token}::uuid
  `);
  return count === 1;
}

/** Stands for the hash of a content of which only the state was sent since: any content differs. */
export const STATE_ONLY = "state-only";

/** Before the state alone is sent, because Google's answer may be lost. */
export async function recordStateSending(
  tx: TenantTx,
  token: string,
  passId: string,
): Promise<void> {
  await tx.run(sql`
    update google_object set content_hash = ${STATE_ONLY}
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and claim_token = ${token}::uuid
  `);
}

/** False, and nothing is changed, if the row has another token by now. */
export async function recordSent(tx: TenantTx, token: string, sent: SentObject): Promise<boolean> {
  const isOver = sql`revision = ${sent.revision}`;
  const count = await tx.run(sql`
    update google_object
       set object_id = ${sent.objectId}, class_id = ${sent.classId},
           google_type = ${sent.googleType}, content_hash = ${sent.contentHash},
           members = ${sent.members}::text[], taken_facts = ${sent.taken && JSON.stringify(sent.taken)}::jsonb,
           attempts = 0, problem = null, claim_token = null,
           state = case when ${isOver} then 'sent' else 'queued' end,
           due_at = case when ${isOver} then null else now() end
     where tenant_id = ${tx.tenantId} and pass_id = ${sent.passId} and claim_token = ${token}::uuid
  `);
  return count === 1;
}

export type FailedObject = {
  readonly passId: string;
  readonly revision: number;
  readonly state: "queued" | "failed" | "denied";
  readonly problem: string;
  /** Undefined if only another change can help. */
  readonly againInSeconds: number | undefined;
};

/** What Google says of a pass that was erased meanwhile is not kept, because it may quote the pass. */
export async function recordFailed(
  tx: TenantTx,
  token: string,
  { passId, revision, state, problem, againInSeconds }: FailedObject,
): Promise<boolean> {
  const count = await tx.run(sql`
    update google_object
       set attempts = attempts + 1, claim_token = null,
           problem = case when is_erased and revision <> ${revision} then null
                          else ${problem}::text end,
           state = case when revision = ${revision} and ${againInSeconds === undefined}::boolean
                        then ${state}
                        -- One that has not changed stays so: no holder is notified of it later, either.
                        when state = 'sent' and content_hash is not null then state
                        when revision = ${revision} then ${state}
                        else 'queued' end,
           due_at = case when ${againInSeconds ?? null}::float8 is not null
                         then now() + make_interval(secs => ${againInSeconds ?? null}::float8)
                         when revision = ${revision} then null
                         else now() end
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and claim_token = ${token}::uuid
  `);
  return count === 1;
}

/** Erased passes that Google does not let be emptied so far. */
export async function countUnemptied(context: TenantContext): Promise<number> {
  const [row] = await context.read(sql<{ count: number }>`
    select count(*)::int as count from google_object
     where tenant_id = ${context.tenantId} and is_erased and due_at is not null and state = 'failed'
  `);
  return row?.count ?? 0;
}

/** After Google was told that the pass was erased. */
export async function deleteObject(tx: TenantTx, token: string, passId: string): Promise<void> {
  await tx.run(sql`
    delete from google_object
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and claim_token = ${token}::uuid
  `);
}

/**
 * Those that wait because Google refused the account are due at once. Those that have changed since
 * then are queued, and wait as long.
 */
export function hurryDenied(tx: TenantTx): void {
  tx.defer(sql`
    update google_object set due_at = now()
     where tenant_id = ${tx.tenantId} and state in ('denied', 'queued') and due_at > now()
       and claim_token is null
  `);
}

/** Counts a device that Google reports as having the object, or having it no more; undefined if there is no such pass. */
export async function updateSaved(
  tx: TenantTx,
  objectId: string,
  isSaved: boolean,
): Promise<{ readonly passId: string; readonly devices: number } | undefined> {
  return await tx.maybeOne(sql<{ passId: string; devices: number }>`
    update google_object
       set saved_count = greatest(0, saved_count + case when ${isSaved}::boolean then 1 else -1 end)
     where tenant_id = ${tx.tenantId} and object_id = ${objectId}
    returning pass_id as "passId", saved_count as devices
  `);
}

/** The pass of an object, without a lock. */
export async function findPassId(tx: TenantTx, objectId: string): Promise<string | undefined> {
  const row = await tx.maybeOne(sql<{ passId: string }>`
    select pass_id as "passId" from google_object
     where tenant_id = ${tx.tenantId} and object_id = ${objectId}
  `);
  return row?.passId;
}
