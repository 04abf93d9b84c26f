import pg from "pg";

/* Exit 0 when the PostgreSQL at the given address takes a connection, 1 otherwise. */

const client = new pg.Client({ connectionString: process.argv[2], connectionTimeoutMillis: 2_000 });
client.on("error", () => undefined);
try {
  await client.connect();
  await client.query("select 1");
  await client.end();
} catch {
  process.exitCode = 1;
}
