import { type Bundle, type PassJson, stringsFor } from "./bundle.ts";

/** What an owner of a phone can be asked for, by the name of Apple. */
const QUESTIONS = {
  PKPassPersonalizationFieldName: ["givenName", "familyName"],
  PKPassPersonalizationFieldEmailAddress: ["emailAddress"],
  PKPassPersonalizationFieldPhoneNumber: ["phoneNumber"],
  PKPassPersonalizationFieldPostalCode: ["postalCode", "ISOCountryCode"],
} as const;
export type EnrolmentInput = (typeof QUESTIONS)[keyof typeof QUESTIONS][number];

/** What the owner of the phone reads and fills in. */
export type EnrolmentForm = {
  readonly description: string;
  readonly terms: string;
  readonly inputs: readonly EnrolmentInput[];
};

const FILE = "personalization.json";

export const hasEnrolment = ({ files }: Bundle): boolean => files.has(FILE);

/**
 * Undefined if Wallet would not ask: it does so only for store cards with NFC, and drops questions
 * that it cannot read without a word.
 */
export function enrolmentOf(bundle: Bundle, language: string): EnrolmentForm | undefined {
  const { pass, files } = bundle;
  const isReward = isObject(pass.storeCard) && isObject(pass.nfc);
  const question = isReward ? read(files.get(FILE)) : undefined;
  if (question === undefined || typeof question.description !== "string") return undefined;
  const asked = question.requiredPersonalizationFields;
  if (!Array.isArray(asked) || asked.length === 0 || !asked.every(isQuestion)) return undefined;
  const strings = stringsFor(bundle, language, "personalization");
  const localized = (text: unknown) =>
    typeof text === "string" ? (strings.get(text) ?? text) : "";
  return {
    description: localized(question.description),
    terms: localized(question.termsAndConditions),
    inputs: asked.flatMap((name) => QUESTIONS[name]),
  };
}

function isQuestion(name: unknown): name is keyof typeof QUESTIONS {
  return typeof name === "string" && Object.hasOwn(QUESTIONS, name);
}

function isObject(value: unknown): value is PassJson {
  return typeof value === "object" && value !== null;
}

function read(file: Buffer | undefined): PassJson | undefined {
  try {
    const value: unknown = JSON.parse(file?.toString() ?? "null");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
