import { defineFinding, type FindingKind } from "#src/files/public.ts";
import { enrolmentFindings } from "./enrolment/enrolment.findings.ts";

/** The codes of these findings are a published contract: they must not change. */

export const appleTooManyFields = defineFinding<{
  readonly where: string;
  readonly max: number;
}>({
  code: "apple.too-many-fields",
  severity: "warning",
  summary: "Apple Wallet has no room for this field and leaves it out without a word.",
  hint: "Move the field to 'back', or remove one.",
  message: ({ where, max }) =>
    `Apple Wallet shows ${max} ${max === 1 ? "field" : "fields"} in ${where}: this one is left out.`,
});

export const appleKeyTaken = defineFinding<{ readonly key: string }>({
  code: "apple.key-taken",
  severity: "error",
  summary: "A field has the key under which messages to the holder are shown.",
  hint: "Give the field another key.",
  message: ({ key }) => `'${key}' is the key of messages to the holder.`,
});

export const appleMemberMissing = defineFinding<{ readonly member: string }>({
  code: "apple.member-missing",
  severity: "error",
  summary: "A layout takes away what Apple Wallet refuses a pass without.",
  hint: "Remove the member from the layout.",
  message: ({ member }) => `Apple Wallet refuses a pass without '${member}'.`,
});

export const iconMissing = defineFinding({
  code: "image.icon-missing",
  severity: "error",
  summary: "The template has no icon; Apple Wallet refuses a pass without one.",
  hint: "Add images: { icon: images/icon.png }, a square of at least 114 × 114 pixels.",
});

export const imageWrongSlot = defineFinding<{
  readonly image: string;
  readonly reason: string;
}>({
  code: "image.wrong-slot",
  severity: "warning",
  summary: "Apple Wallet does not show this image on a pass of this kind.",
  hint: "Remove the image, or give it to a slot that the kind has.",
  message: ({ image, reason }) => `Apple Wallet does not show '${image}' ${reason}.`,
});

export const appleFindings: readonly FindingKind[] = [
  appleTooManyFields,
  appleKeyTaken,
  appleMemberMissing,
  iconMissing,
  imageWrongSlot,
  ...enrolmentFindings,
];
