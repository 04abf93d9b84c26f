import { renderInAllLanguages } from "#src/templates/template.render.ts";
import type { RenderInput } from "#src/templates/template.render-input.ts";
import { buildPassJson } from "#src/wallets/apple/apple.content.ts";
import { defineLine } from "../support/line.ts";
import { BENCH_IDENTITY, loyaltyInput, loyaltyTemplate } from "../support/loyalty-passes.ts";

const PASSES = 10_000;

/**
 * A loyalty template for many passes, as far as the text of pass.json. The baseline writes the same
 * content, which somebody else has made, as JSON: what no template engine can be faster than.
 */
export const render = defineLine({
  name: "render a loyalty pass",
  measures: { perPass: { unit: "µs", bar: { of: "ours", below: 50 } } },
  rounds: 5,
  async prepare() {
    const template = loyaltyTemplate();
    const inputs = Array.from({ length: PASSES }, (_, at) => loyaltyInput(at));
    const build = (input: RenderInput) =>
      buildPassJson(template, renderInAllLanguages(template, input), BENCH_IDENTITY);
    const contents = inputs.map(build);
    return {
      ours: () => perPass(inputs, (input) => JSON.stringify(build(input))),
      baselines: {
        "JSON.stringify": () => perPass(contents, (content) => JSON.stringify(content)),
      },
    };
  },
});

async function perPass<Item>(items: readonly Item[], write: (item: Item) => string) {
  let length = 0;
  // Time of this thread, not of the wall: what else the machine does is not the template's.
  const before = process.threadCpuUsage();
  for (const item of items) length += write(item).length;
  const { user, system } = process.threadCpuUsage(before);
  if (length < items.length * 500) throw new Error("The passes are too short to be right.");
  return { perPass: (user + system) / items.length };
}
