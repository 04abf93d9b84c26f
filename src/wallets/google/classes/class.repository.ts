import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { recentAfter } from "./class.announcement.ts";
import { INCOMPLETE, isNewer, type Origin } from "./class.rules.ts";
import { type GoogleClass, presentClass } from "./class.schema.ts";

const columns = sql<GoogleClass>`
  class_id as "classId", pass_type as "passType", google_type as "googleType",
  configuration_version as "configurationVersion", content_hash as "contentHash", members,
  review_status as "reviewStatus", problem, sent_at as "sentAt", updated_at as "updatedAt",
  announced_hash as "announcedHash", notified_at as "notifiedAt",
  announced_at as "announcedAt"
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

/** False if the class has been sent with newer files or later times since. */
export async function isNewestClass(
  context: TenantContext,
  built: Origin & Pick<GoogleClass, "classId">,
): Promise<boolean> {
  const known = await findClass(context, built.classId);
  return known === undefined || !isNewer(known, built);
}

/**
 * Records what was sent. A row with newer content stays as it is; but Google may have taken the older content after
 * it, so one of the passes that have the newer one is queued, and sends it once more. `notifiedAt` is added to what
 * is known.
 */
export async function upsertClass(
  tx: TenantTx,
  known: Omit<GoogleClass, "updatedAt">,
): Promise<GoogleClass> {
  const notifications = sql`array(
    select at from unnest(google_class.notified_at || ${known.notifiedAt}::timestamptz[]) as at
     where at > ${recentAfter(tx.now)} order by at)`;
  const written = await tx.maybeOne(sql<GoogleClass>`
    insert into google_class
      (tenant_id, class_id, pass_type, google_type, configuration_version, content_hash, members,
       review_status, problem, sent_at, updated_at, announced_hash, notified_at, announced_at)
    values (${tx.tenantId}, ${known.classId}, ${known.passType}, ${known.googleType},
            ${known.configurationVersion}, ${known.contentHash}, ${known.members}::text[],
            ${known.reviewStatus}, ${known.problem}, ${known.sentAt}, ${tx.now},
            ${known.announcedHash}, ${known.notifiedAt}::timestamptz[], ${known.announcedAt})
    on conflict (tenant_id, class_id) do update
       set configuration_version = excluded.configuration_version,
           content_hash = excluded.content_hash,
           members = excluded.members,
           review_status = coalesce(excluded.review_status, google_class.review_status),
           problem = excluded.problem,
           sent_at = coalesce(excluded.sent_at, google_class.sent_at),
           updated_at = excluded.updated_at,
           announced_hash = coalesce(excluded.announced_hash, google_class.announced_hash),
           notified_at = ${notifications},
           announced_at = excluded.announced_at
     where google_class.configuration_version < excluded.configuration_version
        or google_class.configuration_version = excluded.configuration_version
           and (google_class.sent_at is null
                or google_class.problem is not null and google_class.content_hash <> ${INCOMPLETE}
                or coalesce(google_class.announced_at, '-infinity')
                   <= coalesce(excluded.announced_at, '-infinity'))
    returning ${columns}
  `);
  if (written !== undefined) return written;
  const isSent = known.sentAt !== null || known.contentHash === INCOMPLETE;
  const newer = await tx.one(sql<GoogleClass>`
    update google_class
       set content_hash = case when ${isSent} then ${INCOMPLETE} else content_hash end,
           notified_at = ${notifications}
     where tenant_id = ${tx.tenantId} and class_id = ${known.classId}
    returning ${columns}
  `);
  if (isSent) await queueOneOf(tx, newer);
  return newer;
}

/** Queues a pass with the times of the class. The one that sent them may not be recorded yet: an equal hash counts, too. */
async function queueOneOf(
  tx: TenantTx,
  { classId, announcedAt, announcedHash }: GoogleClass,
): Promise<void> {
  await tx.run(sql`
    update google_object
       set revision = revision + 1, state = 'queued', attempts = 0,
           queued_at = case when state = 'queued' then queued_at else ${tx.now}::timestamptz end,
           due_at = case when claim_token is null then now() else due_at end
     where tenant_id = ${tx.tenantId}
       and pass_id = (select pass_id from google_object
                       where tenant_id = ${tx.tenantId} and class_id = ${classId} and not is_erased
                         and (${announcedAt}::timestamptz is null or announced_at = ${announcedAt}
                              or announced_hash = ${announcedHash})
                       order by announced_at desc nulls last
                       limit 1)
  `);
}

/**
 * True if the pass has to send its class again: it has the times of the class, and Google may have taken an older
 * content after them. Because of the lock, `upsertClass` of the older one waits until this pass is recorded.
 */
export async function isLeftIncomplete(
  tx: TenantTx,
  classId: string,
  { announcedAt, announcedHash }: Pick<GoogleClass, "announcedAt" | "announcedHash">,
): Promise<boolean> {
  const incomplete = await tx.maybeOne(sql<{ isIncomplete: boolean }>`
    select content_hash = ${INCOMPLETE} and sent_at is not null and problem is null
             and (announced_at is not distinct from ${announcedAt}
                  or announced_hash is not distinct from ${announcedHash}) as "isIncomplete"
      from google_class
     where tenant_id = ${tx.tenantId} and class_id = ${classId}
       for share
  `);
  return incomplete?.isIncomplete ?? false;
}

type Confirmed = Pick<
  GoogleClass,
  "classId" | "contentHash" | "configurationVersion" | "announcedHash" | "announcedAt"
>;

/** Newer files, or a pass with the same times since later, make the same content. Nothing happens if another one was sent meanwhile. */
export async function confirmClass(tx: TenantTx, confirmed: Confirmed): Promise<void> {
  const { classId, contentHash, configurationVersion, announcedHash, announcedAt } = confirmed;
  await tx.run(sql`
    update google_class
       set configuration_version = greatest(configuration_version, ${configurationVersion}),
           announced_hash = coalesce(announced_hash, ${announcedHash}),
           announced_at = greatest(announced_at, ${announcedAt}::timestamptz),
           updated_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and class_id = ${classId} and content_hash = ${contentHash}
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
