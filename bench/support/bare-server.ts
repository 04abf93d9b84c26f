import { randomBytes } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { BARE_OPTIONS } from "./bare-tables.ts";

/** Fastify and a pool, which is all that the baselines of writes have in common. */
export function makeBareServer() {
  const { DATABASE_URL, PORT } = process.env;
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, options: BARE_OPTIONS });
  const app = fastify({ logger: false });
  app.get("/ready", async () => {
    await pool.query("select 1");
    return {};
  });
  return {
    app,
    pool,
    async listen(): Promise<void> {
      process.once("SIGTERM", () => void app.close().then(() => pool.end()));
      await app.listen({ port: Number(PORT), host: "127.0.0.1" });
    },
  };
}

export function newId(prefix: string): string {
  return `${prefix}_${Date.now().toString(36)}${randomBytes(7).toString("hex")}`;
}
