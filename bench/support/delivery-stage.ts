import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type ApiClient, createClient } from "#test/support/client.ts";
import type { Bench } from "./bench.ts";
import type { Server } from "./process.ts";
import { makeSecrets, startProgram, TENANT_FILE } from "./product.ts";

/** A product that delivers, and an endpoint that takes everything. */
export type DeliveryStage = {
  readonly databaseUrl: string;
  readonly api: ApiClient;
  readonly operatorKey: string;
  readonly sink: Server;
  readonly origins: readonly string[];
  createTenant(tenantId: string): Promise<void>;
  /** The id of an enabled subscription to everything about keys. */
  createWebhook(tenantId: string, endpoint: string): Promise<string>;
};

export type StageOptions = {
  readonly name: string;
  /** API and worker in one process, or in two that only the database connects. */
  readonly processes: 1 | 2;
};

const stages = new WeakMap<Bench, Map<string, Promise<DeliveryStage>>>();

/** Made for the first line that asks for it by name. */
export function openDeliveryStage(bench: Bench, options: StageOptions): Promise<DeliveryStage> {
  const known = stages.get(bench) ?? new Map<string, Promise<DeliveryStage>>();
  stages.set(bench, known);
  const stage = known.get(options.name) ?? open(bench, options);
  known.set(options.name, stage);
  return stage;
}

async function open(bench: Bench, { name, processes }: StageOptions): Promise<DeliveryStage> {
  const databaseUrl = await bench.createDatabase(name);
  const sink = await bench.helper("sink.ts");
  const secrets = makeSecrets();
  const start = async (roles: string, portVariable: "PORT" | "METRICS_PORT") => {
    const server = await startProgram({
      folder: await mkdtemp(join(bench.folder, `${name}-`)),
      databaseUrl,
      ...secrets,
      // In production an endpoint on this very machine would be refused.
      env: { ENVIRONMENT: "staging", DEMO: "0", ROLES: roles, BASE_URL: "http://127.0.0.1" },
      portVariable,
    });
    bench.onClose(() => server.stop());
    return server;
  };
  const server = await start(processes === 1 ? "api,worker" : "api", "PORT");
  if (processes === 2) await start("worker", "METRICS_PORT");

  const api = createClient(server.url);
  const key = secrets.operatorKey;
  return {
    databaseUrl,
    api,
    operatorKey: key,
    sink,
    origins: (await (await fetch(`${sink.url}/origins`)).json()) as string[],
    async createTenant(tenantId) {
      const files = { "tenant.yml": TENANT_FILE };
      const { status, text } = await api.put(`/api/tenants/${tenantId}`, { key, body: { files } });
      if (status !== 201) throw new Error(`No tenant: ${text}`);
    },
    async createWebhook(tenantId, endpoint) {
      const body = { events: ["api-key.*"], endpoint, enabled: true };
      const created = await api.post(`/api/${tenantId}/webhooks`, { key, body });
      if (created.status !== 200) throw new Error(`No webhook: ${created.status}`);
      return created.body.id;
    },
  };
}
