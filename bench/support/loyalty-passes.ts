import type { CompiledTemplate } from "#src/templates/public.ts";
import type { RenderInput } from "#src/templates/template.render-input.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { LOYALTY_YML, STORES_YML, TENANT_YML, toFiles } from "#test/support/template-files.ts";

/** What identifies the passes of the bench to Apple. */
export const BENCH_IDENTITY = {
  passTypeIdentifier: "pass.example.bench",
  teamIdentifier: "ABCDE12345",
};

export function loyaltyTemplate(): CompiledTemplate {
  const { set } = readTemplates(
    toFiles({
      "tenant.yml": TENANT_YML,
      "server/stores.yml": STORES_YML,
      "server/passes/loyalty.yml": LOYALTY_YML,
    }),
  );
  const template = set.templates.get("loyalty");
  if (template === undefined) throw new Error("The template of the bench does not compile.");
  return template;
}

/** Each pass differs from the one before. */
export function loyaltyInput(at: number): RenderInput {
  return {
    pass: { id: `pass-${at}`, creationDate: "2026-01-15T09:30:00.000Z" },
    identifiers: { "loyalty.number": `${100_000 + at}` },
    data: { firstName: `Name ${at}`, since: `2024-03-${String((at % 28) + 1).padStart(2, "0")}` },
    metadata: {},
    privileges: { points: { value: at } },
    tenant: { id: "bench", name: "Bench", timeZone: "Europe/Zurich" },
  };
}
