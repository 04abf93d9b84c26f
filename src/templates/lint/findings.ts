import { defineFinding, type FindingKind } from "#src/files/public.ts";

/**
 * The findings of the template rules that hold for all wallets. Their codes are a published
 * contract: they must not change.
 */

export const fieldChangeNeverShown = defineFinding<{ readonly reason: string }>({
  code: "field.change-never-shown",
  severity: "warning",
  summary: "The message about a change can never show.",
  hint: "Write %@ once, where the new value belongs, and give it to a field whose value changes.",
  message: ({ reason }) => `This message can never show: ${reason}.`,
});

export const fieldNoEffect = defineFinding<{ readonly member: string; readonly where: string }>({
  code: "field.no-effect",
  severity: "info",
  summary: "A member of a field has no effect where the field stands.",
  hint: "Remove it.",
  message: ({ member, where }) => `'${member}' has no effect ${where}.`,
});

export const colorLowContrast = defineFinding<{ readonly name: string; readonly ratio: number }>({
  code: "color.low-contrast",
  severity: "warning",
  summary: "A text is hard to read on its background: the contrast is below 3 to 1.",
  hint: "Make one of the two colours lighter or darker.",
  message: ({ name, ratio }) =>
    `'${name}' is hard to read on 'background': the contrast is ${ratio.toFixed(1)} to 1.`,
});

export const colorUnreadable = defineFinding<{ readonly member: string; readonly form: string }>({
  code: "color.unreadable",
  severity: "error",
  summary: "A colour in a layout is not in the form that the wallet reads.",
  hint: "Write rgb(31, 42, 68) for Apple Wallet, and #1f2a44 for Google Wallet.",
  message: ({ member, form }) => `'${member}' must be a colour such as ${form}.`,
});

export const barcodeEncoding = defineFinding<{ readonly character: string }>({
  code: "barcode.encoding",
  severity: "error",
  summary: "The text of a barcode holds a character that the format cannot carry.",
  hint: "Use format: qr, or a text of plain letters, digits and signs.",
  message: ({ character }) => `A Code 128 barcode cannot carry '${character}'.`,
});

export const barcodeTooLong = defineFinding<{
  readonly format: string;
  readonly size: number;
  readonly max: number;
}>({
  code: "barcode.too-long",
  severity: "warning",
  summary: "The text of a barcode is longer than scanners read from a screen.",
  hint: "Use a shorter text, such as {{ pass.id }}.",
  message: ({ format, size, max }) =>
    `With sample data the text has ${size} bytes; scanners hardly read '${format}' of more than ${max}.`,
});

export const barcodeSameForAll = defineFinding({
  code: "barcode.same-for-all",
  severity: "warning",
  summary: "The barcode is the same on every pass, so no scanner can tell them apart.",
  hint: "Use {{ pass.id }} or an identifier.",
});

export const identifierName = defineFinding<{ readonly name: string }>({
  code: "identifier.name",
  severity: "error",
  summary: "The name of an identifier is not made of a source and a name.",
  hint: "Write <source>.<name>, as in loyalty.number.",
  message: ({ name }) => `'${name}' is not the name of an identifier.`,
});

export const identifierNotRequired = defineFinding<{ readonly name: string }>({
  code: "identifier.unique-not-required",
  severity: "info",
  summary: "An identifier is unique and not required: passes without it are never compared.",
  hint: "Add it to 'required' if every pass has one.",
  message: ({ name }) => `'${name}' is unique and not required: passes may go without it.`,
});

export const identifierUndeclared = defineFinding<{
  readonly name: string;
  /** Of the translation that uses it; undefined for the text of the template itself. */
  readonly language?: string | undefined;
}>({
  code: "identifier.undeclared",
  severity: "info",
  summary: "A text uses an identifier that the template does not name.",
  hint: "Add it to 'identifiers', or correct its name.",
  message: ({ name, language }) =>
    language === undefined
      ? `The template does not name an identifier '${name}'.`
      : `The template does not name an identifier '${name}', which the translation to '${language}' uses.`,
});

export const privilegeDuplicate = defineFinding<{ readonly id: string }>({
  code: "privilege.duplicate-id",
  severity: "error",
  summary: "Two privileges of a template have the same id.",
  hint: "Give every privilege an id of its own.",
  message: ({ id }) => `The id '${id}' is used twice.`,
});

/** A warning, because templates of former releases may have such an id and must stay publishable. */
export const privilegeNotAddressable = defineFinding<{ readonly id: string }>({
  code: "privilege.id-not-addressable",
  severity: "warning",
  summary: "The id of a privilege is '.' or '..', which clients remove from addresses.",
  hint: "Give it an id with a letter or a digit.",
  message: ({ id }) => `No address can name the privilege '${id}', so nobody can change it.`,
});

export const privilegeOutOfBounds = defineFinding<{ readonly id: string }>({
  code: "privilege.out-of-bounds",
  severity: "error",
  summary: "A privilege begins outside of its own limits.",
  hint: "Give 'value' a number from 'minimum' to 'maximum'.",
  message: ({ id }) => `The privilege '${id}' begins outside of its own limits.`,
});

/** A warning, because templates that were published before the type had this rule must stay publishable. */
export const privilegeOneTimeValue = defineFinding<{
  readonly id: string;
  readonly value: number;
  /** What new passes get instead. */
  readonly given: number;
}>({
  code: "privilege.one-time-value",
  severity: "warning",
  summary: "A OneTime privilege begins with another value than 1 or 0.",
  hint: "Give 'value' 1, or the privilege the type MultiUse if it can be redeemed several times or in parts.",
  message: ({ id, value, given }) =>
    `'value' of the privilege '${id}' is ${value}: new passes are given ${given}.`,
});

export const privilegeInexact = defineFinding<{ readonly id: string; readonly member: string }>({
  code: "privilege.inexact-number",
  severity: "error",
  summary: "A number of a privilege has more digits than can be kept.",
  hint: "Use at most 15 digits before the point and 4 after it.",
  message: ({ id, member }) => `'${member}' of the privilege '${id}' has too many digits.`,
});

export const dataRequiredUndeclared = defineFinding<{ readonly name: string }>({
  code: "data.required-undeclared",
  severity: "warning",
  summary: "Data is required that the template does not describe.",
  hint: "Add it to 'properties', or correct its name.",
  message: ({ name }) => `'${name}' is required and not among the properties.`,
});

export const templateDuplicateName = defineFinding<{
  readonly name: string;
  readonly other: string;
}>({
  code: "template.duplicate-name",
  severity: "warning",
  summary: "Two templates have the same name, and people cannot tell them apart.",
  hint: "Give every template a name of its own.",
  message: ({ name, other }) => `'${other}' has the name '${name}' as well.`,
});

export const locationNoStores = defineFinding({
  code: "location.no-stores",
  severity: "warning",
  summary: "Passes are to show near the stores, and no store has a location.",
  hint: "Give the stores in server/stores.yml a location, or remove 'locations'.",
});

export const locationTooMany = defineFinding<{ readonly count: number }>({
  code: "location.too-many",
  severity: "info",
  summary: "Wallets look at ten locations of a pass: the others have no effect.",
  hint: "Put the ten that matter most first.",
  message: ({ count }) => `Wallets look at ten locations of a pass, and there are ${count}.`,
});

export const storeDuplicateId = defineFinding<{ readonly id: string }>({
  code: "store.duplicate-id",
  severity: "error",
  summary: "Two stores have the same id.",
  hint: "Give every store an id of its own.",
  message: ({ id }) => `The id '${id}' is used twice.`,
});

export const localeUntranslated = defineFinding<{
  readonly text: string;
  readonly languages: readonly string[];
}>({
  code: "locale.untranslated",
  severity: "warning",
  summary: "A text has no translation to one of the languages.",
  hint: "Add it to the file of the language in locales/.",
  message: ({ text, languages }) => `'${text}' is missing in ${languages.join(", ")}.`,
  advice: ({ languages }) =>
    `Add it to ${languages.map((language) => `locales/${language}.yml`).join(", ")}.`,
});

export const localeUnused = defineFinding<{ readonly key: string }>({
  code: "locale.unused",
  severity: "info",
  summary: "No template uses this translation.",
  hint: "Remove it, or correct the text that it stands for.",
  message: ({ key }) => `No template uses '${key}'.`,
});

export const lintFindings: readonly FindingKind[] = [
  fieldChangeNeverShown,
  fieldNoEffect,
  colorLowContrast,
  colorUnreadable,
  barcodeEncoding,
  barcodeTooLong,
  barcodeSameForAll,
  identifierName,
  identifierNotRequired,
  identifierUndeclared,
  privilegeDuplicate,
  privilegeNotAddressable,
  privilegeOutOfBounds,
  privilegeOneTimeValue,
  privilegeInexact,
  dataRequiredUndeclared,
  templateDuplicateName,
  locationNoStores,
  locationTooMany,
  storeDuplicateId,
  localeUntranslated,
  localeUnused,
];
