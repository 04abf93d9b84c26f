import { buildPassJson, buildPassStrings } from "./apple-content.ts";
import { buildGoogleClass, buildGoogleObject, type GoogleIdentity } from "./google-content.ts";
import type { JsonObject } from "./layout.merge.ts";
import type { CompiledTemplate } from "./template.compile.ts";
import { type LocalizedPass, renderInAllLanguages } from "./template.render.ts";
import { sampleInput } from "./template.sample.ts";
import type { TemplateSet } from "./template.set.ts";
import type { RenderProblem } from "./template.value.ts";

const APPLE = { passTypeIdentifier: "pass.sample", teamIdentifier: "SAMPLE0000" };

/** One pass with sample data, in every language and for both wallets. */
export type SamplePass = {
  readonly pass: LocalizedPass;
  readonly passJson: JsonObject;
  readonly googleClass: JsonObject;
  readonly googleObject: JsonObject;
  readonly problems: readonly RenderProblem[];
};

export function makeSample(
  compiled: CompiledTemplate,
  { tenant }: Pick<TemplateSet, "tenant">,
): SamplePass {
  const { images = {} } = compiled.template;
  const google: GoogleIdentity = {
    issuerId: "0000000000000000000",
    imageUrl: (slot) =>
      images[slot] === undefined ? undefined : `https://example.com/${slot}.png`,
  };
  const pass = renderInAllLanguages(compiled, sampleInput(compiled, { ...tenant, id: "sample" }));
  buildPassStrings(pass);
  return {
    pass,
    passJson: buildPassJson(compiled, pass, APPLE),
    googleClass: buildGoogleClass(compiled, pass, google).content,
    googleObject: buildGoogleObject(compiled, pass, google).content,
    problems: unique([pass.main, ...pass.others].flatMap(({ problems }) => problems)),
  };
}

/** A text that fails in every language fails once. */
function unique(problems: readonly RenderProblem[]): RenderProblem[] {
  const byPlace = new Map(
    problems.map((problem) => [`${problem.file}:${problem.line}:${problem.column}`, problem]),
  );
  return [...byPlace.values()];
}
