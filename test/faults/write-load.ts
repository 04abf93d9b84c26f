import { randomUUID } from "node:crypto";
import { PRODUCT_OPERATOR_KEY, type Product } from "#test/support/product.ts";
import { markOfEvent, type Write, type WriteJournal } from "./write-journal.ts";

export const KEY_TENANT = "crash-keys";
const FIRST_EXPIRY = Date.UTC(2040, 0, 1);
const KEYS_HELD_MAX = 20;
const TENANT_FILE = "name: Load\nrateLimits:\n  default: { limit: 1000000, windowSeconds: 60 }\n";

type Api = Pick<Product, "request">;

let lastNumber = 0;

function nextNumber(): number {
  lastNumber += 1;
  return lastNumber;
}

export async function createLoadTenants(api: Api, writers: number): Promise<void> {
  const tenantIds = [KEY_TENANT, ...Array.from({ length: writers }, (_, index) => tenantOf(index))];
  for (const tenantId of tenantIds) {
    const sent = await api.request("PUT", `/api/tenants/${tenantId}`, {
      key: PRODUCT_OPERATOR_KEY,
      body: { files: { "tenant.yml": TENANT_FILE } },
    });
    if (sent.status > 201) throw new Error(`Tenant not made: ${sent.text}`);
  }
}

function tenantOf(writer: number): string {
  return `crash-tenant-${writer}`;
}

/** A caller that sends the next write after each answer, and stops when there is no answer. */
export async function writeUntilBroken(
  api: Api,
  journal: WriteJournal,
  writer: number,
  shouldStop: () => boolean = () => false,
): Promise<void> {
  const ownKeys: string[] = [];
  while (!shouldStop()) {
    const write = journal.begin(chooseWrite(writer, ownKeys));
    // A key is used again only if its last write was answered, so that its state is known.
    if (write.kind !== "publish") remove(ownKeys, write.target);
    if (!(await send(api, journal, write))) return;
    if (write.outcome !== "acknowledged") continue;
    if (write.kind === "create" || write.kind === "update") ownKeys.push(write.target);
  }
}

/** Returns false if the product is gone. */
export async function send(api: Api, journal: WriteJournal, write: Write): Promise<boolean> {
  const { idempotencyKey } = write;
  try {
    const { status, body, text } = await api.request(...addressOf(write), {
      key: PRODUCT_OPERATOR_KEY,
      ...(write.body === undefined ? {} : { body: write.body }),
      headers: {
        "x-request-id": write.requestId,
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
    });
    // The outcome stays unknown. A repeated write gets 409 if its first attempt seems to run.
    if (status === 503 || (status === 409 && idempotencyKey !== undefined)) return true;
    // Another publication of the same tenant, which its caller had given up, came first.
    const isLate = write.kind === "publish" && status === 409;
    if (status === 429 || isLate) write.outcome = "refused";
    else if (status < 300) write.outcome = "acknowledged";
    else journal.surprises.push(`${write.mark}: ${status} ${text}`);
    if (write.kind === "publish" && status < 300) write.version = body.version;
    return true;
  } catch (error) {
    if (neverArrived(error)) write.outcome = "refused";
    return false;
  }
}

function neverArrived(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

function addressOf({ kind, tenantId, target }: Write): [method: string, path: string] {
  const keys = `/api/${tenantId}/admin/apiKeys`;
  switch (kind) {
    case "create":
      return ["POST", keys];
    case "update":
      return ["PUT", `${keys}/${target}`];
    case "delete":
      return ["DELETE", `${keys}/${target}`];
    case "publish":
      return ["PUT", `/api/tenants/${tenantId}`];
  }
}

function chooseWrite(writer: number, ownKeys: readonly string[]): Omit<Write, "outcome"> {
  const dice = Math.random();
  const key = ownKeys[Math.floor(Math.random() * ownKeys.length)];
  if (dice < 0.15) return publish(writer);
  if (key === undefined || (dice < 0.55 && ownKeys.length < KEYS_HELD_MAX)) return create(writer);
  return dice < 0.8 ? update(key) : deletion(key);
}

function create(writer: number): Omit<Write, "outcome"> {
  const name = `key-${writer}-${nextNumber()}`;
  return {
    kind: "create",
    tenantId: KEY_TENANT,
    target: name,
    mark: markOfEvent("api-key.created", { name }),
    requestId: randomUUID(),
    body: { name, scopes: ["Pass.Read"] },
    ...(Math.random() < 0.5 ? { idempotencyKey: randomUUID() } : {}),
  };
}

function update(name: string): Omit<Write, "outcome"> {
  const expiresAt = new Date(FIRST_EXPIRY + nextNumber() * 1_000).toISOString();
  return {
    kind: "update",
    tenantId: KEY_TENANT,
    target: name,
    mark: markOfEvent("api-key.updated", { name, expiresAt }),
    requestId: randomUUID(),
    body: { expiresAt },
  };
}

function deletion(name: string): Omit<Write, "outcome"> {
  return {
    kind: "delete",
    tenantId: KEY_TENANT,
    target: name,
    mark: markOfEvent("api-key.deleted", { name }),
    requestId: randomUUID(),
    body: undefined,
  };
}

function publish(writer: number): Omit<Write, "outcome"> {
  const message = `publication ${nextNumber()}`;
  return {
    kind: "publish",
    tenantId: tenantOf(writer),
    target: tenantOf(writer),
    mark: markOfEvent("configuration.published", { message }),
    requestId: randomUUID(),
    body: { files: { "tenant.yml": `${TENANT_FILE}# ${message}\n` }, message },
  };
}

function remove(list: string[], item: string): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}
