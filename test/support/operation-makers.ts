import { newId } from "#kernel/ids.ts";
import { ENROLMENT_MAKERS, ENROLMENT_PREPARATIONS } from "./enrolment-operations.ts";
import { EXTENSION_MAKERS, EXTENSION_PREPARATIONS } from "./extension-operations.ts";
import { ensurePass, type Maker, made, type Preparation } from "./operation-made.ts";
import { PRIVILEGE_MAKERS, PRIVILEGE_PREPARATIONS } from "./privilege-operations.ts";
import { RECEIPT_MAKERS, RECEIPT_PREPARATIONS } from "./receipt-operations.ts";
import type { TestApi } from "./start-api.ts";
import { issuePassCertificate, pemOf } from "./wallet-credentials.ts";

/** What operations are called with: things that exist, made for one request. */

export const webhookOf = (mark: string) => ({
  description: mark,
  events: ["pass.*"],
  endpoint: `https://${mark}.example/events`,
});

export const clientOf = (mark: string) => ({
  name: mark,
  redirectUris: [`https://${mark}.example/callback`],
});

/** Of no tenant: the one of the example does not exist. */
export const administratorOf = (mark: string) => ({
  email: `${mark}@example.com`,
  name: mark,
  role: "global",
});

/** The passes for which save links are made. */
export const SAVED_PASS_ID = "ps_000000000000000000saved";
export const SAVED_TOO_ID = "ps_00000000000000000saved2";

/** How to get a thing that a path parameter can name. A new parameter needs a line here. */
export const MAKERS: Readonly<Record<string, Maker>> = {
  customerId: async (api, tenantId, mark) => {
    const identifiers = { "shop.id": mark };
    for (const _pass of [1, 2]) await ensurePass(api, tenantId, { identifiers });
    const body = { firstName: mark, identifiers };
    return await made(api, `/api/${tenantId}/customers`, body, "customerId");
  },
  storeId: async (api, tenantId, mark) => await publishStores(api, tenantId, mark),
  passId: async (api, tenantId, mark) => {
    const { id } = await ensurePass(api, tenantId, { additionalData: { firstName: mark } });
    return id;
  },
  ...PRIVILEGE_MAKERS,
  ...EXTENSION_MAKERS,
  ...RECEIPT_MAKERS,
  ...ENROLMENT_MAKERS,
  scanId: async (api, tenantId, mark) => await recordScan(api, tenantId, mark),
  jobId: async (api, tenantId, mark) => await queueJob(api, tenantId, mark),
  importId: async (api, tenantId, mark) => await dropFile(api, tenantId, mark, "http"),
  fileName: async (api, tenantId, mark) => {
    await dropFile(api, tenantId, mark, "sftp");
    return `${mark}.csv`;
  },
  taskId: async (api, tenantId) => await publishTask(api, tenantId),
  executionId: async (api, tenantId, mark, { taskId = "" }) =>
    await noteExecution(api, tenantId, taskId, mark),
  keyName: async (api, tenantId, mark) => {
    const body = { name: `key-${mark}`, scopes: ["Pass.Read"] };
    return await made(api, `/api/${tenantId}/admin/apiKeys`, body, "name");
  },
  key: async (api, tenantId, mark) => {
    const [key, body] = [`secret-${mark}`, { value: mark }];
    const path = `/api/${tenantId}/secrets/${key}`;
    const { status, text } = await api.put(path, { key: api.operatorKey, body });
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
    return key;
  },
  deviceId: async (api, tenantId, mark) =>
    await made(api, `/api/${tenantId}/devices`, { name: mark }, "deviceId"),
  id: async (api, tenantId, mark) =>
    await made(api, `/api/${tenantId}/webhooks`, webhookOf(mark), "id"),
  deliveryId: async (api, tenantId, mark, { id = "" }) => await owe(api, tenantId, id, mark),
  clientId: async (api, _tenantId, mark) =>
    await made(api, "/api/oauthClients", clientOf(mark), "clientId"),
  classId: async (api, tenantId, mark) => await noteClass(api, tenantId, mark),
  administratorId: async (api, tenantId, mark) => {
    const email = `${mark}@example.com`;
    const body = { email, name: mark, role: "tenant", tenants: [tenantId] };
    return await made(api, "/api/administrators", body, "id");
  },
};

const withDraft: Preparation = async (api, tenantId, mark) => {
  const body = { files: { "images/draft.txt": mark } };
  await api.patch(`/api/tenants/${tenantId}?publish=false`, { key: api.operatorKey, body });
  return {};
};

/** Nobody attempts anything for it: no event has a name that it covers. */
const withEnabledWebhook: Preparation = async (api, tenantId, mark) => {
  const body = { ...webhookOf(mark), events: [`${mark}.never`], enabled: true };
  return { id: await made(api, `/api/${tenantId}/webhooks`, body, "id") };
};

/** Nobody answers there, and it takes no time to find out. */
const withNearWebhook: Preparation = async (api, tenantId, mark) => {
  const body = { ...webhookOf(mark), endpoint: `http://127.0.0.1:65533/${mark}` };
  return { id: await made(api, `/api/${tenantId}/webhooks`, body, "id") };
};

const withDeliveries: Preparation = async (api, tenantId, mark) => {
  const id = await made(api, `/api/${tenantId}/webhooks`, webhookOf(mark), "id");
  for (const count of [1, 2]) await owe(api, tenantId, id, `${mark}-${count}`);
  return { id };
};

const withNextCertificate: Preparation = async (api, tenantId) => {
  const path = `/api/${tenantId}/admin/wallets/apple/certificate`;
  const body = { ...pemOf(issuePassCertificate()), slot: "next" };
  const { status, text } = await api.put(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return {};
};

const withExecutions: Preparation = async (api, tenantId, mark) => {
  const taskId = await publishTask(api, tenantId);
  for (const count of [1, 2]) await noteExecution(api, tenantId, taskId, `${mark}-${count}`);
  return { taskId };
};

const withSavedPasses: Preparation = async (api, tenantId) => {
  const { id } = await ensurePass(api, tenantId, {});
  await api.sql(
    `insert into pass (tenant_id, id, pass_type, status, identifiers, data, secret, created_at,
                       updated_at)
     select tenant_id, made.id, pass_type, status, '{}', data, secret, created_at, updated_at
       from pass, unnest($3::text[]) as made (id) where tenant_id = $1 and pass.id = $2
     on conflict do nothing`,
    [tenantId, id, [SAVED_PASS_ID, SAVED_TOO_ID]],
  );
  return {};
};

/** Two entries, of which the newest tells the mark. */
const withMessage: Preparation = async (api, tenantId, mark) => {
  const { id } = await ensurePass(api, tenantId, {});
  const path = `/api/${tenantId}/passes/${id}/notification`;
  const { status, text } = await api.put(path, { key: api.operatorKey, body: { content: mark } });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return { passId: id };
};

/** What must be there before an operation can succeed; may name other parameters to use. */
export const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  ...PRIVILEGE_PREPARATIONS,
  ...EXTENSION_PREPARATIONS,
  ...RECEIPT_PREPARATIONS,
  ...ENROLMENT_PREPARATIONS,
  "tenant.delete": async (api, _tenantId, mark) => {
    await api.seed.tenant(mark);
    return { tenantId: mark };
  },
  "pass.list-timeline": withMessage,
  "preview.create": async (api, tenantId) => {
    await ensurePass(api, tenantId, {});
    return {};
  },
  "store.list": async (api, tenantId, mark) => {
    await publishStores(api, tenantId, mark);
    return {};
  },
  "device.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) {
      await made(api, `/api/${tenantId}/devices`, { name: `${mark}-${count}` }, "deviceId");
    }
    return {};
  },
  "google-class.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await noteClass(api, tenantId, `${mark}-${count}`);
    return {};
  },
  "google-class.sync": async (api, tenantId) => {
    await ensurePass(api, tenantId, {});
    return {};
  },
  "google-token.create": withSavedPasses,
  "apple-bundle-link.create": withSavedPasses,
  "apple-certificate.rotate": withNextCertificate,
  "tenant.publish": withDraft,
  "tenant.discard-draft": withDraft,
  "job.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await queueJob(api, tenantId, `${mark}-${count}`);
    return {};
  },
  "import.cancel": async (api, tenantId, mark) => {
    const importId = await dropFile(api, tenantId, mark, "http");
    const running =
      "update import_file set state = 'running', claimed_until = 'infinity' where id = $1";
    await api.sql(running, [importId]);
    return { importId };
  },
  "sftp.list-files": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await dropFile(api, tenantId, `${mark}-${count}`, "sftp");
    return {};
  },
  "import.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await dropFile(api, tenantId, `${mark}-${count}`, "http");
    return {};
  },
  "task.list": async (api, tenantId) => {
    await publishTask(api, tenantId);
    return {};
  },
  "execution.list": withExecutions,
  "execution.list-of-task": withExecutions,
  "scan.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await recordScan(api, tenantId, `${mark}-${count}`);
    return {};
  },
  "delivery.list": withDeliveries,
  "delivery.list-all": withDeliveries,
  "delivery.redeliver": withEnabledWebhook,
  "webhook.recover": withEnabledWebhook,
  "webhook.test": withNearWebhook,
};

async function recordScan(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const body = { data: mark, type: "manual", location: mark };
  return await made(api, `/api/${tenantId}/scans`, body, "scanId");
}

/** A job that waits. Written as the service would: one that has something to do would soon end. */
async function queueJob(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const id = newId("job");
  const request = { selection: "passIds", changes: [`additionalData.${mark}`], options: {} };
  await api.sql(
    `insert into job (tenant_id, id, kind, state, request, matched, has_items, created_at, created_by)
     values ($1, $2, 'pass.update', 'queued', $3, 1, false, now(), 'operator')`,
    [tenantId, id, JSON.stringify(request)],
  );
  return id;
}

/** A file that waits, with a log. Written as the service would: one whose turn comes would soon end. */
/** Nobody imports it: it is pending for a day, or done. */
async function dropFile(
  api: TestApi,
  tenantId: string,
  mark: string,
  source: "http" | "sftp",
): Promise<string> {
  const id = newId("imp");
  const content = Buffer.from(`crm\n${mark}\n${mark}\n`);
  await api.sql(
    `insert into import_file (tenant_id, id, name, source, state, is_complete, size, received_at,
                              ready_at, touched_at, rows, failed, identifier_names, created_by)
     values ($1, $2, $3, $5, $6, true, $4, now(), now() + interval '1 day', now(), 2, 2,
             '{crm.id}', 'operator')`,
    [
      tenantId,
      id,
      `${mark}.csv`,
      content.length,
      source,
      source === "http" ? "pending" : "processed",
    ],
  );
  await api.sql("insert into import_chunk values ($1, $2, 0, $3)", [tenantId, id, content]);
  await api.sql(
    `insert into import_outcome (tenant_id, file_id, row, line, outcome, identifiers, message)
     select $1, $2, n, n + 1, 'failed', jsonb_build_object('crm.id', $3::text), $3
       from generate_series(1, 2) as n`,
    [tenantId, id, mark],
  );
  return id;
}

/** A class that Google has. Written as the service would. */
async function noteClass(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const classId = `3388000000012345678.${mark}`;
  await api.sql(
    `insert into google_class (tenant_id, class_id, pass_type, google_type, configuration_version,
                               content_hash, members, sent_at, updated_at)
     values ($1, $2, $3, 'generic', 1, 'local:', '{}', now(), now())`,
    [tenantId, classId, mark],
  );
  return classId;
}

/** A delivery that has arrived. Written as the service would: sending takes a receiver. */
async function owe(
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

/** A task that nobody's clock reaches. */
async function publishTask(api: TestApi, tenantId: string): Promise<string> {
  const taskId = `task-${newId("t").slice(-8).toLowerCase()}`;
  const file = `tasks:\n  - { id: ${taskId}, kind: purge, cron: "0 0 29 2 *" }\n`;
  const body = { files: { "server/schedule.yml": file } };
  const path = `/api/tenants/${tenantId}`;
  const { status, text } = await api.patch(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return taskId;
}

/** An execution with a file. Written as the service would. */
async function noteExecution(
  api: TestApi,
  tenantId: string,
  taskId: string,
  mark: string,
): Promise<string> {
  const id = newId("exe");
  await api.sql(
    `insert into task_execution (tenant_id, id, task_id, kind, settings, time_limit_seconds, status,
                                 trigger, created_at, created_by, started_at, finished_at, summary,
                                 file_name)
     values ($1, $2, $3, 'export', '{}', 60, 'succeeded', 'manual', now(), 'operator', now(), now(),
             $4, 'passes.csv')`,
    [tenantId, id, taskId, mark],
  );
  await api.sql(
    `insert into task_file_part (tenant_id, execution_id, position, keys, lines, first_key, last_key)
     values ($1, $2, 0, $3, $4, '', '')`,
    [tenantId, id, [""], [`${mark}\r\n`]],
  );
  return id;
}

/** Two stores; the id of the first. */
async function publishStores(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const stores = [1, 2].map((count) => `  - { id: "${mark}-${count}", name: "${mark}" }`);
  const body = { files: { "server/stores.yml": `stores:\n${stores.join("\n")}\n` } };
  const path = `/api/tenants/${tenantId}`;
  const { status, text } = await api.patch(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return `${mark}-1`;
}
