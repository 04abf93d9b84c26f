import { generateKeyPairSync } from "node:crypto";
import sharp from "sharp";
import { issueCertificate } from "./certificates.ts";
import { toFiles } from "./template-files.ts";

/** A small tenant with a file of each kind, in which nothing is wrong at all. */

export const GOOD_FILES: Readonly<Record<string, string>> = {
  "tenant.yml": `name: Harbour Club
defaultLocale: en
timeZone: Europe/Lisbon
`,
  "server/passes/club.yml": `kind: loyalty
name: Harbour Card
organization: Harbour Club
description: Card of the Harbour Club
colors:
  background: "#1f2a44"
  foreground: "#ffffff"
  label: "#c9d3ea"
images:
  icon: images/icon.png
  strip: images/strip.png
barcode:
  format: code128
  message: "{{ pass.id }}"
identifiers:
  required: [club.number]
  unique: [club.number]
data:
  type: object
  required: [firstName]
  properties:
    firstName: { type: string }
    tier: { type: string, enum: [Deck, Bridge] }
fields:
  header:
    - key: points
      label: Points
      value: "{{ privileges.points.value }}"
      change: "You now have %@ points"
  secondary:
    - key: name
      label: Member
      value: "{{ data.firstName }}"
    - key: tier
      label: Tier
      value: "{{ data.tier | default: 'Deck' | t }}"
  back:
    - key: terms
      label: Terms
      value: club.terms
privileges:
  - { id: points, name: Points, type: MultiUse, value: 0, minimum: 0 }
expiration: { after: P2Y }
locations: stores
`,
  "server/passes/ferry.yml": `kind: boardingPass
name: Ferry
organization: Harbour Club
description: Flight over the harbour
images: { icon: images/icon.png }
barcode: { format: qr, message: "{{ pass.id }}" }
data:
  type: object
  properties:
    passenger: { type: string }
    departure: { type: string, format: date-time }
    journey: { type: string }
transit:
  type: air
  id: "{{ data.journey }}"
  carrier: HC
  number: "12"
  origin: { code: LIS }
  destination: { code: OPO }
  departure: "{{ data.departure }}"
  passenger: "{{ data.passenger }}"
fields:
  primary:
    - { key: from, label: From, value: LIS }
    - { key: to, label: To, value: OPO }
`,
  "server/stores.yml": `stores:
  - id: pier
    name: Pier
    location: { latitude: 38.7, longitude: -9.1 }
    text: The pier is near
  - id: dock
    name: Dock
`,
  "server/schedule.yml": `tasks:
  - id: night
    kind: expire-passes
    cron: "5 0 * * *"
    timeZone: Europe/Lisbon
  - id: week
    kind: purge
    cron: "0 4 * * sun"
`,
  "server/import.yml": `delimiter: ";"
passType: club
columns:
  Number: identifiers.club.number
  First name: additionalData.firstName
`,
  "server/cdp.yml": `enabled: false
projectToken: 1f4d3f3a-5b0e-11ee-8c99-0242ac120002
baseUrl: https://api.exponea.com
apiKeyId: vx3bfp9e1m0o
`,
  "server/apple.yml": `passTypeIdentifier: pass.example.harbour
teamIdentifier: ABCDE12345
secrets:
  certificate: APPLE-CERTIFICATE
  key: APPLE-KEY
  intermediate: APPLE-INTERMEDIATE
`,
  "server/google.yml": `issuerId: "3388000000012345678"
secrets:
  serviceAccount: GOOGLE-ACCOUNT
`,
  "layouts/club.apple.yml": `suppressStripShine: true
backgroundColor: rgb(31, 42, 68)
`,
  "layouts/club.google.yml": `class:
  countryCode: PT
`,
  "locales/en.yml": `club:
  terms: The card is personal.
`,
  "locales/de.yml": `club:
  terms: Die Karte ist persönlich.
Card of the Harbour Club: Karte des Hafenclubs
Flight over the harbour: Flug über den Hafen
Points: Punkte
Member: Mitglied
Tier: Stufe
Terms: Bedingungen
From: Von
To: Nach
Deck: Deck
Bridge: Brücke
You now have %@ points: Du hast jetzt %@ Punkte
The pier is near: Der Pier ist nah
`,
};

export function picture(width: number, height: number): Promise<Buffer> {
  const background = "#1f2a44";
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
}

const pictures = {
  "images/icon.png": await picture(660, 660),
  "images/strip.png": await picture(1125, 432),
};

/** The set with some files changed; null takes one out. */
export function goodFiles(changed: Readonly<Record<string, string | Buffer | null>> = {}) {
  const all = new Map<string, Buffer>([...toFiles(GOOD_FILES), ...Object.entries(pictures)]);
  for (const [path, content] of Object.entries(changed)) {
    if (content === null) all.delete(path);
    else all.set(path, Buffer.from(content));
  }
  return new Map([...all].sort(([left], [right]) => (left < right ? -1 : 1)));
}

export const authority = issueCertificate({ name: { CN: "Example Authority", OU: "G4" } });
export const PASS_NAME = { UID: "pass.example.harbour", OU: "ABCDE12345", CN: "Harbour" };
const leaf = issueCertificate({ name: PASS_NAME, issuer: authority });
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

export const GOOD_SECRETS: Readonly<Record<string, string>> = {
  "APPLE-CERTIFICATE": leaf.certificate,
  "APPLE-KEY": leaf.keyPem,
  "APPLE-INTERMEDIATE": authority.certificate,
  "GOOGLE-ACCOUNT": JSON.stringify({
    client_email: "passes@example.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  }),
};
