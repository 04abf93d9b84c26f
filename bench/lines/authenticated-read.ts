import { defineLine } from "../support/line.ts";
import { runLoad } from "../support/load.ts";
import { BENCH_TENANT } from "../support/product.ts";

/** One row by its key: with key check, scope, rate limit, isolation, metrics and log, or without. */
export const authenticatedRead = defineLine({
  name: "authenticated read",
  measures: {
    throughput: { unit: "requests/s", bar: { of: "ratio", atLeast: 0.65 } },
    p99: { unit: "ms", bar: { of: "ratio", below: 3 } },
  },
  rounds: 5,
  async prepare(bench) {
    const product = await bench.product();
    const bare = await bench.baseline("api-key-server.ts");
    return {
      ours: () =>
        runLoad({
          url: `${product.url}/api/${BENCH_TENANT}/admin/apiKeys/bench`,
          headers: { "x-api-key": product.key },
          expectedStatus: 200,
        }),
      baselines: {
        "bare Fastify + pg": () =>
          runLoad({
            url: `${bare.url}/api/${BENCH_TENANT}/admin/apiKeys/bench`,
            headers: { "x-api-key": product.key },
            expectedStatus: 200,
          }),
      },
    };
  },
});
