import { newId } from "#kernel/ids.ts";
import type { TestApi } from "./start-api.ts";

/** Rows as the service would write them, where the service itself would need an outside system. */

/** A job that waits. Written as the service would: one that has something to do would soon end. */
export async function queueJob(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const id = newId("job");
  const request = { selection: "passIds", changes: [`additionalData.${mark}`], options: {} };
  await api.sql(
    `insert into job (tenant_id, id, kind, state, request, matched, has_items, created_at, created_by)
     values ($1, $2, 'pass.update', 'queued', $3, 1, false, now(), 'operator')`,
    [tenantId, id, JSON.stringify(request)],
  );
  return id;
}

/** A class that Google has. Written as the service would. */
export async function noteClass(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const classId = `3388000000012345678.${mark}`;
  await api.sql(
    `insert into google_class (tenant_id, class_id, pass_type, google_type, configuration_version,
                               content_hash, members, sent_at, updated_at)
     values ($1, $2, $3, 'generic', 1, '', '{}', now(), now())`,
    [tenantId, classId, mark],
  );
  return classId;
}

/** A delivery that has arrived. Written as the service would: sending takes a receiver. */
export async function owe(
  api: TestApi,
  tenantId: string,
  webhookId: string,
  mark: string,
): Promise<string> {
  const id = newId("evt");
  const values = [tenantId, id, `${mark}.happened`, JSON.stringify({ mark })];
  await api.sql(
    "insert into event (tenant_id, id, name, occurred_at, data) values ($1, $2, $3, now(), $4)",
    values,
  );
  await api.sql(
    `insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at,
                           finished_at, attempt_count, last_status)
     values ($1, $2, $3, $4, 'delivered', now(), now(), now(), 1, 200)`,
    [tenantId, webhookId, id, `${mark}.happened`],
  );
  return id;
}
