import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { NFC_KEY } from "#test/support/template-files.ts";
import type { ContentExplanation, ExplainedText } from "./explanation.schema.ts";

const TEMPLATE = `kind: loyalty
name: Harbour Card
organization: Harbour Club
description: Card of the Harbour Club
logoText: Harbour
colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }
images: { icon: images/icon.png }
barcode: { format: qr, message: "{{ pass.id }}", text: "{{ identifiers['loyalty.number'] }}" }
identifiers: { required: [loyalty.number], unique: [loyalty.number] }
data:
  type: object
  properties:
    firstName: { type: string }
    nickname: { type: string }
    email: { type: string }
member: { name: "{{ data.firstName }}" }
fields:
  header:
    - { key: points, label: Points, value: "{{ privileges.points.value }}", format: { number: decimal } }
  primary:
    - { key: name, label: Member, value: "{{ data.firstName }}" }
  secondary:
    - { key: nickname, label: Nickname, value: "{{ data.nickname }}" }
    - { key: a, label: A, value: "one" }
    - { key: b, label: B, value: "two" }
    - { key: c, label: C, value: "{{ metadata.crm.level | default: 'none' }}" }
    - { key: d, label: D, value: "four" }
    - { key: e, label: E, value: "{{ 'five' | t }} {{ tenant.name }}" }
  back:
    - { key: terms, label: Terms, value: "Bring this card." }
    - { key: site, label: Site, value: "https://harbour.example" }
privileges: [ { id: points, name: Points, type: MultiUse, value: 0 } ]
expiration: { after: P2Y }
`;

const APPLE_LAYOUT = `logoText: "{{ tenant.name }} again"
storeCard:
  backFields:
    - { key: own, label: Own, value: "From the layout" }
maxDistance: 100
locations: null
`;

const api = await startApi({ after });
const key = api.operatorKey;
await seedPassTenant(api, "acme", {
  "server/passes/loyalty.yml": TEMPLATE,
  "locales/fr.yml": "Bring this card.: Apportez cette carte pour {{ data.firstName }}.\n",
});
await seedPassTenant(api, "near", {
  "server/passes/loyalty.yml": `${TEMPLATE.replace(
    "format: { number: decimal } }",
    'change: "{{ data.firstName }} now has %@" }',
  )}nfc: { message: "{{ pass.id }}", encryptionPublicKey: "${NFC_KEY}" }
beacons: [ { uuid: 6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11, text: "Come in, {{ data.firstName }}" } ]
locations: [ { latitude: 1, longitude: 2, text: Near } ]
`,
});
const ENROLMENT = `enrolment: { fields: [email], description: "Join {{ tenant.name }}.", terms: Rules apply. }
`;
await seedPassTenant(api, "asking", {
  "server/passes/loyalty.yml": `${TEMPLATE}nfc: { message: "{{ pass.id }}", encryptionPublicKey: "${NFC_KEY}" }
${ENROLMENT}`,
});
await seedPassTenant(api, "far", { "server/passes/loyalty.yml": `${TEMPLATE}${ENROLMENT}` });
await seedPassTenant(api, "laid-out", {
  "server/passes/loyalty.yml": TEMPLATE,
  "layouts/loyalty.apple.yml": APPLE_LAYOUT,
  "layouts/loyalty.google.yml": 'object: { accountName: "{{ data.firstName }} of the club" }\n',
});

async function explain(
  tenantId: string,
  query = "",
  additionalData: Record<string, unknown> = { firstName: "Ada" },
): Promise<ContentExplanation> {
  const { id } = await seedPass(api, tenantId, { additionalData });
  const path = `/api/${tenantId}/passes/${id}/content?explain=true${query}`;
  const { status, body, text, headers } = await api.get(path, { key });
  assert.equal(status, 200, text);
  assert.equal(headers.get("etag"), null);
  return body.explanation;
}

const named = (texts: readonly ExplainedText[], name: string): ExplainedText => {
  const found = texts.find((text) => text.name === name);
  assert.ok(found !== undefined, `${name} is among ${texts.map((text) => text.name).join(", ")}`);
  return found;
};
const kindsOf = ({ sources }: ExplainedText) => sources.map(({ kind, name }) => `${kind} ${name}`);
const FILE = "server/passes/loyalty.yml";

describe("GET /api/:tenantId/passes/:passId/content?explain=true (content.get)", () => {
  it("200: every field of both wallets, its value, its place and what it was made of", async () => {
    const { apple, google } = await explain("acme");
    const points = named(apple, "fields.header.points");
    assert.deepEqual(
      [points.label, points.value, points.shown, points.members, points.rule],
      ["Points", "0", true, ["storeCard.headerFields[0].value"], null],
    );
    assert.deepEqual(kindsOf(points), [`template ${FILE}`, "privilege privileges.points.value"]);
    assert.deepEqual([points.sources[0]?.line, points.sources[0]?.column], [19, 44]);
    assert.deepEqual(kindsOf(named(apple, "fields.primary.name")).slice(1), [
      "data data.firstName",
    ]);
    assert.deepEqual(kindsOf(named(apple, "barcode.text")).slice(1), [
      "identifier identifiers.loyalty.number",
    ]);
    assert.deepEqual(kindsOf(named(google, "fields.secondary.c")).slice(1), [
      "connector metadata.crm.level",
    ]);
    assert.deepEqual(kindsOf(named(google, "fields.secondary.e")).slice(1), [
      "tenant tenant.name",
      "locale en",
    ]);
    assert.deepEqual(named(google, "fields.header.points").members, [
      "object.loyaltyPoints.balance.string",
      "object.textModulesData[0].body",
    ]);
    assert.deepEqual(named(google, "fields.back.site").members, [
      "object.linksModuleData.uris[0].uri",
    ]);
    assert.deepEqual(named(apple, "expirationDate").members, ["expirationDate"]);
    assert.deepEqual(named(google, "expirationDate").members, [
      "object.validTimeInterval.end.date",
    ]);
  });

  it("200: the rule that left a field out", async () => {
    const { apple, google } = await explain("acme");
    const rule = (texts: readonly ExplainedText[], name: string) => {
      const { shown, rule: found } = named(texts, name);
      return [shown, found?.code];
    };
    assert.deepEqual(rule(apple, "fields.secondary.nickname"), [false, "empty-text"]);
    assert.deepEqual(rule(google, "fields.secondary.nickname"), [false, "empty-text"]);
    // Four of them fit, and the empty one takes no room.
    assert.deepEqual(rule(apple, "fields.secondary.d"), [true, undefined]);
    assert.deepEqual(rule(apple, "fields.secondary.e"), [false, "front-limit"]);
    assert.deepEqual(rule(google, "description"), [false, "no-place"]);
    assert.ok(
      named(google, "organization").members.includes(
        "class.programLogo.contentDescription.defaultValue.value",
      ),
    );
    assert.deepEqual(rule(google, "logoText"), [false, "no-place"]);
    assert.deepEqual(rule(apple, "member.name"), [false, "no-place"]);
    assert.deepEqual(rule(google, "member.name"), [true, undefined]);
  });

  it("200: labels and change messages, each with its own place and source", async () => {
    const { apple, google } = await explain("near");
    const label = named(apple, "fields.header.points.label");
    assert.deepEqual(
      [label.value, label.members, label.shown],
      ["Points", ["storeCard.headerFields[0].label"], true],
    );
    const change = named(apple, "fields.header.points.change");
    assert.deepEqual(
      [change.value, change.members, kindsOf(change)[0]],
      ["Ada now has %@", ["storeCard.headerFields[0].changeMessage"], `template ${FILE}`],
    );
    assert.deepEqual(kindsOf(change).slice(1), ["data data.firstName"]);
    const own = named(google, "fields.header.points.change");
    assert.deepEqual([own.shown, own.rule?.code], [false, "own-words"]);
    assert.deepEqual(named(google, "fields.header.points.label").members, [
      "object.loyaltyPoints.label",
      "object.textModulesData[0].header",
    ]);
    const empty = named(apple, "fields.secondary.nickname.label");
    assert.deepEqual([empty.shown, empty.rule?.code], [false, "empty-field"]);
    assert.ok(!apple.some(({ name }) => name === "fields.primary.name.change"), "it has none");
  });

  it("200: NFC, beacons and locations, or the rule that left them out", async () => {
    const { apple, google } = await explain("near");
    const found = (texts: readonly ExplainedText[], name: string) => {
      const { value, members, rule } = named(texts, name);
      return [value, members.join(), rule?.code];
    };
    const id = named(apple, "barcode.message").value;
    assert.deepEqual(found(apple, "nfc.message"), [id, "nfc.message", undefined]);
    assert.deepEqual(found(google, "nfc.message"), [id, "", "nfc-without-issuers"]);
    const text = "beacons[0].relevantText";
    assert.deepEqual(found(apple, "beacons.0.text"), ["Come in, Ada", text, undefined]);
    assert.deepEqual(kindsOf(named(apple, "beacons.0.text")).slice(1), ["data data.firstName"]);
    assert.deepEqual(found(google, "beacons.0.text"), ["Come in, Ada", "", "no-beacons"]);
    const near = ["Near", "locations[0].relevantText", undefined];
    assert.deepEqual(found(apple, "locations.0.text"), near);
    assert.deepEqual(found(google, "locations.0.text"), ["Near", "", "no-location-text"]);
  });

  it("200: what the holder is asked, or the rule by which nobody is", async () => {
    const { apple, google } = await explain("asking");
    const description = named(apple, "enrolment.description");
    assert.deepEqual(
      [description.value, description.members, description.rule],
      ["Join asking.", ["personalization.description"], null],
    );
    assert.deepEqual(kindsOf(description), [`template ${FILE}`, "tenant tenant.name"]);
    assert.deepEqual(named(apple, "enrolment.terms").members, [
      "personalization.termsAndConditions",
    ]);
    assert.deepEqual(named(google, "enrolment.terms").rule?.code, "no-enrolment");
    const known = named(
      (await explain("asking", "", { email: "ada@harbour.example" })).apple,
      "enrolment.terms",
    );
    assert.deepEqual([known.shown, known.rule?.code], [false, "enrolment-answered"]);
    const far = named((await explain("far")).apple, "enrolment.terms");
    assert.deepEqual([far.shown, far.rule?.code], [false, "enrolment-without-nfc"]);
  });

  it("200: in the language asked for, with the translation as a source", async () => {
    const { apple } = await explain("acme", "&locale=fr-CH");
    const terms = named(apple, "fields.back.terms");
    assert.equal(terms.value, "Apportez cette carte pour Ada.");
    assert.deepEqual(kindsOf(terms), [`template ${FILE}`, "data data.firstName", "locale fr"]);
    const plain = named((await explain("acme")).apple, "fields.back.terms");
    assert.deepEqual(kindsOf(plain), [`template ${FILE}`]);
  });

  it("200: what a layout replaces, adds and removes", async () => {
    const { apple, google } = await explain("laid-out");
    const file = "layouts/loyalty.apple.yml";
    const terms = named(apple, "fields.back.terms");
    assert.deepEqual([terms.shown, terms.rule?.code], [false, "layout-replaces"]);
    assert.ok(terms.rule?.text.includes(file));
    const own = named(apple, "layout.storeCard.backFields[0].value");
    assert.deepEqual([own.value, kindsOf(own)], ["From the layout", [`layout ${file}`]]);
    const logo = named(apple, "layout.logoText");
    assert.deepEqual(
      [logo.value, kindsOf(logo), logo.sources[0]?.line],
      ["laid-out again", [`layout ${file}`, "tenant tenant.name"], 1],
    );
    assert.equal(named(apple, "logoText").rule?.code, "layout-replaces");
    assert.equal(named(apple, "layout.maxDistance").value, 100);
    assert.equal(named(apple, "layout.locations").rule?.code, "layout-removes");
    const account = named(google, "layout.object.accountName");
    assert.deepEqual(account.value, "Ada of the club");
    assert.deepEqual(kindsOf(account).slice(1), ["data data.firstName"]);
    assert.equal(named(google, "member.name").rule?.code, "layout-replaces");
  });

  it("200: nothing of it unless it is asked for, and 400 for another word", async () => {
    const { id } = await seedPass(api, "acme");
    const path = `/api/acme/passes/${id}/content`;
    for (const query of ["", "?explain=false"]) {
      assert.ok(!("explanation" in (await api.get(`${path}${query}`, { key })).body));
    }
    assert.equal((await api.get(`${path}?explain=maybe`, { key })).status, 400);
  });
});
