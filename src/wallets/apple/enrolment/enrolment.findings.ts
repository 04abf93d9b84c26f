import { defineFinding } from "#src/files/public.ts";

/** The codes of these findings are a published contract: they must not change. */

export const appleEnrolmentHidden = defineFinding<{ readonly reason: string }>({
  code: "apple.enrolment-hidden",
  severity: "warning",
  summary: "Apple Wallet never asks the holder on passes of this template.",
  hint: "Use kind 'loyalty', and give the pass NFC, for which Apple must have issued the certificate.",
  message: ({ reason }) =>
    `Apple Wallet asks the holder only on loyalty passes with NFC, and ${reason}.`,
});

export const appleEnrolmentLogoMissing = defineFinding({
  code: "apple.enrolment-logo-missing",
  severity: "warning",
  summary: "There is no picture for the top of the form that Apple Wallet shows.",
  hint: "Add 'enrolmentLogo' or 'logo' to 'images', at least 450 × 120 pixels.",
  message: () => "Apple Wallet expects a logo above its questions, and the template has none.",
});

export const appleEnrolmentMember = defineFinding<{ readonly member: string }>({
  code: "apple.enrolment-member",
  severity: "error",
  summary: "An answer of the holder is kept in a member that takes no text.",
  hint: "Declare the member in 'data' as { type: string }, or name another one in 'enrolment.into'.",
  message: ({ member }) => `'data' takes no text in '${member}', where an answer would be kept.`,
});

export const appleEnrolmentNeverAsks = defineFinding({
  code: "apple.enrolment-never-asks",
  severity: "warning",
  summary: "'data' requires everything that the holder would be asked for.",
  hint: "Take what the holder shall answer out of 'required'.",
  message: () => "Every pass has all answers from the start, so Apple Wallet never asks.",
});

export const enrolmentFindings = [
  appleEnrolmentHidden,
  appleEnrolmentLogoMissing,
  appleEnrolmentMember,
  appleEnrolmentNeverAsks,
];
