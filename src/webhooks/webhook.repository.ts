import type { TenantContext } from "#kernel/context.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { defineRecord } from "#kernel/db/record.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  type DisabledReason,
  WEBHOOK_MEMBERS,
  type Webhook,
  type WebhookSettings,
} from "./webhook.schema.ts";
import { SECRET_PURPOSE, secretPlace } from "./webhook.secret.ts";

/** A limit, because each former secret adds a signature to a header. */
const FORMER_SECRETS_MAX = 10;

const record = defineRecord<Webhook, typeof WEBHOOK_MEMBERS>(WEBHOOK_MEMBERS);

export const WEBHOOK_LIST: ListSpec = {
  fields: {
    id: { sql: "id", type: "id", nullable: false },
    description: { sql: "description", type: "text", sortable: false },
    endpoint: { sql: "endpoint", type: "text", nullable: false, sortable: false },
    enabled: { sql: "enabled", type: "boolean", nullable: false },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
  },
  id: "id",
  paging: "when-asked",
  defaultSort: [{ field: "createdAt", direction: "ASC" }],
};

export const sealedSignatureSecrets: SealedColumn = {
  table: "webhook",
  column: "signature_secret",
  key: ["tenant_id", "id"],
  purpose: SECRET_PURPOSE,
  contextOf: (key) => secretPlace(String(key.tenant_id), String(key.id)),
  essential: true,
};

export const sealedFormerSecrets: SealedColumn = {
  table: "webhook_former_secret",
  column: "signature_secret",
  key: ["tenant_id", "webhook_id", "id"],
  purpose: SECRET_PURPOSE,
  contextOf: (key) => secretPlace(String(key.tenant_id), String(key.webhook_id)),
  essential: false,
};

export function listWebhooks(
  context: TenantContext,
  input: ListInput,
  present: (webhook: Webhook) => unknown,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: record.columns,
      from: sql`webhook`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: WEBHOOK_LIST,
      present,
    },
    input,
  );
}

export function findWebhook(tx: TenantTx, id: string): Promise<Webhook | undefined> {
  return tx.maybeOne(sql<Webhook>`
    select ${record.columns}
      from webhook
     where tenant_id = ${tx.tenantId}
       and id = ${id}
  `);
}

export function findWebhookForUpdate(tx: TenantTx, id: string): Promise<Webhook | undefined> {
  return tx.maybeOne(sql<Webhook>`
    select ${record.columns}
      from webhook
     where tenant_id = ${tx.tenantId}
       and id = ${id}
       for update
  `);
}

/**
 * Serialises changes of the number of webhooks: a count after this call stays correct until the
 * transaction ends.
 */
export async function lockWebhooks(tx: TenantTx): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`webhook ${tx.tenantId}`}, 0))
  `);
}

export async function countWebhooks(tx: TenantTx): Promise<number> {
  const { total } = await tx.one(sql<{ total: number }>`
    select count(*)::int as total from webhook where tenant_id = ${tx.tenantId}
  `);
  return total;
}

export type NewWebhook = WebhookSettings & Pick<Webhook, "id" | "sealedSecret">;

/** Undefined if the id is taken. */
export function insertWebhook(tx: TenantTx, webhook: NewWebhook): Promise<Webhook | undefined> {
  return tx.maybeOne(sql<Webhook>`
    insert into webhook (tenant_id, created_at, updated_at, ${record.insertColumns})
    values (${tx.tenantId}, ${tx.now}, ${tx.now}, ${record.insertValues(webhook)})
    on conflict (tenant_id, id) do nothing
    returning ${record.columns}
  `);
}

/** Makes all remembered subscriptions of the tenant out of date, from the commit on. */
export async function renewRevision(tx: TenantTx): Promise<void> {
  await tx.run(sql`
    insert into webhook_revision (tenant_id, revision)
    values (${tx.tenantId}, gen_random_uuid())
    on conflict (tenant_id) do update set revision = excluded.revision
  `);
}

/**
 * `findWebhookForUpdate` must have locked the row. Earlier failures stay noted only if the webhook was
 * and stays enabled with the same endpoint.
 */
export function updateWebhook(
  tx: TenantTx,
  id: string,
  settings: WebhookSettings,
): Promise<Webhook> {
  const { enabled, endpoint } = settings;
  return tx.one(sql<Webhook>`
    update webhook
       set ${record.assignments(settings)},
           failing_since = case when ${enabled} and enabled and ${endpoint} = endpoint
                                then failing_since end,
           disabled_at = case when ${enabled} then null else disabled_at end,
           disabled_reason = case when ${enabled} then null else disabled_reason end,
           updated_at = ${tx.now},
           version = version + 1
     where tenant_id = ${tx.tenantId}
       and id = ${id}
    returning ${record.columns}
  `);
}

/** Undefined if the webhook was disabled, deleted or changed meanwhile. */
export function disableWebhook(
  tx: TenantTx,
  { id, version }: Pick<Webhook, "id" | "version">,
  reason: DisabledReason,
): Promise<Webhook | undefined> {
  return tx.maybeOne(sql<Webhook>`
    update webhook
       set enabled = false,
           disabled_at = ${tx.now},
           disabled_reason = ${reason},
           updated_at = ${tx.now},
           version = version + 1
     where tenant_id = ${tx.tenantId}
       and id = ${id}
       and version = ${version}
       and enabled
    returning ${record.columns}
  `);
}

/** The row must be locked. */
export function updateOrdered(tx: TenantTx, id: string, ordered: boolean): Promise<Webhook> {
  return tx.one(sql<Webhook>`
    update webhook
       set ordered = ${ordered}, updated_at = ${tx.now}, version = version + 1
     where tenant_id = ${tx.tenantId}
       and id = ${id}
    returning ${record.columns}
  `);
}

/**
 * The row must be locked. The former secret still signs for `overlapHours`; `formerValidUntil` is
 * the end of that time, or undefined without an overlap.
 */
export async function replaceSecret(
  tx: TenantTx,
  id: string,
  sealedSecret: Buffer,
  overlapHours: number,
): Promise<{ webhook: Webhook; formerValidUntil: Date | undefined }> {
  const former = overlapHours === 0 ? undefined : await insertFormerSecret(tx, id, overlapHours);
  await keepFormerSecrets(tx, id, former === undefined ? 0 : FORMER_SECRETS_MAX);
  const webhook = await tx.one(sql<Webhook>`
    update webhook
       set signature_secret = ${sealedSecret}, updated_at = ${tx.now}, version = version + 1
     where tenant_id = ${tx.tenantId}
       and id = ${id}
    returning ${record.columns}
  `);
  return { webhook, formerValidUntil: former?.validUntil };
}

function insertFormerSecret(
  tx: TenantTx,
  id: string,
  overlapHours: number,
): Promise<{ validUntil: Date }> {
  return tx.one(sql<{ validUntil: Date }>`
    insert into webhook_former_secret (tenant_id, webhook_id, signature_secret, valid_until)
    select tenant_id, id, signature_secret, now() + make_interval(hours => ${overlapHours})
      from webhook
     where tenant_id = ${tx.tenantId}
       and id = ${id}
    returning valid_until as "validUntil"
  `);
}

/** Deletes all former secrets except the newest `count`. */
async function keepFormerSecrets(tx: TenantTx, webhookId: string, count: number): Promise<void> {
  await tx.run(sql`
    delete from webhook_former_secret
     where tenant_id = ${tx.tenantId}
       and webhook_id = ${webhookId}
       and id not in (
         select id
           from webhook_former_secret
          where tenant_id = ${tx.tenantId}
            and webhook_id = ${webhookId}
          order by id desc
          limit ${count})
  `);
}

/** Deletes up to `count` expired secrets of all tenants; returns the number. */
export function deleteEndedSecrets(tx: TenantTx, count: number): Promise<number> {
  return tx.run(sql`
    delete from webhook_former_secret
     where ctid = any (array(
       select ctid
         from webhook_former_secret
        where valid_until <= now()
        order by valid_until
        limit ${count}
          for update skip locked))
  `);
}

type WebhookKey = {
  readonly tenantId: string;
  readonly webhookId: string;
  /** The result counts only for this version: after a change the endpoint may be another one. */
  readonly webhookVersion: number;
};

/** Marks webhooks of any tenant as failing from now on, unless they already are. */
export async function markFailing(tx: TenantTx, webhooks: readonly WebhookKey[]): Promise<void> {
  await tx.run(sql`
    update webhook set failing_since = now()
     where (tenant_id, id, version) in (${keysOf(webhooks)}) and failing_since is null
  `);
}

/** Marks webhooks of any tenant as working, after a delivery succeeded. */
export async function markWorking(tx: TenantTx, webhooks: readonly WebhookKey[]): Promise<void> {
  await tx.run(sql`
    update webhook set failing_since = null
     where (tenant_id, id, version) in (${keysOf(webhooks)}) and failing_since is not null
  `);
}

function keysOf(webhooks: readonly WebhookKey[]): Sql {
  return sql`
    select * from unnest(${webhooks.map(({ tenantId }) => tenantId)}::text[],
                         ${webhooks.map(({ webhookId }) => webhookId)}::text[],
                         ${webhooks.map(({ webhookVersion }) => webhookVersion)}::int[])
  `;
}

export async function deleteWebhook(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`delete from webhook where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Returns the number of deleted webhooks. */
export function deleteAllWebhooks(tx: TenantTx): Promise<number> {
  return tx.run(sql`delete from webhook where tenant_id = ${tx.tenantId}`);
}
