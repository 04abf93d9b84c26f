/** A good template of each kind, and what belongs to them. */

export function toFiles(files: Readonly<Record<string, string>>): Map<string, Buffer> {
  const sorted = Object.entries(files).sort(([left], [right]) => (left < right ? -1 : 1));
  return new Map(sorted.map(([path, text]) => [path, Buffer.from(text)]));
}

export const TENANT_YML = `name: Café Lune
defaultLocale: en
timeZone: Europe/Zurich
`;

const LOOK = `colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }
images: { icon: images/icon.png, logo: images/logo.png, strip: images/strip.png }
barcode: { format: qr, message: "{{ pass.id }}", text: "{{ identifiers['loyalty.number'] }}" }`;

export const LOYALTY_YML = `kind: loyalty
name: Gold Club
organization: Café Lune
description: Gold Club card
${LOOK}
identifiers: { required: [loyalty.number], unique: [loyalty.number] }
data: { type: object, required: [firstName], properties: { firstName: { type: string }, since: { type: string, format: date } } }
fields:
  header:  [ { key: points, label: Points, value: "{{ privileges.points.value }}", change: "You now have %@ points" } ]
  primary: [ { key: name, label: Member, value: "{{ data.firstName }}" } ]
  secondary:
    - { key: since, label: Member since, value: "{{ data.since }}", format: { date: medium } }
    - { key: number, label: Number, value: "{{ identifiers['loyalty.number'] }}", align: right }
  back:
    - { key: terms, label: Terms, value: "Bring this card." }
    - { key: site, label: Website, value: "https://lune.example/" }
privileges: [ { id: points, name: Points, type: MultiUse, value: 0 } ]
expiration: { after: P2Y }
locations: stores
`;

export const COUPON_YML = `kind: coupon
name: Summer offer
organization: Café Lune
description: A free coffee
${LOOK}
data: { type: object, properties: { percent: { type: integer } } }
offer: { title: "{{ data.percent }} % off", finePrint: Once per person, redemption: instore }
fields:
  primary: [ { key: offer, label: Offer, value: "{{ data.percent }} %" } ]
expiration: { at: "2026-09-30" }
`;

export const EVENT_YML = `kind: eventTicket
name: Concert
organization: Café Lune
description: Concert ticket
${LOOK}
data:
  type: object
  properties:
    event: { type: string, examples: [Moonlight Session] }
    start: { type: string, format: date-time }
    seat: { type: string, examples: ["12"] }
    row: { type: string, examples: [C] }
    holder: { type: string }
event:
  name: "{{ data.event }}"
  venue: Lune Hall
  address: 1 Moon Street, Zurich
  start: "{{ data.start }}"
  seat: "{{ data.seat }}"
  row: "{{ data.row }}"
  holder: "{{ data.holder }}"
fields:
  primary: [ { key: event, label: Event, value: "{{ data.event }}" } ]
  auxiliary: [ { key: seat, label: Seat, value: "{{ data.row }}{{ data.seat }}", row: 1 } ]
grouping: "{{ data.event }}"
`;

export const FLIGHT_YML = `kind: boardingPass
name: Boarding pass
organization: Lune Air
description: Boarding pass
${LOOK}
data:
  type: object
  properties:
    flight: { type: string, examples: ["214"] }
    departure: { type: string, examples: ["2026-06-15T08:20:00+02:00"] }
    passenger: { type: string, examples: [Alexandra Meier] }
    pnr: { type: string, examples: [QX7Y2Z] }
    seat: { type: string, examples: [14A] }
transit:
  type: air
  carrier: LX
  carrierName: Lune Air
  number: "{{ data.flight }}"
  origin: { code: ZRH, name: Zurich }
  destination: { code: LIS, name: Lisbon }
  departure: "{{ data.departure }}"
  passenger: "{{ data.passenger }}"
  confirmation: "{{ data.pnr }}"
  seat: "{{ data.seat }}"
fields:
  primary:
    - { key: from, label: Zurich, value: ZRH }
    - { key: to, label: Lisbon, value: LIS }
  auxiliary: [ { key: departure, label: Departure, value: "{{ data.departure }}", format: { time: short } } ]
`;

export const TRAIN_YML = FLIGHT_YML.replace("type: air", "type: train").replace(
  "name: Boarding pass",
  "name: Train ticket",
);

export const GIFT_CARD_YML = `kind: giftCard
name: Gift card
organization: Café Lune
description: Gift card
${LOOK}
identifiers: { required: [card.number] }
privileges: [ { id: balance, name: Balance, type: MultiUse, value: 25.5 } ]
giftCard: { number: "{{ identifiers['card.number'] }}", balance: "{{ privileges.balance.value }}", currency: CHF }
fields:
  primary: [ { key: balance, label: Balance, value: "{{ privileges.balance.value }}", format: { currency: CHF } } ]
`;

export const GENERIC_YML = `kind: generic
name: Library card
organization: Café Lune
description: Library card
${LOOK}
data: { type: object, properties: { name: { type: string } } }
fields:
  primary: [ { key: name, label: Reader, value: "{{ data.name }}" } ]
`;

/** The public key of a reader for Apple Wallet; nobody kept the private one. */
export const NFC_KEY =
  "MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgACw1qxr2QD6V4TCgcp4lw8nhMdd9hWh/ho7DgGzKFCDKA=";

/** A ticket with all that Apple's poster of an event needs. */
export const POSTER_EVENT_YML = `${EVENT_YML.replace(
  "strip: images/strip.png",
  "artwork: images/strip.png, primaryLogo: images/logo.png, secondaryLogo: images/logo.png",
).replace(
  "  venue: Lune Hall",
  "  type: livePerformance\n  performers: Ada; The Moons\n  room: Main hall\n  region: Zurich\n  venue: Lune Hall",
)}nfc: { message: "{{ pass.id }}", encryptionPublicKey: "${NFC_KEY}", requiresAuthentication: true, redemptionIssuers: ["3388000000012345678"] }
`;

/** A flight with all that the boarding pass of iOS 26 needs. */
export const RICH_FLIGHT_YML = FLIGHT_YML.replace(
  "name: Zurich }",
  "name: Zurich, city: Zurich, timeZone: Europe/Zurich }",
)
  .replace("name: Lisbon }", "name: Lisbon, city: Lisbon, timeZone: Europe/Lisbon }")
  .replace(
    '  departure: "{{ data.departure }}"',
    '  departure: "{{ data.departure }}"\n  boarding: "{{ data.departure }}"\n  arrival: "{{ data.departure }}"',
  )
  .replace("strip: images/strip.png", "primaryLogo: images/logo.png");

export const GERMAN_YML = `Points: Punkte
Member: Mitglied
Bring this card.: Bring diese Karte mit.
You now have %@ points: Du hast jetzt %@ Punkte
Gold Club card: Gold-Club-Karte
`;

export const STORES_YML = `stores:
  - { id: zurich, name: Lune Zurich, location: { latitude: 47.37, longitude: 8.54 } }
`;

/** Seven templates, for six kinds and every type of Google's. */
export const TEMPLATE_FILES: Readonly<Record<string, string>> = {
  "tenant.yml": TENANT_YML,
  "locales/de.yml": GERMAN_YML,
  "server/stores.yml": STORES_YML,
  "server/passes/loyalty.yml": LOYALTY_YML,
  "server/passes/coupon.yml": COUPON_YML,
  "server/passes/event.yml": EVENT_YML,
  "server/passes/flight.yml": FLIGHT_YML,
  "server/passes/train.yml": TRAIN_YML,
  "server/passes/gift.yml": GIFT_CARD_YML,
  "server/passes/library.yml": GENERIC_YML,
};
