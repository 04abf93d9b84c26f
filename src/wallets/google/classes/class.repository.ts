import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { ClassFacts } from "./class.facts.ts";
import { countedSince } from "./class.notices.ts";
import { INCOMPLETE, type TakenFacts } from "./class.plan.ts";
import { type GoogleClass, presentClass } from "./class.schema.ts";

const columns = sql<GoogleClass>`
  class_id as "classId", pass_type as "passType", google_type as "googleType",
  configuration_version as "configurationVersion", content_hash as "contentHash", members,
  review_status as "reviewStatus", problem, sent_at as "sentAt", updated_at as "updatedAt",
  notified_at as "notifiedAt", facts, fact_sources as sources, past_facts as "pastFacts"
`;

export const CLASS_LIST: ListSpec = {
  fields: {
    classId: { sql: "class_id", type: "id", nullable: false },
    passType: { sql: "pass_type", type: "text", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
  },
  id: "classId",
  paging: "always",
};

export function listClasses(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns,
      from: sql`google_class`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: CLASS_LIST,
      present: presentClass,
    },
    input,
  );
}

export async function findClass(
  context: TenantContext,
  classId: string,
): Promise<GoogleClass | undefined> {
  const [row] = await context.read(sql<GoogleClass>`
    select ${columns} from google_class
     where tenant_id = ${context.tenantId} and class_id = ${classId}
  `);
  return row;
}

/** Of a class that Google may not have yet. */
export type NewClass = Pick<
  GoogleClass,
  "classId" | "passType" | "googleType" | "configurationVersion"
>;

/** Makes the row if there is none, and locks it. */
export async function lockClass(
  tx: TenantTx,
  { classId, passType, googleType, configurationVersion }: NewClass,
): Promise<{ readonly known: GoogleClass; readonly isClaimed: boolean }> {
  tx.defer(sql`
    insert into google_class (tenant_id, class_id, pass_type, google_type, configuration_version,
                              content_hash, members, updated_at)
    values (${tx.tenantId}, ${classId}, ${passType}, ${googleType}, ${configurationVersion},
            ${INCOMPLETE}, '{}', ${tx.now})
        on conflict do nothing
  `);
  const { isClaimed, ...known } = await tx.one(sql<GoogleClass & { isClaimed: boolean }>`
    select ${columns}, coalesce(claimed_until > now(), false) as "isClaimed"
      from google_class
     where tenant_id = ${tx.tenantId} and class_id = ${classId}
       for update
  `);
  return { known, isClaimed };
}

export type ClassClaim = {
  readonly token: string;
  readonly seconds: number;
  /** Those that Google may have when the claim is over. */
  readonly members: readonly string[];
};

/** Of a class that is locked, and that no other process sends. */
export async function claimClass(
  tx: TenantTx,
  classId: string,
  { token, seconds, members }: ClassClaim,
): Promise<void> {
  await tx.run(sql`
    update google_class
       set claim_token = ${token}::uuid, claimed_until = now() + make_interval(secs => ${seconds}::float8),
           content_hash = ${INCOMPLETE}, members = ${members}::text[]
     where tenant_id = ${tx.tenantId} and class_id = ${classId}
  `);
}

/** Asked before each request: the claim lasts for as long once more. False if another process may have it. */
export async function renewClass(
  tx: TenantTx,
  classId: string,
  token: string,
  seconds: number,
): Promise<boolean> {
  const count = await tx.run(sql`
    update google_class set claimed_until = now() + make_interval(secs => ${seconds}::float8)
     where tenant_id = ${tx.tenantId} and class_id = ${classId} and claim_token = ${token}::uuid
       and claimed_until > now()
  `);
  return count === 1;
}

/** Ends a claim of which nothing was sent. */
export async function restoreClass(
  tx: TenantTx,
  token: string,
  { classId, contentHash, members }: Pick<GoogleClass, "classId" | "contentHash" | "members">,
): Promise<void> {
  await tx.run(sql`
    update google_class
       set claim_token = null, claimed_until = null, members = ${members}::text[],
           content_hash = case when content_hash = ${INCOMPLETE} then ${contentHash}
                               else content_hash end
     where tenant_id = ${tx.tenantId} and class_id = ${classId} and claim_token = ${token}::uuid
  `);
}

/** What became of the content of a class that was sent. */
export type RecordedClass = Pick<
  GoogleClass,
  "configurationVersion" | "contentHash" | "members" | "reviewStatus" | "problem"
> & {
  /** Null keeps what is known, as it does for the review and the time. */
  readonly facts: ClassFacts | null;
  readonly sentAt: Date | null;
  /** When holders were notified, if they were. */
  readonly notifiedAt: Date | null;
};

/**
 * Ends the claim. False, and nothing is changed, if another process has the class by now. A process of the former
 * release claims nothing: if it has written its hash meanwhile, Google may have its content, and the hash stays.
 */
export async function recordClass(
  tx: TenantTx,
  classId: string,
  token: string,
  sent: RecordedClass,
): Promise<boolean> {
  const { facts, sources, pastFacts = null } = sent.facts ?? {};
  const count = await tx.run(sql`
    update google_class
       set claim_token = null, claimed_until = null,
           configuration_version = ${sent.configurationVersion},
           content_hash = case when content_hash = ${INCOMPLETE} then ${sent.contentHash}
                               else content_hash end,
           members = ${sent.members}::text[], problem = ${sent.problem}, updated_at = ${tx.now},
           review_status = coalesce(${sent.reviewStatus}, review_status),
           sent_at = coalesce(${sent.sentAt}::timestamptz, sent_at),
           facts = coalesce(${facts ? JSON.stringify(facts) : null}::jsonb, facts),
           fact_sources = coalesce(${sources ? JSON.stringify(sources) : null}::jsonb, fact_sources),
           past_facts = coalesce(${pastFacts}::text[], past_facts),
           notified_at = array(
             select at from unnest(notified_at || ${sent.notifiedAt}::timestamptz) as at
              where at > ${countedSince(tx.now)})
     where tenant_id = ${tx.tenantId} and class_id = ${classId} and claim_token = ${token}::uuid
  `);
  return count === 1;
}

/** A fact of a class, with the pass that brought it. One that was cleared has no hash. */
export type HeldFact = {
  readonly path: string;
  readonly hash: string | undefined;
  readonly passId: string;
};

/** The paths of those facts that the passes which brought them still have. */
export async function listFactHolders(
  context: TenantContext,
  classId: string,
  facts: readonly HeldFact[],
): Promise<ReadonlySet<string>> {
  const rows = await context.read(sql<{ path: string }>`
    select path
      from unnest(${facts.map(({ path }) => path)}::text[],
                  ${facts.map(({ hash }) => hash ?? null)}::text[],
                  ${facts.map(({ passId }) => passId)}::text[]) as fact (path, hash, pass_id)
      join google_object using (pass_id)
     where tenant_id = ${context.tenantId} and not is_erased
       and taken_facts ->> 'classId' = ${classId}
       and taken_facts -> 'hashes' ->> path is not distinct from hash
  `);
  return new Set(rows.map(({ path }) => path));
}

/** A pass of the class that has the fact, or any value of it; the one that was changed last. */
export async function findFactHolder(
  context: TenantContext,
  classId: string,
  path: string,
  hash?: string,
): Promise<string | undefined> {
  const value = sql`taken_facts -> 'hashes' ->> ${path}`;
  const [row] = await context.read(sql<{ passId: string }>`
    select pass_id as "passId" from google_object
     where tenant_id = ${context.tenantId} and class_id = ${classId} and not is_erased
       and taken_facts ->> 'classId' = ${classId}
       and ${hash === undefined ? sql`${value} is not null` : sql`${value} = ${hash}`}
     order by queued_at desc
     limit 1
  `);
  return row?.passId;
}

/** Nothing is changed if another pass has brought the fact since. */
export async function updateFactSource(
  tx: TenantTx,
  classId: string,
  { path, passId: before }: HeldFact,
  passId: string,
): Promise<void> {
  await tx.run(sql`
    update google_class
       set fact_sources = jsonb_set(fact_sources, array[${path}, 'passId'], to_jsonb(${passId}::text))
     where tenant_id = ${tx.tenantId} and class_id = ${classId}
       and fact_sources -> ${path} ->> 'passId' = ${before}
  `);
}

/** What the class took from a pass. Nothing is changed if the row of the pass has another token by now. */
export async function recordTaken(
  tx: TenantTx,
  token: string,
  passId: string,
  taken: TakenFacts,
): Promise<void> {
  await tx.run(sql`
    update google_object set taken_facts = ${JSON.stringify(taken)}::jsonb
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and claim_token = ${token}::uuid
  `);
}

/** Newer files make the same content. */
export async function confirmClass(
  tx: TenantTx,
  {
    classId,
    contentHash,
    configurationVersion: version,
  }: Pick<GoogleClass, "classId" | "contentHash" | "configurationVersion">,
): Promise<void> {
  await tx.run(sql`
    update google_class
       set configuration_version = ${version}, updated_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and class_id = ${classId} and content_hash = ${contentHash}
       and configuration_version < ${version} and coalesce(claimed_until <= now(), true)
  `);
}

/** Once for each version of the tenant's files; nothing is changed after that. */
export async function forgetSentClass(
  tx: TenantTx,
  { classId, configurationVersion: version }: Pick<GoogleClass, "classId" | "configurationVersion">,
): Promise<void> {
  await tx.run(sql`
    update google_class set sent_at = null, resent_version = ${version}
     where tenant_id = ${tx.tenantId} and class_id = ${classId}
       and coalesce(resent_version, 0) < ${version}
  `);
}
