import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startProcessorClock } from "#test/support/slowness.ts";
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

describe("a barcode of a layout that cannot exist", () => {
  const LAYOUT = `barcodes:
  - { format: PKBarcodeFormatCode128, message: "{{ data.code }}", messageEncoding: utf-8 }
  - { format: PKBarcodeFormatEAN13, message: "4006381333931", messageEncoding: iso-8859-1 }
  - { format: PKBarcodeFormatQR, message: "{{ data.code }}", messageEncoding: utf-8, altText: Scan }
barcode: { format: PKBarcodeFormatPDF417, message: "{{ data.code }}" }
`;

  async function publish(tenantId: string, layout: string) {
    const body = { files: { "layouts/loyalty.apple.yml": layout } };
    const {
      status,
      body: reply,
      text,
    } = await api.patch(`/api/tenants/${tenantId}`, { key, body });
    assert.equal(status, 200, text);
    return reply.warnings.filter(({ code }: { code: string }) => code === "apple.layout-barcode");
  }

  const formatsOf = (barcodes: readonly { format: string }[]) =>
    barcodes.map(({ format }) => format.replace("PKBarcodeFormat", ""));

  it("200: is left out of the list and as the single one, and why; the others stay", async () => {
    await publish("shop-qr", LAYOUT);
    const code = "ü".repeat(1_200);
    const { problems, explanation, apple, google } = await readAll("qr", { code });
    assert.deepEqual(formatsOf(apple.barcodes), ["EAN13", "QR"]);
    assert.equal("barcode" in apple, false);
    assert.equal(google.barcode.value, code);
    assert.deepEqual(
      problems.map(({ file, line }: { file: string; line: number }) => [file, line]),
      [2, 5].map((line) => ["layouts/loyalty.apple.yml", line]),
    );
    assert.match(problems[0].message, /'ü'.*this barcode is left out/);
    assert.match(problems[1].message, /1200 bytes.*1108/);
    const of = (name: string) => {
      const text = explanation.apple.find((each: { name: string }) => each.name === name);
      return [text.shown, text.members, text.rule?.code ?? null];
    };
    assert.deepEqual(of("layout.barcodes[0].message"), [false, [], "barcode-not-ascii"]);
    assert.deepEqual(of("layout.barcodes[0].format"), [false, [], "barcode-not-ascii"]);
    assert.deepEqual(of("layout.barcodes[1].message"), [true, ["barcodes[0].message"], null]);
    assert.deepEqual(of("layout.barcodes[2].altText"), [true, ["barcodes[1].altText"], null]);
    assert.deepEqual(of("layout.barcode.message"), [false, [], "barcode-too-long"]);
  });

  it("200: none is left out for a pass whose texts they can hold", async () => {
    const { problems, apple } = await readAll("qr", { code: "A-1" });
    assert.deepEqual(problems, []);
    assert.deepEqual(formatsOf(apple.barcodes), ["Code128", "EAN13", "QR"]);
    assert.equal(apple.barcode.format, "PKBarcodeFormatPDF417");
  });

  it("200: an empty one is left out without a problem", async () => {
    const { problems, apple, explanation } = await readAll("qr", { code: "" });
    assert.deepEqual([problems, formatsOf(apple.barcodes)], [[], ["EAN13"]]);
    const text = explanation.apple.find(
      ({ name }: { name: string }) => name === "layout.barcodes[0].format",
    );
    assert.deepEqual([text.shown, text.rule.code], [false, "empty-text"]);
  });

  it("200: explains nothing of the template's, which has the same place in another file", async () => {
    await publish("shop-qr", "barcode: { format: PKBarcodeFormatCode128, message: Zürich }\n");
    const { explanation } = await readAll("qr", { code: "" });
    const text = explanation.apple.find(({ name }: { name: string }) => name === "barcode.message");
    assert.deepEqual([text.value, text.shown, text.rule.code], ["", false, "empty-text"]);
  });

  it("200: one that changes a part of the template's goes with it, and comes with another message", async () => {
    await publish("shop-code128", "barcode: { altText: Scan }\n");
    const refused = await readAll("code128", { code: "Zürich" });
    assert.deepEqual([refused.apple.barcode, refused.apple.barcodes], [undefined, undefined]);
    assert.equal(refused.problems.length, 1);
    await publish("shop-code128", "barcode: { message: Zurich }\n");
    const { apple } = await readAll("code128", { code: "Zürich" });
    assert.deepEqual([apple.barcodes, apple.barcode.message], [undefined, "Zurich"]);
    assert.equal(apple.barcode.format, "PKBarcodeFormatQR");
  });

  it("200: ten of the longest are judged and explained in less than a second of the processor", async () => {
    const entry = (_: unknown, at: number) =>
      `  - { format: PKBarcodeFormatAztec, message: "{{ data.code }}${at}", messageEncoding: utf-8 }\n`;
    await publish("shop-qr", `barcodes:\n${Array.from({ length: 10 }, entry).join("")}`);
    const code = "aB1-x,Q9 z.".repeat(400).slice(0, 3_800);
    await readAll("qr", { code: "A-1" });
    const usedMs = startProcessorClock();
    const { problems, apple, explanation } = await readAll("qr", { code });
    assert.ok(usedMs() < 1_000, `${usedMs()} ms`);
    assert.equal(apple.barcodes, undefined);
    // That of the template is the first, and the search for all of them would be longer than a pass may.
    assert.deepEqual(
      problems.map(
        ({ message }: { message: string }) => /380. bytes|too long to be tried/.exec(message)?.[0],
      ),
      ["3800 bytes", ...Array(7).fill("3801 bytes"), ...Array(3).fill("too long to be tried")],
    );
    const left = explanation.apple.filter(({ name }: { name: string }) => /^layout/.test(name));
    assert.equal(left.length, 30);
    for (const { rule } of left) assert.equal(rule.code, "barcode-too-long");
  });

  it("200: is one by the bytes of the encoding that the layout names", async () => {
    const entry = (encoding: string) =>
      `  - { format: PKBarcodeFormatQR, message: "{{ data.code }}", messageEncoding: ${encoding} }\n`;
    const encodings = ["iso-8859-5", "utf-8", "Shift_JIS"];
    await publish("shop-qr", `barcodes:\n${encodings.map(entry).join("")}`);
    const keptOf = async (code: string) => {
      const { apple } = await readAll("qr", { code });
      return (apple.barcodes ?? []).map(
        ({ messageEncoding }: { messageEncoding: string }) => messageEncoding,
      );
    };
    assert.deepEqual(await keptOf("я".repeat(2_500)), ["iso-8859-5", "Shift_JIS"]);
    assert.deepEqual(await keptOf("日".repeat(1_400)), ["iso-8859-5", "Shift_JIS"]);
    assert.deepEqual(await keptOf("ü".repeat(1_400)), encodings);
    assert.deepEqual(await keptOf("ü".repeat(3_000)), []);
  });

  it("200: is a warning at the publication, with its line", async () => {
    const layout = "barcode:\n  format: PKBarcodeFormatCode128\n  message: Zürich\n";
    const [warning, ...others] = await publish("shop-pdf417", layout);
    assert.deepEqual([warning.line, warning.severity, others], [3, "warning", []]);
    assert.match(warning.message, /'ü'/);
  });
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
