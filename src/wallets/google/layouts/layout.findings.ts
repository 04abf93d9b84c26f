import { defineFinding, type FindingKind } from "#src/files/public.ts";

/**
 * The codes of these findings are a published contract: they must not change. Names and words that the table
 * does not have are warnings, because Google adds new ones and a layout with one of them must stay publishable.
 */

type Unknown = { readonly path: string; readonly type: string; readonly meant: string | undefined };

export const googleLayoutUnknownMember = defineFinding<Unknown>({
  code: "google.layout-unknown-member",
  severity: "warning",
  summary:
    "A layout has a member that Google Wallet does not know: Google refuses every pass with it.",
  hint: "Remove the member, or write its name as in Google's reference.",
  message: ({ path, type }) => `'${path}' is unknown: Google's ${type} has no such member.`,
  advice: ({ meant }) => (meant === undefined ? undefined : `Did you mean '${meant}'?`),
});

export const googleLayoutWrongType = defineFinding<{
  readonly path: string;
  readonly wanted: string;
}>({
  code: "google.layout-wrong-type",
  severity: "error",
  summary: "A layout has a value of another type than Google Wallet takes there.",
  hint: "Write a value of the type that Google takes.",
  message: ({ path }) => `'${path}' has a value of another type than Google Wallet takes there.`,
  advice: ({ wanted }) => `Write ${wanted}.`,
});

type Word = { readonly path: string; readonly word: string; readonly advice: string };

export const googleLayoutUnknownValue = defineFinding<Word>({
  code: "google.layout-unknown-value",
  severity: "warning",
  summary: "A layout has a value that is none of those that Google Wallet takes there.",
  hint: "Write one of the values that Google takes.",
  message: ({ path, word }) => `'${word}' is none of the values that Google takes for '${path}'.`,
  advice: ({ advice }) => advice,
});

export const googleLayoutImageAddress = defineFinding<{ readonly path: string }>({
  code: "google.layout-image-address",
  severity: "error",
  summary: "A layout has the address of a picture that Google Wallet cannot fetch.",
  hint: "Write an address that begins with https://.",
  message: ({ path }) =>
    `'${path}' is not an https address: Google Wallet cannot fetch the picture.`,
});

export const googleLayoutReviewStatus = defineFinding({
  code: "google.layout-review-status",
  severity: "error",
  summary: "A layout keeps the class from Google's review, so Google takes no pass of it.",
  hint: "Remove 'reviewStatus', or write UNDER_REVIEW: Google approves the class itself.",
});

type Gap = { readonly path: string; readonly member: string };

export const googleLayoutMemberMissing = defineFinding<Gap>({
  code: "google.layout-member-missing",
  severity: "error",
  summary: "A layout leaves out a member that Google Wallet requires inside of another.",
  hint: "Add the member, or remove what it belongs to.",
  message: ({ path, member }) => `Google Wallet refuses '${path}' without '${member}'.`,
});

type Own = { readonly path: string; readonly effect: string };

export const googleLayoutOwnMember = defineFinding<Own>({
  code: "google.layout-own-member",
  severity: "warning",
  summary: "A layout sets what this service or Google Wallet sets itself.",
  hint: "Remove the member.",
  message: ({ path, effect }) => `'${path}' is set by the layout: ${effect}.`,
});

export const layoutFindings: readonly FindingKind[] = [
  googleLayoutUnknownMember,
  googleLayoutWrongType,
  googleLayoutUnknownValue,
  googleLayoutImageAddress,
  googleLayoutReviewStatus,
  googleLayoutMemberMissing,
  googleLayoutOwnMember,
];
