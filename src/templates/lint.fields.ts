import type { Finding } from "#src/tenants/public.ts";
import { SECTIONS, type Section } from "./field.schema.ts";
import {
  appleTooManyFields,
  fieldChangeNeverShown,
  fieldNoEffect,
  googleTooManyFields,
  googleTooManyTexts,
} from "./lint.findings.ts";
import type { CompiledField, CompiledTemplate } from "./template.compile.ts";
import type { Kind } from "./template.schema.ts";
import type { TemplateValue } from "./template.value.ts";

/** A field and where it stands. */
type PlacedField = {
  readonly field: CompiledField;
  readonly section: Section;
  readonly index: number;
};

export function fieldFindings(compiled: CompiledTemplate): Finding[] {
  return [
    ...appleCounts(compiled),
    ...googleCounts(compiled),
    ...placed(compiled, SECTIONS).flatMap((each) => [
      ...changeFindings(each, compiled),
      ...idleMembers(each, compiled),
    ]),
  ];
}

function placed({ fields }: CompiledTemplate, sections: readonly Section[]): PlacedField[] {
  return sections.flatMap((section) =>
    fields[section].map((field, index) => ({ field, section, index })),
  );
}

/** Sections that share their room, and how many fields it has. */
type Room = { readonly sections: readonly Section[]; readonly max: number; readonly row?: 0 | 1 };

const HEADER: Room = { sections: ["header"], max: 3 };
const ONE_PRIMARY: Room = { sections: ["primary"], max: 1 };
const SECONDARY: Room = { sections: ["secondary"], max: 4 };
const ONE_ROW: readonly Room[] = [
  HEADER,
  ONE_PRIMARY,
  { sections: ["secondary", "auxiliary"], max: 4 },
];

const ROOMS: Readonly<Record<Kind, readonly Room[]>> = {
  loyalty: ONE_ROW,
  giftCard: ONE_ROW,
  coupon: ONE_ROW,
  eventTicket: [
    HEADER,
    ONE_PRIMARY,
    SECONDARY,
    { sections: ["auxiliary"], max: 4, row: 0 },
    { sections: ["auxiliary"], max: 4, row: 1 },
  ],
  boardingPass: [
    HEADER,
    { sections: ["primary"], max: 2 },
    SECONDARY,
    { sections: ["auxiliary"], max: 5 },
  ],
  generic: [HEADER, ONE_PRIMARY, SECONDARY, { sections: ["auxiliary"], max: 4 }],
};

function appleCounts(compiled: CompiledTemplate): Finding[] {
  return ROOMS[compiled.kind].flatMap(({ sections, max, row }) => {
    const where = `${sections.map((section) => `'${section}'`).join(" and ")}${row === 1 ? ", row 1" : ""}`;
    return placed(compiled, sections)
      .filter(({ field }) => row === undefined || (field.row ?? 0) === row)
      .slice(max)
      .map(({ section, index }) =>
        appleTooManyFields(compiled.at(["fields", section, index]), { where, max }),
      );
  });
}

const GOOGLE_FRONT_MAX = 9;
const GOOGLE_TEXTS_MAX = 10;

/** One finding for all that are left out: the first of them is where to begin. */
function googleCounts(compiled: CompiledTemplate): Finding[] {
  const all = placed(compiled, SECTIONS);
  const front = all.filter(({ section }) => section !== "back");
  const at = ({ section, index }: PlacedField) => compiled.at(["fields", section, index]);
  const beyondFront = front.slice(GOOGLE_FRONT_MAX, GOOGLE_FRONT_MAX + 1);
  if (beyondFront.length > 0) return beyondFront.map((each) => googleTooManyFields(at(each)));
  return all
    .slice(GOOGLE_TEXTS_MAX, GOOGLE_TEXTS_MAX + 1)
    .map((each) => googleTooManyTexts(at(each)));
}

/** What a pass keeps from its first day to its last. */
const NEVER_CHANGES = new Set(["pass.id", "pass.passType", "pass.creationDate", "locale"]);

function changeFindings({ field }: PlacedField, { locales }: CompiledTemplate): Finding[] {
  const { change, value } = field;
  if (change === undefined) return [];
  const isFixed =
    value.text.problems.length === 0 &&
    value.text.paths.every((path) => NEVER_CHANGES.has(path)) &&
    (value.text.isLiteral || value.text.paths.length > 0);
  if (isFixed) {
    return [fieldChangeNeverShown(change, { reason: "the value of the field never changes" })];
  }
  const silent = locales.languages.filter((language) => !textIn(change, language).includes("%@"));
  if (silent.length === 0) return [];
  const inAll = silent.length === locales.languages.length;
  const reason = inAll ? "it has no %@" : `it has no %@ in ${silent.join(", ")}`;
  return [fieldChangeNeverShown(change, { reason })];
}

function textIn(value: TemplateValue, language: string): string {
  return (value.translations.get(language) ?? value.text).source;
}

function idleMembers({ field, section, index }: PlacedField, compiled: CompiledTemplate) {
  const findings: Finding[] = [];
  const at = (member: string) => compiled.keyAt(["fields", section, index, member]);
  if (field.align !== undefined && (section === "primary" || section === "back")) {
    findings.push(fieldNoEffect(at("align"), { member: "align", where: `in '${section}'` }));
  }
  const hasRows = compiled.kind === "eventTicket" && section === "auxiliary";
  if (field.row !== undefined && !hasRows) {
    const where = "but in 'auxiliary' of an event ticket";
    findings.push(fieldNoEffect(at("row"), { member: "row", where }));
  }
  return findings;
}
