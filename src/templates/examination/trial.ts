import type { CompiledTemplate } from "../template.compiled.ts";
import { type LocalizedPass, renderInAllLanguages } from "../template.render.ts";
import { sampleInput } from "../template.sample.ts";
import type { TemplateSet } from "../template.set.ts";
import type { RenderProblem } from "../template.value.ts";

/** A pass with sample data, rendered in every language. */
export type SamplePass = {
  readonly pass: LocalizedPass;
  readonly problems: readonly RenderProblem[];
};

export function makeSample(
  compiled: CompiledTemplate,
  { tenant }: Pick<TemplateSet, "tenant">,
): SamplePass {
  const pass = renderInAllLanguages(compiled, sampleInput(compiled, { ...tenant, id: "sample" }));
  return {
    pass,
    problems: unique([pass.main, ...pass.others].flatMap(({ problems }) => problems)),
  };
}

/** A text that fails in several languages is reported once. */
function unique(problems: readonly RenderProblem[]): RenderProblem[] {
  const byPlace = new Map(
    problems.map((problem) => [`${problem.file}:${problem.line}:${problem.column}`, problem]),
  );
  return [...byPlace.values()];
}
