import { templatePath } from "#src/templates/language/public.ts";
import type { LocalizedPass, RenderedPass, TextSource } from "#src/templates/public.ts";
import type { PassContent } from "../content.service.ts";
import { leavesOf, placesOf } from "./explanation.places.ts";
import type { ContentExplainer, PassFacts, Rule } from "./explanation.port.ts";
import type { ExplainedText, Source, SourceKind } from "./explanation.schema.ts";
import { type PassText, textsOf } from "./explanation.texts.ts";

export type ExplainInput = {
  readonly content: PassContent;
  /** In the language that is explained. */
  readonly rendered: RenderedPass;
  readonly sources: readonly TextSource[];
  readonly facts: PassFacts;
  /** True if the pass has an expiration date of its own, and not by its template. */
  readonly hasOwnExpiry: boolean;
};

/** The same with what is looked up by file and pointer, of which there may be thousands. */
type Explaining = Omit<ExplainInput, "sources"> & {
  readonly sources: ByPlace<TextSource>;
  readonly problems: ByPlace<RenderedPass["problems"][number]>;
};

type Placed = Pick<TextSource, "file" | "pointer">;
type ByPlace<Item> = ReadonlyMap<string, Item>;

const keyOf = ({ file, pointer }: Placed): string => `${file} ${pointer.join("/")}`;

/** Of several at one place, the first. */
function byPlace<Item extends Placed>(items: readonly Item[]): ByPlace<Item> {
  return new Map(items.toReversed().map((item) => [keyOf(item), item]));
}

const NO_LAYOUTS: RenderedPass["layouts"] = {
  apple: undefined,
  appleLeftOut: [],
  googleClass: undefined,
  googleObject: undefined,
};

/** Tells for every text of a pass what one wallet makes of it, and then what a layout adds. */
export function explainFor(explainer: ContentExplainer, given: ExplainInput): ExplainedText[] {
  const { rendered, content, facts } = given;
  const [sources, problems] = [byPlace(given.sources), byPlace(rendered.problems)];
  const input: Explaining = { ...given, sources, problems };
  const build = (main: RenderedPass) =>
    explainer.build(content.template, inOneLanguage(main), facts);
  const texts = textsOf(rendered).filter((text) => isWritten(text, input));
  const bare = { ...rendered, layouts: NO_LAYOUTS };
  const places = placesOf(texts, rendered, build);
  const isLaidOut = explainer.layoutOf(rendered.layouts) !== undefined;
  const barePlaces = isLaidOut ? placesOf(texts, bare, build) : places;
  const limits = explainer.limits(content.template, rendered);
  const own = texts.map((text): ExplainedText => {
    const members = [...(places.get(text) ?? [])];
    const limit = text.key === undefined ? undefined : limits.get(text.key);
    const rule =
      members.length > 0
        ? limit
        : leftOutBy(text, input, explainer, (barePlaces.get(text) ?? []).length > 0);
    return {
      name: text.name,
      label: text.label ?? null,
      value: text.text,
      shown: members.length > 0 && (limit?.isShown ?? true),
      members,
      sources: sourcesOf(text, input),
      rule: rule === undefined ? null : { code: rule.code, text: rule.text },
    };
  });
  return [...own, ...layoutTexts(explainer, input)];
}

/** Translations would only repeat each text, so a wallet is asked for one language alone. */
function inOneLanguage(main: RenderedPass): LocalizedPass {
  return { main, others: [] };
}

/** Leaves out optional texts that the template does not have. */
function isWritten(text: PassText, input: Explaining): boolean {
  const { sources } = input;
  return text.text !== "" || text.name === "expirationDate" || sources.has(keyIn(input, text));
}

/** The place of a text in the file of the template. */
function keyIn({ content }: Explaining, { pointer }: PassText): string {
  return keyOf({ file: templatePath(content.template.passType), pointer });
}

function leftOutBy(
  passText: PassText,
  input: Explaining,
  { name, layoutFile, noPlace }: ContentExplainer,
  hasPlaceWithoutLayout: boolean,
): Rule {
  const { text, isOfEmptyField } = passText;
  const { content, facts } = input;
  const failed = input.problems.get(keyIn(input, passText));
  // A text that stands there and cannot be shown has a rule of the wallet.
  if (failed !== undefined && text === "") {
    return { code: "failed-text", text: `The text ${failed.message}, so it is empty.` };
  }
  if (text === "") {
    return { code: "empty-text", text: `It is empty for this pass; ${name} gets no empty texts.` };
  }
  if (isOfEmptyField === true) {
    return { code: "empty-field", text: "The field has no value for this pass and is left out." };
  }
  const { passType, kind } = content.template;
  if (hasPlaceWithoutLayout) {
    const file = layoutFile(passType);
    return { code: "layout-replaces", text: `${file} puts something else in its place.` };
  }
  return (
    noPlace(passText.name, content.template, facts) ?? {
      code: "no-place",
      text: `${name} has no place for it on a pass of kind '${kind}'.`,
    }
  );
}

const KINDS: Readonly<Record<string, SourceKind>> = {
  data: "data",
  metadata: "connector",
  privileges: "privilege",
  identifiers: "identifier",
  locale: "locale",
  pass: "pass",
  tenant: "tenant",
};

function sourcesOf(text: PassText, input: Explaining): Source[] {
  if (text.name === "expirationDate" && input.hasOwnExpiry) {
    return [variable("pass.expirationDate")];
  }
  const found = input.sources.get(keyIn(input, text));
  if (found === undefined) {
    const name = templatePath(input.content.template.passType);
    return [{ kind: "template", name, line: null, column: null }];
  }
  return fromSource(found, "template", input.rendered.language);
}

function fromSource(source: TextSource, kind: "template" | "layout", language: string): Source[] {
  const { file, line, column, usesLocale, translations } = source;
  const translated = Object.hasOwn(translations, language) ? translations[language] : undefined;
  const reads = translated ?? source.reads;
  const variables = reads.map(variable);
  const isNamed = variables.some((each) => each.kind === "locale");
  const byLanguage: Source[] =
    translated !== undefined || (usesLocale && !isNamed)
      ? [{ kind: "locale", name: language, line: null, column: null }]
      : [];
  return [{ kind, name: file, line, column }, ...variables, ...byLanguage];
}

function variable(path: string): Source {
  const [root = ""] = path.split(".", 1);
  return { kind: KINDS[root] ?? "data", name: path, line: null, column: null };
}

function layoutTexts(explainer: ContentExplainer, input: Explaining): ExplainedText[] {
  const { rendered, content, sources } = input;
  const layout = explainer.layoutOf(rendered.layouts);
  if (layout === undefined) return [];
  const file = explainer.layoutFile(content.template.passType);
  return leavesOf(layout).map(({ path, value }): ExplainedText => {
    const source = sources.get(keyOf({ file, pointer: pointerOf(path) }));
    const place = layoutPlace(explainer, rendered, path, value);
    const rule = typeof place === "string" ? null : place;
    return {
      name: `layout.${path}`,
      label: null,
      value: toValue(value),
      shown: rule === null,
      members: typeof place === "string" ? [place] : [],
      sources:
        source === undefined
          ? [{ kind: "layout", name: file, line: null, column: null }]
          : fromSource(source, "layout", rendered.language),
      rule,
    };
  });
}

/** The path in the document, or why the value is not in it. */
function layoutPlace(
  explainer: ContentExplainer,
  rendered: RenderedPass,
  path: string,
  value: unknown,
): string | Rule {
  const { fixedMembers, name } = explainer;
  if (fixedMembers.some((member) => path === member || path.startsWith(`${member}.`))) {
    return {
      code: "fixed-member",
      text: `${name} is told this by the product; no layout sets it.`,
    };
  }
  if (value === null) {
    return { code: "layout-removes", text: "The layout removes what the template gives." };
  }
  return explainer.layoutPlace?.(path, rendered) ?? path;
}

/** `storeCard.headerFields[0].value` as a pointer into the file. */
function pointerOf(path: string): (string | number)[] {
  return path.split(/[.[\]]+/).filter((step) => step !== "");
}

function toValue(value: unknown): ExplainedText["value"] {
  return ["string", "number", "boolean"].includes(typeof value)
    ? (value as string | number | boolean)
    : null;
}
