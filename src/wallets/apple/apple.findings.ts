import { defineFinding, type FindingKind } from "#src/files/public.ts";
import { enrolmentFindings } from "./enrolment/enrolment.findings.ts";
import { passJsonFindings } from "./pass-json/pass-json.findings.ts";

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

export const appleLayoutBarcode = defineFinding<{ readonly problem: string }>({
  code: "apple.layout-barcode",
  severity: "warning",
  summary: "A layout gives a barcode that cannot exist, so it is left out.",
  hint: "Use another format, or a shorter text of plain letters and digits.",
  message: ({ problem }) => `With sample data this barcode is left out: its text ${problem}.`,
});

export const appleTooManyBarcodes = defineFinding<{ readonly count: number; readonly max: number }>(
  {
    code: "apple.too-many-barcodes",
    severity: "error",
    summary: "A layout lists more barcodes than a pass may have.",
    hint: "Keep one for each format: a phone shows the first one that it can.",
    message: ({ count, max }) => `There are ${count} barcodes, and a pass may have ${max}.`,
  },
);

export const appleNfcKey = defineFinding<{ readonly problem: string }>({
  code: "apple.nfc-key",
  severity: "error",
  summary: "The public key of the readers is not of the form that Apple Wallet takes.",
  hint: "Make it by: openssl ec -in key.pem -pubout -conv_form compressed -outform DER | base64 -w0.",
  message: ({ problem }) => `The key ${problem}.`,
});

export const appleNfcKeyMissing = defineFinding({
  code: "apple.nfc-key-missing",
  severity: "warning",
  summary: "Apple Wallet tells readers nothing without their public key.",
  hint: "Add 'encryptionPublicKey' to 'nfc', and ask Apple for a certificate with NFC.",
});

export const appleNfcMessage = defineFinding<{ readonly size: number; readonly max: number }>({
  code: "apple.nfc-message",
  severity: "warning",
  summary: "The message for readers is too long for Apple Wallet, which gets none then.",
  hint: "Use a shorter text, such as the id of the pass.",
  message: ({ size, max }) =>
    `With sample data the message has ${size} bytes; Apple Wallet takes ${max}.`,
});

export const appleTimeZone = defineFinding<{ readonly name: string }>({
  code: "apple.time-zone",
  severity: "warning",
  summary: "A place names a time zone that does not exist, so the zone is left out.",
  hint: "Use the IANA name, such as Europe/Zurich.",
  message: ({ name }) => `There is no time zone '${name}'.`,
});

export const appleStyleIncomplete = defineFinding<{
  readonly style: string;
  readonly missing: readonly string[];
}>({
  code: "apple.style-incomplete",
  severity: "warning",
  summary: "The template has a part of what a richer style of Apple Wallet needs, and not all.",
  hint: "Add what is missing, or remove what only the richer style shows.",
  message: ({ style, missing }) =>
    `Apple Wallet shows ${style} only with ${listed(missing)} as well, and the classic style until then.`,
});

function listed(members: readonly string[]): string {
  const quoted = members.map((member) => `'${member}'`);
  return quoted.length < 2
    ? quoted.join("")
    : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

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

/** Of the settings, not of a template. */
export const pushPriority = defineFinding({
  code: "apple.push-priority",
  severity: "error",
  summary: "Apple's push service refuses priority 10 for pushes of type 'background'.",
  hint: "Write `type: alert` beside it, or use priority 5.",
  message: () => "Apple takes priority 10 for pushes of type 'alert' alone.",
});

export const appleFindings: readonly FindingKind[] = [
  appleTooManyFields,
  appleKeyTaken,
  appleMemberMissing,
  appleLayoutBarcode,
  appleTooManyBarcodes,
  appleNfcKey,
  appleNfcKeyMissing,
  appleNfcMessage,
  appleTimeZone,
  appleStyleIncomplete,
  iconMissing,
  imageWrongSlot,
  ...passJsonFindings,
  ...enrolmentFindings,
];
