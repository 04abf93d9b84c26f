import { randomBytes } from "node:crypto";
import { defineLine } from "../support/line.ts";
import { runLoad } from "../support/load.ts";
import { BENCH_TENANT } from "../support/product.ts";

/** A change with its event and its audit row, durable when answered. */
export const apiKeyCreate = defineLine({
  name: "api key create",
  measures: { throughput: { unit: "requests/s" }, p99: { unit: "ms" } },
  rounds: 4,
  async prepare(bench) {
    const product = await bench.product();
    const bare = await bench.baseline("api-key-server.ts");
    const load = (url: string) =>
      runLoad({
        url: `${url}/api/${BENCH_TENANT}/admin/apiKeys`,
        method: "POST",
        headers: { "x-api-key": product.key, "content-type": "application/json" },
        body: () =>
          JSON.stringify({ name: randomBytes(12).toString("hex"), scopes: ["ApiKey.Read"] }),
        expectedStatus: 201,
      });
    return {
      ours: () => load(product.url),
      baselines: { "bare Fastify + pg": () => load(bare.url) },
    };
  },
});
