import type { ContentExplainer, FieldLimit, Rule } from "#src/content/public.ts";
import { barcodeRule, impossibleRule } from "../barcode.explanation.ts";
import { placeOfBarcode } from "./apple.barcodes.ts";
import { APPLE_FIXED_MEMBERS, buildPassJson } from "./apple.content.ts";
import { ROOMS } from "./apple.lint.ts";
import { NFC_BYTES_MAX } from "./apple.proximity.ts";
import { LOCATIONS_MAX } from "./apple.relevance.ts";
import { asksHolder, questionOf } from "./enrolment/enrolment.files.ts";
import { ENROLMENT_KIND, lacksAnswers } from "./enrolment/enrolment.rules.ts";

/** The members that identify a pass are not explained, so any identity will do. */
const IDENTITY = { passTypeIdentifier: "pass.example", teamIdentifier: "EXAMPLE000" };

export const appleExplainer: ContentExplainer = {
  wallet: "apple",
  name: "Apple Wallet",
  build(template, pass, { data, isOver: isVoided }) {
    // It follows from many texts, and is the place of none.
    const { preferredStyleSchemes: _, ...document } = buildPassJson(template, pass, IDENTITY);
    const { enrolment } = template.template;
    if (enrolment === undefined || !asksHolder({ template, rendered: pass, data, isVoided })) {
      return document;
    }
    return { ...document, personalization: questionOf(enrolment, pass.main) };
  },
  layoutOf: ({ apple }) => apple,
  layoutFile: (passType) => `layouts/${passType}.apple.yml`,
  fixedMembers: APPLE_FIXED_MEMBERS,
  layoutPlace(path, { layouts }) {
    const found = placeOfBarcode(path, layouts);
    return "place" in found ? found.place : impossibleRule(found.leftOut);
  },
  /** Fields that are empty take no room, so the next one moves up. */
  limits({ kind }, { fields }) {
    const limits = new Map<string, FieldLimit>();
    for (const { sections, max, row } of ROOMS[kind]) {
      const shown = sections
        .flatMap((section) => fields[section])
        .filter((field) => field.text !== "" && (row === undefined || (field.row ?? 0) === row));
      const place = sections.map((section) => `'${section}'`).join(" and ");
      const text = `Apple Wallet has room for ${max} in ${place} on a pass of kind '${kind}'.`;
      for (const { key } of shown.slice(max)) {
        limits.set(key, { code: "front-limit", text, isShown: false });
      }
    }
    return limits;
  },
  noPlace(name, { kind, template }, { data, isOver }) {
    if (name.startsWith("locations.")) return LOCATION_LIMIT;
    if (name.startsWith("enrolment.")) {
      if (kind !== ENROLMENT_KIND) return ENROLMENT_OF_KIND;
      if (!lacksAnswers(template.enrolment, data)) return ENROLMENT_ANSWERED;
      return isOver ? ENROLMENT_OVER : ENROLMENT_WITHOUT_NFC;
    }
    if (name !== "nfc.message") return barcodeRule(name, template);
    return template.nfc?.encryptionPublicKey === undefined ? NFC_WITHOUT_KEY : NFC_TOO_LONG;
  },
};

const LOCATION_LIMIT: Rule = {
  code: "location-limit",
  text: `Apple Wallet looks at the first ${LOCATIONS_MAX} locations.`,
};

const ENROLMENT_OF_KIND: Rule = {
  code: "enrolment-kind",
  text: `Apple Wallet asks holders on passes of kind '${ENROLMENT_KIND}' alone.`,
};

const ENROLMENT_ANSWERED: Rule = {
  code: "enrolment-answered",
  text: "The pass has all that its holder would be asked for, so the phone asks nothing.",
};

const ENROLMENT_OVER: Rule = {
  code: "enrolment-over",
  text: "The pass is disabled or has expired, so the phone asks nothing.",
};

const ENROLMENT_WITHOUT_NFC: Rule = {
  code: "enrolment-without-nfc",
  text: "Apple Wallet asks holders only on passes that have NFC.",
};

const NFC_WITHOUT_KEY: Rule = {
  code: "nfc-without-key",
  text: "Apple Wallet tells readers nothing without 'nfc.encryptionPublicKey'.",
};

const NFC_TOO_LONG: Rule = {
  code: "nfc-too-long",
  text: `Apple Wallet would cut a message of more than ${NFC_BYTES_MAX} bytes off.`,
};
