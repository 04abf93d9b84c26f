import sharp from "sharp";
import { NFC_KEY } from "./template-files.ts";

/** A loyalty card with NFC that asks whoever adds it for everything that can be asked. */
export const ENROLMENT_FIELDS = "[name, email, phone, postalCode]";

const LOGO = await sharp({
  create: { width: 480, height: 128, channels: 3, background: "#c9d3ea" },
})
  .png()
  .toBuffer();

const TEMPLATE = `kind: loyalty
name: Harbour Card
organization: Harbour Club
description: Card of the Harbour Club
colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }
images: { icon: images/icon.png, enrolmentLogo: images/enrolment.png }
barcode: { format: qr, message: "{{ pass.id }}" }
identifiers: { unique: [loyalty.number] }
data:
  type: object
  properties:
    firstName: { type: string, maxLength: 60 }
    lastName: { type: string }
    email: { type: string, format: email }
    phone: { type: string }
    postalCode: { type: string }
    land: { type: string }
  additionalProperties: false
nfc:
  message: "{{ pass.id }}"
  encryptionPublicKey: ${NFC_KEY}
enrolment:
  fields: ${ENROLMENT_FIELDS}
  description: Join the Harbour Club.
  terms: 'You agree to <a href="https://harbour.example/rules">our rules</a>.'
  into: { country: land }
fields:
  primary: [ { key: name, label: Member, value: "{{ data.firstName | default: 'Guest' }}", change: "Welcome, %@" } ]
`;

const GERMAN = `Join the Harbour Club.: Komm in den Harbour Club.
Card of the Harbour Club: Karte des Harbour Club
Member: Mitglied
"Welcome, %@": "Willkommen, %@"
'You agree to <a href="https://harbour.example/rules">our rules</a>.': 'Du bist mit <a href="https://harbour.example/rules">den Regeln</a> einverstanden.'
`;

export const ENROLMENT_FILES: Readonly<Record<string, string | { base64: string }>> = {
  "server/passes/loyalty.yml": TEMPLATE,
  "locales/de.yml": GERMAN,
  "images/enrolment.png": { base64: LOGO.toString("base64") },
};

/** As the owner of a phone would answer. */
export const ANSWER = {
  fullName: "Ada Lovelace",
  givenName: "Ada",
  familyName: "Lovelace",
  emailAddress: "ada@harbour.example",
  phoneNumber: "+33 1 42 72 00 00",
  postalCode: "75004",
  ISOCountryCode: "FR",
} as const;
