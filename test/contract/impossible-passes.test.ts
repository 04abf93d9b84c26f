import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;

const templateOf = (format: string) => `kind: loyalty
name: Card
organization: "{{ data.brand }}"
description: "{{ data.brand }}"
images: { icon: images/icon.png }
barcode: { format: ${format}, message: "{{ data.code }}", text: "Number {{ data.code | size }}" }
data:
  type: object
  properties: { brand: { type: string }, code: { type: string, maxLength: 9000 } }
identifiers: { required: [loyalty.number], unique: [loyalty.number] }
fields: { primary: [{ key: name, label: Member, value: Ada }] }
`;

async function readAll(format: string, additionalData: Record<string, string>) {
  const tenantId = `shop-${format}`;
  const { id } = await seedPass(api, tenantId, {
    additionalData: { brand: "Lune", ...additionalData },
  });
  const content = await api.get(`/api/${tenantId}/passes/${id}/content?explain=true`, { key });
  assert.equal(content.status, 200, content.text);
  const preview = await api.get(`/api/${tenantId}/passes/${id}/preview`, { key });
  assert.equal(preview.status, 200, preview.text);
  return {
    problems: content.body.problems,
    content: content.body,
    explanation: content.body.explanation,
    apple: preview.body.apple.pass,
    google: preview.body.google.object,
  };
}

const LONG = "ü".repeat(2_954);
const CASES: readonly [format: string, code: string, rule: string, problem: RegExp][] = [
  ["code128", "Zürich", "barcode-not-ascii", /'ü'.*no barcode/],
  ["code128", "A\u0080", "barcode-not-ascii", /Code 128/],
  ["code128", "A\u0091", "barcode-not-ascii", /Code 128/],
  ["pdf417", "Aa 1".repeat(300), "barcode-too-long", /1200 bytes.*1108/],
  ["aztec", "A-1".repeat(700), "barcode-too-long", /2100 bytes.*1914/],
  ["code128", "日本", "barcode-not-ascii", /'日'/],
  ["qr", LONG, "barcode-too-long", /2954 bytes.*2953/],
  ["qr", "日".repeat(1_000), "barcode-too-long", /3000 bytes/],
  ["pdf417", "ü".repeat(1_109), "barcode-too-long", /1109 bytes/],
  ["aztec", "ü".repeat(1_915), "barcode-too-long", /1915 bytes/],
];

for (const format of ["qr", "code128", "pdf417", "aztec"]) {
  await seedPassTenant(api, `shop-${format}`, {
    "tenant.yml": "name: Club Lune\n",
    "server/passes/loyalty.yml": templateOf(format),
  });
}

describe("a barcode that cannot exist", () => {
  for (const [format, code, rule, problem] of CASES) {
    it(`200: ${format} of ${code.length} × ${code[0]}: left out, and why`, async () => {
      const { problems, explanation, apple, google, content } = await readAll(format, { code });
      assert.deepEqual(
        [apple.barcode, apple.barcodes, google.barcode],
        [undefined, undefined, undefined],
      );
      assert.equal(apple.storeCard.primaryFields[0].value, "Ada");
      assert.equal(content.barcode.message, code);
      assert.equal(problems.length, 1);
      assert.match(problems[0].message, problem);
      assert.ok(problems[0].line > 1);
      for (const wallet of ["apple", "google"] as const) {
        const named = (name: string) =>
          explanation[wallet].find((text: { name: string }) => text.name === name);
        const { shown, members, rule: why } = named("barcode.message");
        assert.deepEqual([shown, members, why.code], [false, [], rule]);
        // Google shows it as the number of the account, too.
        if (wallet === "apple") assert.equal(named("barcode.text").rule.code, "barcode-missing");
      }
    });
  }

  it("200: one that can stays, and nothing is said", async () => {
    const { problems, explanation, apple, google } = await readAll("code128", { code: "A-1~" });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      apple.barcodes.map(({ format }: { format: string }) => format),
      ["PKBarcodeFormatCode128", "PKBarcodeFormatQR"],
    );
    assert.equal(google.barcode.value, "A-1~");
    const text = explanation.apple.find(({ name }: { name: string }) => name === "barcode.message");
    assert.equal(text.shown, true);
    assert.deepEqual(text.members.slice(0, 2), ["barcodes[0].message", "barcodes[1].message"]);
  });

  for (const [format, code] of [
    ["pdf417", "gold member since 2019, ".repeat(62)],
    ["aztec", "gold member since 2019, ".repeat(100)],
    ["qr", "GOLD-2019/".repeat(410)],
  ] as const) {
    it(`200: ${format} of ${code.length} letters, digits and signs can exist, and is shown`, async () => {
      const { problems, apple, google } = await readAll(format, { code });
      assert.deepEqual(problems, []);
      assert.equal(apple.barcodes[0].message, code);
      assert.equal(google.barcode.value, code);
    });
  }
});

describe("an organization that is empty", () => {
  it("200: the tenant's name stands in its place on both wallets, and the problems say so", async () => {
    const { problems, apple, google, content } = await readAll("qr", { code: "1", brand: " " });
    const name = "Club Lune";
    assert.deepEqual([apple.organizationName, content.organization], [name, name]);
    assert.equal(apple.description, name);
    assert.ok(!JSON.stringify(google).includes('""'));
    assert.equal(problems.length, 1);
    assert.match(problems[0].message, /is empty, so '.+' stands in its place/);
  });

  it("200: that of the template stands in for one of the layout, and for a description", async () => {
    const layout = "organizationName: '{{ data.code }}'\ndescription: ' {{ data.code }}'\n";
    const body = { files: { "layouts/loyalty.apple.yml": layout } };
    const sent = await api.patch("/api/tenants/shop-aztec", { key, body });
    assert.equal(sent.status, 200, sent.text);
    const { problems, apple } = await readAll("aztec", { code: " " });
    assert.deepEqual([apple.organizationName, apple.description], ["Lune", "Lune"]);
    assert.equal(problems.length, 1);
    const [{ message, file, line }] = problems;
    assert.match(message, /is empty, so 'Lune' stands in its place/);
    assert.deepEqual([file, line], ["layouts/loyalty.apple.yml", 1]);
    const named = await readAll("aztec", { code: "Sun" });
    assert.deepEqual(named.problems, []);
    assert.deepEqual([named.apple.organizationName, named.apple.description], ["Sun", " Sun"]);
  });

  it("400: a layout that gives every pass an empty organization is not published", async () => {
    const body = { files: { "layouts/loyalty.apple.yml": "organizationName: ' '\n" } };
    const { status, text } = await api.patch("/api/tenants/shop-aztec", { key, body });
    assert.equal(status, 400, text);
    assert.match(text, /apple\.member-missing/);
  });
});
