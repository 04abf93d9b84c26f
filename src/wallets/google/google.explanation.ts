import type { ContentExplainer, FieldLimit, Rule } from "#src/content/public.ts";
import { type ImageSlot, SECTIONS } from "#src/templates/language/public.ts";
import { barcodeRule } from "../barcode.explanation.ts";
import {
  buildGoogleClass,
  buildGoogleObject,
  type GoogleIdentity,
  type GoogleTemplate,
} from "./google.content.ts";
import { googleType } from "./google.kinds.ts";

/** Ids and addresses are not explained, so any will do. Pictures are described by a text. */
function identityFor({ template: { images = {} } }: GoogleTemplate): GoogleIdentity {
  const imageUrl = (slot: ImageSlot) =>
    images[slot] === undefined ? undefined : `https://example.com/${slot}.png`;
  return { issuerId: "3388000000000000000", imageUrl };
}

/** Google shows so many texts of an object, in the order in which they are sent. */
const TEXTS_MAX = 10;

type Build = ContentExplainer["build"];

const build: Build = (template, pass) => ({
  class: buildGoogleClass(template, pass, identityFor(template)).content,
  object: buildGoogleObject(template, pass, identityFor(template)).content,
});

export const googleExplainer: ContentExplainer = {
  wallet: "google",
  name: "Google Wallet",
  build,
  layoutOf({ googleClass, googleObject }) {
    if (googleClass === undefined && googleObject === undefined) return undefined;
    return { class: googleClass ?? {}, object: googleObject ?? {} };
  },
  layoutFile: (passType) => `layouts/${passType}.google.yml`,
  fixedMembers: ["class.id", "object.id", "object.classId"],
  limits(template, pass) {
    const limits = new Map<string, FieldLimit>();
    const localized = { main: pass, others: [] };
    const { content } = buildGoogleClass(template, localized, identityFor(template));
    const rows = JSON.stringify(content.classTemplateInfo);
    const placed = SECTIONS.flatMap((section) =>
      pass.fields[section].map(({ key, text }) => ({ section, key, text })),
    ).filter(({ text }) => text !== "");
    for (const [at, { section, key }] of placed.entries()) {
      if (at >= TEXTS_MAX) limits.set(key, BEYOND_TEXTS);
      else if (section !== "back" && rows?.includes(`['${key}']`) !== true) {
        limits.set(key, BEYOND_FRONT);
      }
    }
    return limits;
  },
  noPlace(name, { template }) {
    if (/^fields\..*\.change$/.test(name)) {
      return googleType(template) === "generic" ? NO_CHANGE_NOTICE : OWN_WORDS;
    }
    if (name.startsWith("locations.")) return NO_LOCATION_TEXT;
    if (name.startsWith("beacons.")) return NO_BEACONS;
    if (name.startsWith("enrolment.")) return NO_ENROLMENT;
    if (name !== "nfc.message") return barcodeRule(name, template);
    return template.nfc?.redemptionIssuers === undefined ? NFC_WITHOUT_ISSUERS : NFC_NOT_ASCII;
  },
};

const OWN_WORDS: Rule = {
  code: "own-words",
  text: "Google Wallet tells of a change in its own words.",
};

const NO_CHANGE_NOTICE: Rule = {
  code: "no-change-notice",
  text: "Google Wallet notifies the holder of no change of a generic pass; send a notification.",
};

const NO_LOCATION_TEXT: Rule = {
  code: "no-location-text",
  text: "Google Wallet takes the places, and words its hint itself.",
};

const NO_BEACONS: Rule = {
  code: "no-beacons",
  text: "Google Wallet knows no beacons; it goes by 'locations' alone.",
};

const NO_ENROLMENT: Rule = {
  code: "no-enrolment",
  text: "Google Wallet asks nothing of whoever adds a pass.",
};

const NFC_WITHOUT_ISSUERS: Rule = {
  code: "nfc-without-issuers",
  text: "Google Wallet tells readers nothing without 'nfc.redemptionIssuers'.",
};

const NFC_NOT_ASCII: Rule = {
  code: "nfc-not-ascii",
  text: "Google Smart Tap takes letters, digits and signs of ASCII alone.",
};

const BEYOND_TEXTS: FieldLimit = {
  code: "text-limit",
  text: `Google Wallet shows the first ${TEXTS_MAX} texts of a pass.`,
  isShown: false,
};

const BEYOND_FRONT: FieldLimit = {
  code: "front-limit",
  text: "Google Wallet has room for three rows on the front; this one stands in the details.",
  isShown: true,
};
