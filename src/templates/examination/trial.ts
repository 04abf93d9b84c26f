import type { CompiledTemplate } from "../template.compiled.ts";
import { type LocalizedPass, renderInAllLanguages } from "../template.render.ts";
import { commonInput, type RenderInput } from "../template.render-input.ts";
import { previewInput, sampleInput } from "../template.sample.ts";
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

/** What a pass is made of; what is not given comes from the sample of its template. */
export type PassRequest = {
  readonly passType: string;
  /** All of it, for a pass that exists. */
  readonly input?: RenderInput;
  readonly data?: RenderInput["data"];
  readonly identifiers?: RenderInput["identifiers"];
};

/** Plain data, because it is sent between processes. */
export type MadePass = {
  readonly passTypes: readonly string[];
  /** The tenant's own language first. */
  readonly languages: readonly string[];
  /** Undefined if the template cannot be read. */
  readonly pass?: {
    readonly template: Pick<CompiledTemplate, "passType" | "kind" | "template" | "perPass">;
    readonly rendered: LocalizedPass;
    /** Rendered without a pass: what all passes of the type have in common. */
    readonly common: LocalizedPass;
  };
};

export function makePass(
  { templates, locales, tenant }: TemplateSet,
  withErrors: ReadonlySet<string>,
  request: PassRequest,
): MadePass {
  const { passType, input: given } = request;
  const known = { passTypes: [...templates.keys()], languages: locales.languages };
  const compiled = templates.get(passType);
  if (compiled === undefined || withErrors.has(compiled.path)) return known;
  const { kind, template, perPass } = compiled;
  const sample = previewInput(compiled, { ...tenant, id: "sample" });
  const input = given ?? withGiven(sample, request);
  return {
    ...known,
    pass: {
      template: { passType, kind, template, perPass },
      rendered: renderInAllLanguages(compiled, input),
      common: renderInAllLanguages(compiled, commonInput(tenant)),
    },
  };
}

function withGiven(sample: RenderInput, { data, identifiers }: PassRequest): RenderInput {
  return {
    ...sample,
    data: { ...sample.data, ...data },
    identifiers: { ...sample.identifiers, ...identifiers },
  };
}
