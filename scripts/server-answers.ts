import pg from "pg";

/* Exits with 0 if the PostgreSQL server at the given address accepts a connection, otherwise 1. */

const client = new pg.Client({ connectionString: process.argv[2], connectionTimeoutMillis: 2_000 });
client.on("error", () => undefined);
try {
  await client.connect();
  await client.query("select 1");
  await client.end();
} catch {
  process.exitCode = 1;
}
