import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { defineLine } from "../support/line.ts";
import { makeSecrets, startProgram } from "../support/product.ts";

/** From the command to the first answer, with the database it brings itself. */
export const startUp = defineLine({
  name: "start-up",
  measures: {
    "first start": { unit: "s", bar: { of: "ours", below: 5 } },
    "later start": { unit: "s", bar: { of: "ours", below: 2 } },
    "first start with the demo": { unit: "s", bar: { of: "ours", below: 5 } },
  },
  rounds: 3,
  async prepare(bench) {
    return {
      async ours() {
        const options = { folder: await mkdtemp(join(bench.folder, "start-")), ...makeSecrets() };
        const first = await startProgram(options);
        await first.stop();
        const later = await startProgram(options);
        await later.stop();
        // As whoever tries the product has it: until it is ready, the demo tenant included.
        const env = { ENVIRONMENT: "staging", DEMO: "1" };
        const folder = await mkdtemp(join(bench.folder, "start-"));
        const demo = await startProgram({ ...options, folder, env });
        await demo.stop();
        return {
          "first start": first.startSeconds,
          "later start": later.startSeconds,
          "first start with the demo": demo.startSeconds,
        };
      },
      baselines: {},
    };
  },
});
