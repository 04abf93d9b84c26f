import { serveSideThread } from "#kernel/side-thread-program.ts";
import type { CompiledText } from "./liquid/liquid.ts";
import type { CompiledTemplate } from "./template.compiled.ts";
import { codeTexts, nameTexts } from "./template.holder.ts";
import { renderInAllLanguages } from "./template.render.ts";
import { readTemplates, type TemplateSet } from "./template.set.ts";
import { textSources } from "./template.sources.ts";
import type { SetFacts, TemplateAsk, TemplateFacts, TemplateReply } from "./template.thread.ts";
import { END_ZONES } from "./template.times.ts";
import { translatableTexts } from "./template.translatable.ts";
import type { TemplateValue } from "./template.value.ts";

/** Runs in a side thread: see template.thread.ts. */

/** The total size of the files. Compiled templates take about twenty times as much memory. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

type Kept = { readonly set: TemplateSet; readonly sizeBytes: number };
/** In the order of use, the least recently used first. */
const kept = new Map<string, Kept>();
let keptBytes = 0;

type Loading = Extract<TemplateAsk, { readonly kind: "load" }>;

function load({ set: name, tenant, files }: Loading): TemplateSet {
  const buffers = new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  let sizeBytes = 0;
  for (const bytes of buffers.values()) sizeBytes += bytes.length;
  for (const [oldest, { sizeBytes: freed }] of kept) {
    if (keptBytes + sizeBytes <= KEPT_BYTES_MAX) break;
    kept.delete(oldest);
    keptBytes -= freed;
  }
  const { set } = readTemplates(buffers, tenant);
  kept.set(name, { set, sizeBytes });
  keptBytes += sizeBytes;
  return set;
}

function find(name: string): TemplateSet | undefined {
  const known = kept.get(name);
  if (known === undefined) return undefined;
  kept.delete(name);
  kept.set(name, known);
  return known.set;
}

serveSideThread<TemplateAsk, TemplateReply>((ask) => {
  const set = ask.kind === "load" ? load(ask) : find(ask.set);
  if (set === undefined) return { kind: "missing" };
  if (ask.kind === "open" || ask.kind === "load") return { kind: "set", facts: setFacts(set) };
  const template = set.templates.get(ask.passType);
  if (template === undefined) throw new Error("A pass type was asked for that is not there.");
  switch (ask.kind) {
    case "facts":
      return { kind: "facts", facts: templateFacts(template) };
    case "sources":
      return { kind: "sources", sources: textSources(template) };
    case "render":
      return { kind: "rendered", pass: renderInAllLanguages(template, ask.input) };
  }
});

function setFacts({ templates, locales }: TemplateSet): SetFacts {
  return { passTypes: [...templates.keys()], languages: locales.languages };
}

function templateFacts(compiled: CompiledTemplate): TemplateFacts {
  const { kind, template, expiration, locales, values, perPass } = compiled;
  const { at } = expiration;
  const sourceOf = ({ text, translations }: TemplateValue) =>
    (translations.get(locales.defaultLocale) ?? text).source;
  return {
    kind,
    template,
    expirationText: at && sourceOf(at),
    zoneTexts: END_ZONES.flatMap((name) => compiled.details.get(name) ?? []).map(sourceOf),
    perPass,
    codeTexts: codeTexts(compiled),
    nameTexts: nameTexts(compiled),
    translatable: translatableTexts(compiled),
    readsPrivileges: values.some(({ text, translations }) =>
      [text, ...translations.values()].some(readsPrivileges),
    ),
  };
}

function readsPrivileges({ references }: CompiledText): boolean {
  return references.some(({ segments }) => segments[0] === "privileges");
}
