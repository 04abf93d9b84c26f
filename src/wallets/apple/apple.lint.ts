import type { Finding } from "#src/files/public.ts";
import {
  type CompiledTemplate,
  type JsonObject,
  type Kind,
  LAYOUT_BARCODES_MAX,
  type LocalizedPass,
  placedFields,
  SECTIONS,
  type Section,
  templateFinding,
  unreadableColors,
} from "#src/templates/language/public.ts";
import {
  APPLE_FIXED_MEMBERS,
  APPLE_STYLES,
  buildPassJson,
  buildPassStrings,
} from "./apple.content.ts";
import {
  appleKeyTaken,
  appleLayoutBarcode,
  appleMemberMissing,
  appleTooManyBarcodes,
  appleTooManyFields,
} from "./apple.findings.ts";
import { MESSAGE_KEY } from "./bundle/bundle.message.ts";
import { lintEnrolment } from "./enrolment/enrolment.lint.ts";
import { lintPassJson } from "./pass-json/pass-json.lint.ts";
import { incompleteStyle, nfcFindings, nfcMessage, timeZones } from "./rich-style.lint.ts";

export function lintTemplate(compiled: CompiledTemplate): Finding[] {
  return [
    ...fixedMembers(compiled),
    ...takenKeys(compiled),
    ...fieldCounts(compiled),
    ...layoutColors(compiled),
    ...tooManyBarcodes(compiled),
    ...lintEnrolment(compiled),
    ...nfcFindings(compiled),
    ...timeZones(compiled),
  ];
}

const SAMPLE = { passTypeIdentifier: "pass.sample", teamIdentifier: "SAMPLE0000" };

export function lintSample(compiled: CompiledTemplate, pass: LocalizedPass): Finding[] {
  buildPassStrings(pass);
  const passJson = buildPassJson(compiled, pass, SAMPLE);
  return [
    ...missingMembers(compiled, passJson),
    ...nfcMessage(compiled, pass.main.nfc?.message ?? ""),
    ...incompleteStyle(compiled, passJson),
    ...layoutBarcodes(compiled, pass),
    ...lintPassJson(compiled, passJson),
  ];
}

function fixedMembers({ layouts: { apple } }: CompiledTemplate): Finding[] {
  if (apple === undefined) return [];
  return Object.keys(apple.source)
    .filter((name) => APPLE_FIXED_MEMBERS.includes(name))
    .map((name) =>
      templateFinding("layout-fixed-member", apple.keyAt([name]), `a layout cannot set '${name}'`),
    );
}

function takenKeys(compiled: CompiledTemplate): Finding[] {
  return placedFields(compiled, SECTIONS)
    .filter(({ field }) => field.key === MESSAGE_KEY)
    .map(({ section, index }) =>
      appleKeyTaken(compiled.at(["fields", section, index]), { key: MESSAGE_KEY }),
    );
}

/** Sections that share one place on the pass, and how many fields fit into that place. */
export type Room = {
  readonly sections: readonly Section[];
  readonly max: number;
  readonly row?: 0 | 1;
};

const HEADER: Room = { sections: ["header"], max: 3 };
const ONE_PRIMARY: Room = { sections: ["primary"], max: 1 };
const SECONDARY: Room = { sections: ["secondary"], max: 4 };
const ONE_ROW: readonly Room[] = [
  HEADER,
  ONE_PRIMARY,
  { sections: ["secondary", "auxiliary"], max: 4 },
];

export const ROOMS: Readonly<Record<Kind, readonly Room[]>> = {
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

function fieldCounts(compiled: CompiledTemplate): Finding[] {
  return ROOMS[compiled.kind].flatMap(({ sections, max, row }) => {
    const where = `${sections.map((section) => `'${section}'`).join(" and ")}${row === 1 ? ", row 1" : ""}`;
    return placedFields(compiled, sections)
      .filter(({ field }) => row === undefined || (field.row ?? 0) === row)
      .slice(max)
      .map(({ section, index }) =>
        appleTooManyFields(compiled.at(["fields", section, index]), { where, max }),
      );
  });
}

const BYTE = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const RGB = new RegExp(`^rgb\\(\\s*${BYTE}\\s*,\\s*${BYTE}\\s*,\\s*${BYTE}\\s*\\)$`);
const COLORS = [
  ...["backgroundColor", "foregroundColor", "labelColor", "stripColor"],
  "footerBackgroundColor",
];

function layoutColors({ layouts: { apple } }: CompiledTemplate): Finding[] {
  return unreadableColors(apple, COLORS, RGB, "rgb(31, 42, 68)");
}

function tooManyBarcodes({ layouts: { apple } }: CompiledTemplate): Finding[] {
  const { barcodes } = apple?.source ?? {};
  if (apple === undefined || !Array.isArray(barcodes)) return [];
  const max = LAYOUT_BARCODES_MAX;
  if (barcodes.length <= max) return [];
  return [appleTooManyBarcodes(apple.keyAt(["barcodes", max]), { count: barcodes.length, max })];
}

function layoutBarcodes(
  { layouts: { apple } }: CompiledTemplate,
  { main }: LocalizedPass,
): Finding[] {
  if (apple === undefined) return [];
  return main.layouts.appleLeftOut.flatMap(({ path, problem }) =>
    problem === undefined
      ? []
      : [appleLayoutBarcode(apple.keyAt([...path, "message"]), { problem })],
  );
}

const isBlank = (source: unknown): boolean => typeof source === "string" && source.trim() === "";

/** `buildPassJson` always sets these members. Only a layout can remove them, or name nothing for any pass. */
function missingMembers(
  { kind, layouts: { apple } }: CompiledTemplate,
  passJson: JsonObject,
): Finding[] {
  if (apple === undefined) return [];
  return ["organizationName", "description", APPLE_STYLES[kind]]
    .filter((member) => Object.hasOwn(apple.source, member))
    .filter((member) => passJson[member] === undefined || isBlank(apple.source[member]))
    .map((member) => appleMemberMissing(apple.keyAt([member]), { member }));
}
