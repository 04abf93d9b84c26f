import { parseArgs } from "node:util";
import { loadPasses, removePasses } from "#test/support/pass-rows.ts";

/*
 * `DATABASE_URL=… node bench/load-passes.ts <tenant> [--count 1000000] [--remove]`: fills a tenant
 * with passes, their identifiers and their events without the API, and takes them away again.
 */

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { count: { type: "string", default: "1000000" }, remove: { type: "boolean" } },
    allowPositionals: true,
  });
  const { DATABASE_URL: connectionString } = process.env;
  const [tenantId] = positionals;
  if (connectionString === undefined || tenantId === undefined) {
    console.error("DATABASE_URL=… node bench/load-passes.ts <tenant> [--count n] [--remove]");
    process.exit(1);
  }
  if (values.remove === true) await removePasses({ connectionString }, tenantId);
  else await loadPasses({ connectionString }, tenantId, Number(values.count));
}
