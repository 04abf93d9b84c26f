import type { Finding } from "#src/files/public.ts";
import { type Locales, readTable } from "../locale.translations.ts";
import type { DataSchema } from "../schema/data.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import { LOCALE_PATH, type SourceReading, type TemplateSet } from "../template.set.ts";
import type { TemplateValue, ValueRole } from "../template.value.ts";
import { localeUntranslated, localeUnused } from "./findings.ts";
import { isTranslatable } from "./prose.ts";

/** Reports texts without a translation, and translations that no text uses. */
export function localeFindings({ set, sources, isWhole }: SourceReading): Finding[] {
  return [...untranslated(set), ...(isWhole ? unused(set, sources) : [])];
}

/**
 * Only texts in these roles need a translation. The other roles mostly hold names of people, places
 * and companies.
 */
const ROLES: ReadonlySet<ValueRole> = new Set([
  "description",
  "label",
  "value",
  "change",
  "locationText",
  "enrolment",
]);
const DETAILS = new Set([
  ...["offer.title", "offer.details", "offer.finePrint", "event.ticketType"],
  ...["transit.statusText", "transit.statusReason"],
]);
const SHOWN_CHARS_MAX = 60;

function untranslated({ templates, locales, stores }: TemplateSet): Finding[] {
  const seen = new Set(stores.map(({ name }) => name));
  return [...templates.values()].flatMap(({ values }) =>
    values.flatMap((value) =>
      textsOf(value).flatMap((text) => {
        if (seen.has(text)) return [];
        seen.add(text);
        const languages = languagesWithout(text, locales);
        if (languages.length === 0) return [];
        return [localeUntranslated(value, { text: shortened(text), languages })];
      }),
    ),
  );
}

/** The texts of a value that need a translation in every language. */
function textsOf(value: TemplateValue): string[] {
  const isForPeople =
    ROLES.has(value.role) || (value.role === "detail" && DETAILS.has(value.pointer.join(".")));
  const own = isForPeople && isTranslatable(value) ? [value.text.source] : [];
  return [...own, ...value.text.translated.literals];
}

const KEY = /^[\w-]+(\.[\w-]+)+$/;

function languagesWithout(text: string, locales: Locales): string[] {
  const { defaultLocale, languages } = locales;
  const others = languages.filter(
    (language) => language !== defaultLocale && !locales.translates(language, text),
  );
  // A key such as `fields.points` is not readable, so it needs a text in the default language too.
  const isKey = KEY.test(text) && languages.some((each) => locales.translates(each, text));
  const isBare = isKey && !locales.translates(defaultLocale, text);
  return isBare ? [defaultLocale, ...others] : others;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)}…` : line;
}

function unused({ templates, stores }: TemplateSet, sources: SourceReading["sources"]): Finding[] {
  const used = new Set([
    ...[...templates.values()].flatMap(textsUsed),
    ...stores.flatMap(({ name, text }) => [name, text ?? ""]),
  ]);
  return [...sources.values()]
    .filter(({ path }) => LOCALE_PATH.test(path))
    .flatMap(({ path, file }) =>
      readTable(file.value)
        .entries.filter(({ key }) => !used.has(key))
        .map(({ key, pointer }) =>
          localeUnused({ file: path, ...file.keyAt(pointer) }, { key: shortened(key) }),
        ),
    );
}

/**
 * Includes the words that data and privileges may contain, because a template can translate them:
 * `{{ data.tier | t }}`.
 */
function textsUsed({ values, template }: CompiledTemplate): string[] {
  return [
    ...values.flatMap(({ text }) => [text.source, ...text.translated.literals]),
    ...wordsOf(template.data as DataSchema | undefined),
    ...(template.privileges ?? []).flatMap(({ name, unit }) => [name, unit ?? ""]),
  ];
}

function wordsOf(schema: DataSchema | undefined): string[] {
  if (schema === undefined) return [];
  const own = [schema.const, schema.default, ...(schema.enum ?? []), ...(schema.examples ?? [])];
  return [
    ...own.filter((word) => typeof word === "string"),
    ...Object.values(schema.properties ?? {}).flatMap(wordsOf),
    ...wordsOf(schema.items),
  ];
}
