import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createClient } from "#test/support/client.ts";
import { PROGRAM } from "#test/support/program.ts";
import { type Server, type ServerOptions, startServer } from "./process.ts";

export const BENCH_TENANT = "bench";

export type Product = Server & {
  readonly operatorKey: string;
  /** A key of the tenant that may read and write keys. */
  readonly key: string;
};

/** So high that no line of the benchmark meets it: 429 costs less than an answer. */
export const TENANT_FILE = `
name: Benchmark
rateLimits:
  default: { limit: 10000000, windowSeconds: 60 }
  api-key.create: { limit: 10000000, windowSeconds: 60 }
`;

/** Without `databaseUrl` it brings its own database. */
export function startProgram(options: {
  folder: string;
  databaseUrl?: string;
  operatorKey: string;
  masterKey: string;
  env?: ServerOptions["env"];
  portVariable?: "PORT" | "METRICS_PORT";
}): Promise<Server> {
  return startServer({
    program: PROGRAM,
    words: ["start"],
    env: {
      ENVIRONMENT: "production",
      // Production asks for the address people come by; nobody comes by it here.
      BASE_URL: "https://billfold.example",
      LOG_LEVEL: "info",
      DATA_DIR: join(options.folder, "data"),
      DATABASE_URL: options.databaseUrl,
      MASTER_KEY: options.masterKey,
      OPERATOR_KEY: options.operatorKey,
      SFTP_PORT: "0",
      ...options.env,
    },
    portVariable: options.portVariable ?? "PORT",
    readyPath: "/api/warmup",
    outputFile: join(options.folder, "billfold.log"),
  });
}

export function makeSecrets(): { operatorKey: string; masterKey: string } {
  return {
    operatorKey: randomBytes(32).toString("hex"),
    masterKey: randomBytes(32).toString("base64"),
  };
}

/** The product as it runs in production, with one tenant and one key. */
export async function startProduct(place: {
  folder: string;
  databaseUrl: string;
}): Promise<Product> {
  const secrets = makeSecrets();
  const server = await startProgram({ ...place, ...secrets });
  try {
    const api = createClient(server.url);
    const tenant = await api.put(`/api/tenants/${BENCH_TENANT}`, {
      key: secrets.operatorKey,
      body: { files: { "tenant.yml": TENANT_FILE } },
    });
    if (tenant.status !== 201) throw new Error(`No tenant: ${tenant.text}`);
    const created = await api.post(`/api/${BENCH_TENANT}/admin/apiKeys`, {
      key: secrets.operatorKey,
      body: { name: "bench", scopes: ["ApiKey.Read", "ApiKey.Write"] },
    });
    if (created.status !== 201) throw new Error(`No key: ${created.text}`);
    return { ...server, operatorKey: secrets.operatorKey, key: created.body.token };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
