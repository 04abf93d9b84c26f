import type { TenantContext } from "#kernel/context.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/list-page.ts";
import type { ListSpec } from "#kernel/http/list-query.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { DisabledReason, Webhook, WebhookSettings } from "./webhook.schema.ts";
import { SECRET_PURPOSE, secretPlace } from "./webhook.secret.ts";

/** Each is one more signature in a header. */
const FORMER_SECRETS_MAX = 10;

const webhookColumns = sql<Webhook>`
  id, description, events, endpoint, enabled, signature_secret as "sealedSecret", version, ordered,
  failing_since as "failingSince", disabled_at as "disabledAt",
  disabled_reason as "disabledReason"
`;

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
      columns: webhookColumns,
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
    select ${webhookColumns}
      from webhook
     where tenant_id = ${tx.tenantId}
       and id = ${id}
  `);
}

export function findWebhookForUpdate(tx: TenantTx, id: string): Promise<Webhook | undefined> {
  return tx.maybeOne(sql<Webhook>`
    select ${webhookColumns}
      from webhook
     where tenant_id = ${tx.tenantId}
       and id = ${id}
       for update
  `);
}

/** Whoever counts after this counts what all others have added, until the transaction ends. */
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

/** Undefined when the id is taken. */
export function insertWebhook(tx: TenantTx, webhook: NewWebhook): Promise<Webhook | undefined> {
  const { id, description, events, endpoint, enabled, sealedSecret } = webhook;
  return tx.maybeOne(sql<Webhook>`
    insert into webhook (tenant_id, id, description, events, endpoint, enabled, signature_secret,
                         created_at, updated_at)
    values (${tx.tenantId}, ${id}, ${description}, ${events}, ${endpoint}, ${enabled},
            ${sealedSecret}, ${tx.now}, ${tx.now})
    on conflict (tenant_id, id) do nothing
    returning ${webhookColumns}
  `);
}

/** What others know of the tenant's subscriptions is out of date from the commit on. */
export async function renewRevision(tx: TenantTx): Promise<void> {
  await tx.run(sql`
    insert into webhook_revision (tenant_id, revision)
    values (${tx.tenantId}, gen_random_uuid())
    on conflict (tenant_id) do update set revision = excluded.revision
  `);
}

/** The row is locked by `findWebhookForUpdate`. Whoever enables it makes a new beginning. */
export function updateWebhook(
  tx: TenantTx,
  id: string,
  { description, events, endpoint, enabled }: WebhookSettings,
): Promise<Webhook> {
  return tx.one(sql<Webhook>`
    update webhook
       set description = ${description},
           events = ${events},
           endpoint = ${endpoint},
           enabled = ${enabled},
           failing_since = case when ${enabled} and enabled and ${endpoint} = endpoint
                                then failing_since end,
           disabled_at = case when ${enabled} then null else disabled_at end,
           disabled_reason = case when ${enabled} then null else disabled_reason end,
           updated_at = ${tx.now},
           version = version + 1
     where tenant_id = ${tx.tenantId}
       and id = ${id}
    returning ${webhookColumns}
  `);
}

/** Undefined when it is not as it was any more: disabled, deleted, or changed since. */
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
    returning ${webhookColumns}
  `);
}

/** The row is locked. */
export function updateOrdered(tx: TenantTx, id: string, ordered: boolean): Promise<Webhook> {
  return tx.one(sql<Webhook>`
    update webhook
       set ordered = ${ordered}, updated_at = ${tx.now}, version = version + 1
     where tenant_id = ${tx.tenantId}
       and id = ${id}
    returning ${webhookColumns}
  `);
}

/** The row is locked. What it had goes on signing for so many hours; until when, if at all. */
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
    returning ${webhookColumns}
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

/** The youngest ones. */
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

/** Of any tenant; how many there were of at most so many. */
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
  /** What an endpoint did before the webhook was changed says nothing of what it is now. */
  readonly webhookVersion: number;
};

/** Of any tenant: from now on they count as failing, unless they did before. */
export async function markFailing(tx: TenantTx, webhooks: readonly WebhookKey[]): Promise<void> {
  await tx.run(sql`
    update webhook set failing_since = now()
     where (tenant_id, id, version) in (${keysOf(webhooks)}) and failing_since is null
  `);
}

/** Of any tenant: something got through. */
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

/** How many there were. */
export function deleteAllWebhooks(tx: TenantTx): Promise<number> {
  return tx.run(sql`delete from webhook where tenant_id = ${tx.tenantId}`);
}
