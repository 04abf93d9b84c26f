import { defineFinding, type FindingKind } from "#src/files/public.ts";

type Member = { readonly member: string; readonly message: string };

export const appleLayoutRefused = defineFinding<Member>({
  code: "apple.layout-refused",
  severity: "error",
  summary: "A layout makes passes that iPhones refuse.",
  hint: "Correct the member; Apple's description of pass.json says what it takes.",
  message: ({ member, message }) => `iPhones refuse the pass: '${member}' ${message}.`,
});

export const appleLayoutDoubtful = defineFinding<Member>({
  code: "apple.layout-doubtful",
  severity: "warning",
  summary: "With sample data, a layout makes a pass that iPhones refuse.",
  hint: "Make sure that the text gives the right form for every pass, or describe its data.",
  message: ({ member, message }) =>
    `With sample data iPhones refuse the pass: '${member}' ${message}.`,
});

export const appleLayoutUnknown = defineFinding<Member>({
  code: "apple.layout-unknown",
  severity: "warning",
  summary: "A layout has a name or a value that Apple Wallet does not know and ignores.",
  hint: "Correct it, or keep it if a newer iOS knows it.",
  message: ({ member, message }) => `'${member}' ${message}.`,
});

export const passJsonFindings: readonly FindingKind[] = [
  appleLayoutRefused,
  appleLayoutDoubtful,
  appleLayoutUnknown,
];
