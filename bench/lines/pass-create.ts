import { randomBytes } from "node:crypto";
import { defineLine } from "../support/line.ts";
import { runLoad } from "../support/load.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";

const TENANT = "bench-passes";

function newPass(): string {
  const number = randomBytes(8).toString("hex");
  return JSON.stringify({
    identifiers: { "loyalty.number": number, "crm.id": `C-${number}` },
    additionalData: { firstName: "Camille", points: 120, tier: "Deck" },
  });
}

/** A pass with two unique identifiers, its event, its audit row and what its template gives it. */
export const passCreate = defineLine({
  name: "pass create",
  measures: {
    throughput: { unit: "requests/s", bar: { of: "ratio", atLeast: 0.55 } },
    p99: { unit: "ms", bar: { of: "ratio", below: 4 } },
  },
  rounds: 5,
  async prepare(bench) {
    const product = await bench.product();
    const key = await preparePassTenant(product, TENANT);
    const bare = await bench.baseline("pass-server.ts");
    const load = (url: string) =>
      runLoad({
        url: `${url}/api/${TENANT}/passes?passType=loyalty`,
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: newPass,
        expectedStatus: 201,
      });
    return {
      ours: () => load(product.url),
      baselines: { "bare Fastify + pg": () => load(bare.url) },
    };
  },
});
