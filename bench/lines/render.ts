import { renderInAllLanguages } from "#src/templates/template.render.ts";
import type { RenderInput } from "#src/templates/template.render-input.ts";
import { buildPassJson } from "#src/wallets/apple/apple.content.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { LOYALTY_YML, STORES_YML, TENANT_YML, toFiles } from "#test/support/template-files.ts";
import { defineLine } from "../support/line.ts";

const PASSES = 10_000;

const IDENTITY = { passTypeIdentifier: "pass.example.bench", teamIdentifier: "ABCDE12345" };

/**
 * A loyalty template for many passes, as far as the text of pass.json. The baseline writes the same
 * content, which somebody else has made, as JSON: what no template engine can be faster than.
 */
export const render = defineLine({
  name: "render a loyalty pass",
  measures: { perPass: { unit: "µs", bar: { of: "ours", below: 50 } } },
  rounds: 5,
  async prepare() {
    const { set } = readTemplates(
      toFiles({
        "tenant.yml": TENANT_YML,
        "server/stores.yml": STORES_YML,
        "server/passes/loyalty.yml": LOYALTY_YML,
      }),
    );
    const template = set.templates.get("loyalty");
    if (template === undefined) throw new Error("The template of the bench does not compile.");
    const inputs = Array.from({ length: PASSES }, (_, at) => inputOf(at));
    const build = (input: RenderInput) =>
      buildPassJson(template, renderInAllLanguages(template, input), IDENTITY);
    const contents = inputs.map(build);
    return {
      ours: () => perPass(inputs, (input) => JSON.stringify(build(input))),
      baselines: {
        "JSON.stringify": () => perPass(contents, (content) => JSON.stringify(content)),
      },
    };
  },
});

function inputOf(at: number): RenderInput {
  return {
    pass: { id: `pass-${at}`, creationDate: "2026-01-15T09:30:00.000Z" },
    identifiers: { "loyalty.number": `${100_000 + at}` },
    data: { firstName: `Name ${at}`, since: `2024-03-${String((at % 28) + 1).padStart(2, "0")}` },
    metadata: {},
    privileges: { points: { value: at } },
    tenant: { id: "bench", name: "Bench", timeZone: "Europe/Zurich" },
  };
}

async function perPass<Item>(items: readonly Item[], write: (item: Item) => string) {
  let length = 0;
  // Time of this thread, not of the wall: what else the machine does is not the template's.
  const before = process.threadCpuUsage();
  for (const item of items) length += write(item).length;
  const { user, system } = process.threadCpuUsage(before);
  if (length < items.length * 500) throw new Error("The passes are too short to be right.");
  return { perPass: (user + system) / items.length };
}
