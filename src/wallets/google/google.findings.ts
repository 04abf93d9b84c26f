import { defineFinding, type FindingKind } from "#src/files/public.ts";
import { layoutFindings } from "./layouts/layout.findings.ts";
import { tripFindings } from "./trips/trip.findings.ts";

/** The codes of these findings are a published contract: they must not change. */

export const googleTooManyFields = defineFinding({
  code: "google.too-many-fields",
  severity: "warning",
  summary: "Google Wallet shows nine fields on the front: this one is left out.",
  hint: "Move the field to 'back', or remove one.",
});

export const googleTooManyTexts = defineFinding({
  code: "google.too-many-texts",
  severity: "warning",
  summary:
    "Google Wallet shows ten fields of a pass, front and back together: this one is left out.",
  hint: "Put two fields into one, or remove one.",
});

type Member = { readonly member: string; readonly advice: string | undefined };

export const googleClassFieldMissing = defineFinding<Member>({
  code: "google.class-field-missing",
  severity: "error",
  summary: "Something is missing that Google Wallet refuses a class without.",
  hint: "Add the value to the template.",
  message: ({ member }) => `Google Wallet refuses a class without '${member}'.`,
  advice: ({ advice }) => advice,
});

export const googleObjectFieldMissing = defineFinding<Member>({
  code: "google.object-field-missing",
  severity: "error",
  summary: "Something is missing that Google Wallet refuses a pass without.",
  hint: "Add the value to the template.",
  message: ({ member }) => `Google Wallet refuses a pass without '${member}'.`,
  advice: ({ advice }) => advice,
});

export const googleVenueIncomplete = defineFinding({
  code: "google.venue-incomplete",
  severity: "warning",
  summary: "Google Wallet shows a venue only with both its name and its address.",
  hint: "Give 'event' both 'venue' and 'address'.",
});

export const googleBalanceWithoutCurrency = defineFinding({
  code: "google.balance-without-currency",
  severity: "warning",
  summary: "Google Wallet shows a balance only with its currency.",
  hint: "Add currency: EUR, or another code of three letters, to 'giftCard'.",
});

type OfClass = { readonly part: string; readonly variable: string };

export const googleClassPerPass = defineFinding<OfClass>({
  code: "google.class-per-pass",
  severity: "warning",
  summary:
    "Google Wallet gets a class of its own for each pass, keeps it for ever, and with it what it says of the holder.",
  hint: "Put the value into a field that is not the title, such as a secondary one.",
  message: ({ part, variable }) =>
    `Each pass has its own '${variable}', and Google Wallet keeps '${part}' on the class: it gets one class for each pass and deletes none.`,
});

export const googleClassPerText = defineFinding<OfClass>({
  code: "google.class-per-text",
  severity: "info",
  summary: "Google Wallet gets a class of its own for each text of an offer, and deletes none.",
  hint: "Give the data an 'enum' if there are few texts. What is different for each holder belongs into a field that is not the title.",
  message: ({ part, variable }) =>
    `Google Wallet keeps '${part}' on the class, and gets a class for each value of '${variable}'.`,
});

export const googleClassTextShared = defineFinding<OfClass>({
  code: "google.class-text-shared",
  severity: "warning",
  summary:
    "Google Wallet shows a text of one pass to the holders of all passes of the same event or journey.",
  hint: "Put the value into a field of the pass, such as a secondary one, or into a detail of its own, such as `event.holder`.",
  message: ({ part, variable }) =>
    `Each pass has its own '${variable}', and Google Wallet shows '${part}' of the pass that was sent last on all passes of the class.`,
});

export const googleFindings: readonly FindingKind[] = [
  googleTooManyFields,
  googleTooManyTexts,
  googleClassFieldMissing,
  googleObjectFieldMissing,
  googleVenueIncomplete,
  googleBalanceWithoutCurrency,
  ...layoutFindings,
  googleClassPerPass,
  googleClassPerText,
  googleClassTextShared,
  ...tripFindings,
];
