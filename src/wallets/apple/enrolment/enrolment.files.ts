import { isObject } from "#kernel/json.ts";
import type {
  Enrolment,
  EnrolmentField,
  JsonObject,
  LocalizedPass,
  RenderedPass,
} from "#src/templates/language/public.ts";
import { defined, orUndefined } from "../../json.values.ts";
import { type AppleTemplate, formatStrings } from "../apple.content.ts";
import { proximity } from "../apple.proximity.ts";
import type { ArchiveFile } from "../bundle/bundle.archive.ts";
import { languageFolders } from "../languages/language.folders.ts";
import { ENROLMENT_KIND, lacksAnswers } from "./enrolment.rules.ts";

const FIELDS: Readonly<Record<EnrolmentField, string>> = {
  name: "PKPassPersonalizationFieldName",
  email: "PKPassPersonalizationFieldEmailAddress",
  phone: "PKPassPersonalizationFieldPhoneNumber",
  postalCode: "PKPassPersonalizationFieldPostalCode",
};

type Asked = {
  readonly template: AppleTemplate;
  readonly rendered: LocalizedPass;
  readonly data: Readonly<Record<string, unknown>>;
  readonly isVoided: boolean;
};

/**
 * True if the phone shall ask whoever adds the pass. Apple Wallet does so only on passes for rewards
 * that have NFC, so no other pass carries the questions.
 */
export function asksHolder({ template, rendered, data, isVoided }: Asked): boolean {
  if (isVoided || template.kind !== ENROLMENT_KIND) return false;
  return lacksAnswers(template.template.enrolment, data) && hasNfc(template, rendered.main);
}

/** A layout may give NFC to a pass, or take it away. */
function hasNfc(template: AppleTemplate, main: RenderedPass): boolean {
  const layout = main.layouts.apple;
  if (layout !== undefined && Object.hasOwn(layout, "nfc")) return isObject(layout.nfc);
  return proximity(template, main).nfc !== undefined;
}

/** What the phone asks, as personalization.json says it. */
export function questionOf({ fields }: Pick<Enrolment, "fields">, main: RenderedPass): JsonObject {
  const { description, terms } = textsOf(main);
  return defined({
    description,
    requiredPersonalizationFields: fields.map((field) => FIELDS[field]),
    termsAndConditions: orUndefined(terms),
  });
}

/** What the phone asks, and its texts in the other languages of the tenant. */
export function enrolmentFiles(
  enrolment: Pick<Enrolment, "fields">,
  { main, others }: LocalizedPass,
): ArchiveFile[] {
  const own = textsOf(main);
  const question = questionOf(enrolment, main);
  const files = [{ name: "personalization.json", content: Buffer.from(JSON.stringify(question)) }];
  const tables = others.map((other) => [other.language, tableOf(own, textsOf(other))] as const);
  if (!tables.some(([, table]) => [...table].some(([key, text]) => key !== text))) return files;
  const all = [[main.language, tableOf(own, own)] as const, ...tables];
  const folders = languageFolders(all.map(([language]) => language));
  for (const [language, table] of all) {
    const content = Buffer.from(formatStrings(table));
    files.push({ name: `${folders.get(language)}.lproj/personalization.strings`, content });
  }
  return files;
}

type Texts = { readonly description: string; readonly terms: string };

/** Apple Wallet needs a description, and a text of the template may come out empty. */
function textsOf({ enrolment, description, organization }: RenderedPass): Texts {
  const shown = enrolment?.description || description || organization;
  return { description: shown, terms: enrolment?.terms ?? "" };
}

function tableOf(own: Texts, other: Texts): Map<string, string> {
  const table = new Map<string, string>();
  if (own.terms !== "") table.set(own.terms, other.terms || own.terms);
  table.set(own.description, other.description);
  return table;
}
