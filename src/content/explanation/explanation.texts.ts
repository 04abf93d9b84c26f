import { SECTIONS, type Section } from "#src/templates/language/public.ts";
import type { RenderedPass } from "#src/templates/public.ts";

/** A text of a rendered pass, and how the pass looks with another text in its place. */
export type PassText = {
  readonly name: string;
  /** Its place in the file of the template. */
  readonly pointer: readonly (string | number)[];
  /** The key, for fields. */
  readonly key?: string;
  readonly label?: string;
  /** True for the label and the change message of a field without a value. */
  readonly isOfEmptyField?: boolean;
  readonly text: string;
  with(pass: RenderedPass, text: string): RenderedPass;
};

/** Every text of the pass, in the order in which people look at a template. */
export function textsOf(pass: RenderedPass): PassText[] {
  return [
    ...plainTexts(pass),
    ...barcodeTexts(pass),
    ...SECTIONS.flatMap((section) => fieldTexts(pass, section)),
    ...[...pass.details].map(([name, text]) => detailText(name, text)),
    ...nearTexts(pass, "locations"),
    ...nearTexts(pass, "beacons"),
    ...nfcTexts(pass),
    ...enrolmentTexts(pass),
    ...(pass.expiresAt === undefined ? [] : [expirationText(pass.expiresAt)]),
  ];
}

const PLAIN = ["organization", "description", "logoText", "grouping"] as const;

function plainTexts(pass: RenderedPass): PassText[] {
  return PLAIN.map((name) => ({
    name,
    pointer: [name],
    text: pass[name],
    with: (changed, text) => ({ ...changed, [name]: text }),
  }));
}

function barcodeTexts({ barcode }: RenderedPass): PassText[] {
  if (barcode === undefined) return [];
  return (["message", "text"] as const).map((name) => ({
    name: `barcode.${name}`,
    pointer: ["barcode", name],
    text: barcode[name],
    with: (changed, text) => ({
      ...changed,
      barcode: { ...(changed.barcode ?? barcode), [name]: text },
    }),
  }));
}

type Field = RenderedPass["fields"][Section][number];

/** The value of each field, then its label and what its holder is told of a change. */
function fieldTexts({ fields }: RenderedPass, section: Section): PassText[] {
  return fields[section].flatMap((field, at) => {
    const name = `fields.${section}.${field.key}`;
    const { key, label } = field;
    const part = { key, isOfEmptyField: field.text === "" };
    // Without its raw form, which a wallet would be sent instead of the text.
    const asText = (text: string) => ({ text, raw: undefined, format: undefined });
    return [
      { name, key, label, ...partOf(section, at, "value", field.text, asText) },
      {
        name: `${name}.label`,
        ...part,
        ...partOf(section, at, "label", label, (text) => ({ label: text })),
      },
      {
        name: `${name}.change`,
        ...part,
        ...partOf(section, at, "change", field.change, (text) => ({ change: text })),
      },
    ];
  });
}

function partOf(
  section: Section,
  at: number,
  member: string,
  own: string,
  change: (text: string) => Partial<Field>,
): Pick<PassText, "pointer" | "text" | "with"> {
  return {
    pointer: ["fields", section, at, member],
    text: own,
    with: (changed, text) => ({
      ...changed,
      fields: {
        ...changed.fields,
        [section]: changed.fields[section].map((field, index) =>
          index === at ? { ...field, ...change(text) } : field,
        ),
      },
    }),
  };
}

/** Wallets look at ten. A tenant may have thousands of stores, whose texts nobody needs explained. */
const NEAR_MAX = 20;

/** What the lock screen says near a place. */
function nearTexts(pass: RenderedPass, member: "locations" | "beacons"): PassText[] {
  return pass[member].slice(0, NEAR_MAX).map(({ text: own }, at) => ({
    name: `${member}.${at}.text`,
    pointer: [member, at, "text"],
    text: own,
    with: (changed, text) => ({
      ...changed,
      [member]: changed[member].map((near, index) => (index === at ? { ...near, text } : near)),
    }),
  }));
}

function nfcTexts({ nfc }: RenderedPass): PassText[] {
  if (nfc === undefined) return [];
  return [
    {
      name: "nfc.message",
      pointer: ["nfc", "message"],
      text: nfc.message,
      with: (changed, message) => ({ ...changed, nfc: { message } }),
    },
  ];
}

/** What whoever adds the pass is asked. */
function enrolmentTexts({ enrolment }: RenderedPass): PassText[] {
  if (enrolment === undefined) return [];
  return (["description", "terms"] as const).map((name) => ({
    name: `enrolment.${name}`,
    pointer: ["enrolment", name],
    text: enrolment[name],
    with: (changed, text) => ({
      ...changed,
      enrolment: { ...(changed.enrolment ?? enrolment), [name]: text },
    }),
  }));
}

function detailText(name: string, own: string): PassText {
  return {
    name,
    pointer: name.split("."),
    text: own,
    with: (changed, text) => ({ ...changed, details: new Map(changed.details).set(name, text) }),
  };
}

function expirationText(own: string): PassText {
  return {
    name: "expirationDate",
    pointer: ["expiration", "at"],
    text: own,
    with: (changed, text) => ({ ...changed, expiresAt: text }),
  };
}
