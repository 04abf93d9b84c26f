import { createClient } from "#test/support/client.ts";
import { loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { copyPasses } from "../support/bare-tables.ts";
import { defineLine } from "../support/line.ts";
import { runLoad } from "../support/load.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";

const TENANT = "bench-scans";
/** More than are scanned within three seconds: the same code again would be one scan read twice. */
const PASSES = 30_000;

/** A scan without a redemption: look-up, record, event and audit row. */
export const scan = defineLine({
  name: "scan",
  measures: {
    throughput: { unit: "requests/s", bar: { of: "ratio", atLeast: 0.5 } },
    p99: { unit: "ms", bar: { of: "ratio", below: 4 } },
  },
  rounds: 5,
  async prepare(bench) {
    const product = await bench.product();
    await preparePassTenant(product, TENANT);
    const made = await createClient(product.url).post(`/api/${TENANT}/admin/apiKeys`, {
      key: product.operatorKey,
      body: { name: "bench-scans", scopes: ["PassScan.Scan"] },
    });
    if (made.status !== 201) throw new Error(`No key: ${made.text}`);
    const loaded = await loadPasses(bench.connection, TENANT, PASSES);
    await copyPasses(bench.connection, TENANT);
    const bare = await bench.baseline("scan-server.ts");
    let count = 0;
    const body = () => {
      count += 1;
      return JSON.stringify({ data: loadedId(loaded, count % PASSES), type: "qrcode" });
    };
    // The first scan of a tenant waits until its templates are read.
    for (const { url } of [product, bare]) {
      const first = await createClient(url).post(`/api/${TENANT}/scans`, {
        key: made.body.token,
        body: JSON.parse(body()),
      });
      if (first.status !== 201) throw new Error(`No scan: ${first.status} ${first.text}`);
    }
    const load = (url: string) =>
      runLoad({
        url: `${url}/api/${TENANT}/scans`,
        method: "POST",
        headers: { "x-api-key": made.body.token, "content-type": "application/json" },
        body,
        expectedStatus: 201,
      });
    return {
      ours: () => load(product.url),
      baselines: { "bare Fastify + pg": () => load(bare.url) },
    };
  },
});
