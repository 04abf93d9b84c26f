import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import sharp from "sharp";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { exchange } from "#test/support/raw-http.ts";
import { startApi } from "#test/support/start-api.ts";
import { WORDS } from "./page.words.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await seedPassTenant(api, "acme", {
  "tenant.yml": "name: Harbour Club\ntimeZone: Europe/Paris\n",
});

let count = 0;
async function record(more: Record<string, unknown> = {}, tenantId = "acme") {
  count += 1;
  const body = {
    reference: `order-${count}`,
    store: { name: "Pier 7", address: "7 Harbour Street" },
    occurredAt: "2026-01-31T22:30:00Z",
    currency: "EUR",
    lines: [
      { description: "Flat white", quantity: 2, unitPrice: 4.2, total: 8.4, taxRate: 10 },
      { description: "Discount", total: -1.4 },
    ],
    total: 1234567.5,
    ...more,
  };
  const { status, body: made, text } = await api.post(`/api/${tenantId}/receipts`, { key, body });
  assert.equal(status, 201, text);
  return made;
}
const pathOf = ({ url }: { url: string }) => new URL(url).pathname;
const open = (path: string, headers: Record<string, string> = {}) => api.get(path, { headers });
/** The words that people read, with the blanks of every language as plain ones. */
const readable = (text: string) =>
  text
    .replace(/<style>[\s\S]*?<\/style>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/[\s\u00a0\u202f]+/g, " ");

describe("GET /p/:tenantId/receipts/:receiptId.:secret", () => {
  it("200: shows store, time, lines, taxes, total, refunds and points", async () => {
    const receipt = await record({
      subtotal: 7,
      taxes: [{ name: "VAT", rate: 5.5, amount: 0.38 }],
      total: 7.38,
      paidBy: "Visa 4242",
      pointsEarned: 7,
      note: "Thank you!",
    });
    const refund = {
      reference: "R1",
      amount: 2.2,
      occurredAt: "2026-02-03T10:00:00Z",
      reason: "Cold",
    };
    await api.post(`/api/acme/receipts/${receipt.receiptId}/refunds`, { key, body: refund });
    const { status, text } = await open(pathOf(receipt), { "accept-language": "en-GB" });
    assert.equal(status, 200);
    const words = readable(text);
    const expected = [
      "Receipt Pier 7 7 Harbour Street 31 January 2026 at 23:30",
      "Flat white 2 × €4.20 · Tax 10% €8.40 Discount -€1.40",
      "Subtotal €7.00 VAT 5.5% €0.38 Total €7.38",
      "Refunds Refund of 3 February 2026 Cold -€2.20 Total after refunds €5.18",
      "Paid by Visa 4242 Points earned 7",
      "Thank you!",
      `Receipt number ${receipt.reference}`,
    ];
    for (const part of expected) assert.ok(words.includes(part), `${part}\nis not in\n${words}`);
  });

  it("200: in the language of the receipt, else the visitor's, else the tenant's", async () => {
    const german = { "accept-language": "de-AT, fr;q=0.5" };
    const plain = pathOf(await record());
    const french = pathOf(await record({ locale: "fr-FR" }));
    const seen = await open(plain, german);
    assert.match(seen.text, /<html lang="de">/);
    assert.ok(readable(seen.text).includes("31. Jänner 2026 um 23:30"), readable(seen.text));
    assert.ok(readable(seen.text).includes("Gesamt € 1.234.567,50"), readable(seen.text));
    const own = await open(french, german);
    assert.match(own.text, /<html lang="fr">/);
    assert.ok(readable(own.text).includes("31 janvier 2026 à 23:30"), readable(own.text));
    assert.ok(readable(own.text).includes("Total 1 234 567,50 €"), readable(own.text));
    await api.seed.tenant("roma", { "tenant.yml": "name: Roma\ndefaultLocale: it\n" });
    const roma = await open(pathOf(await record({}, "roma")), { "accept-language": "xx" });
    assert.match(roma.text, /<html lang="it">/);
  });

  it("200: every digit of an amount, and as many as its currency has", async () => {
    const path = pathOf(
      await record({
        currency: "JPY",
        lines: [{ description: "Fuel", quantity: 40, unitPrice: "171.1234", total: 6845 }],
        total: "999999999999999.9999",
      }),
    );
    const words = readable((await open(path)).text);
    assert.ok(words.includes("40 × ¥171.1234 ¥6,845"), words);
    assert.ok(words.includes("Total ¥999,999,999,999,999.9999"), words);
  });

  it("200: taxes that the total contains come after it", async () => {
    const path = pathOf(await record({ taxes: [{ amount: 1.05, rate: 10 }], total: 11.55 }));
    const words = readable((await open(path)).text);
    assert.ok(words.includes("Total €11.55 of which Tax 10% €1.05"), words);
  });

  it("200: hostile texts are texts", async () => {
    const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;`;
    const path = pathOf(
      await record({
        reference: `${evil}${count}`,
        store: { name: evil, address: evil },
        lines: [{ description: evil, total: 1 }],
        taxes: [{ name: evil.slice(0, 100), amount: 1 }],
        paidBy: evil,
        note: evil,
      }),
    );
    const { status, text } = await open(path);
    assert.equal(status, 200);
    assert.ok(!/<(script|img)/i.test(text), text);
    assert.ok(text.includes("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img"));
  });

  it("200: keeps to itself: no script, no other site, nothing stored, found or passed on", async () => {
    const { id: passId } = await seedPass(api, "acme");
    const { text, headers } = await open(pathOf(await record({ passId })));
    assert.ok(!/<script|\son\w+=|https?:\/\//i.test(text), text);
    assert.ok(text.includes('name="robots" content="noindex"'));
    assert.ok(text.includes("--card:#1f2a44;--card-ink:#ffffff"));
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; style-src 'sha256-\S+ 'sha256-\S+;/);
    assert.ok(!policy.includes("unsafe"));
    const expected = {
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex, nofollow, noarchive",
      "set-cookie": null,
    };
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(headers.get(name), value, name);
    }
  });

  it("200: with the tenant's logo, which nobody else can read by it", async () => {
    const logo = await sharp({
      create: { width: 400, height: 100, channels: 3, background: "#f00" },
    })
      .png()
      .toBuffer();
    await api.seed.tenant("branded", {
      "branding/logo.png": { base64: logo.toString("base64") } as unknown as string,
    });
    const path = pathOf(await record({}, "branded"));
    const { text } = await open(path);
    const [, src = ""] = /<img src="([^"]+)"/.exec(text) ?? [];
    const address = new URL(src, `${api.url}${path}`).pathname;
    const picture = await open(address);
    assert.deepEqual(
      [picture.status, picture.headers.get("content-type"), picture.headers.get("cache-control")],
      [200, "image/png", "private, max-age=3600"],
    );
    assert.equal((await open(`${pathOf(await record())}/logo.png`)).status, 404);
  });

  it("200: HEAD answers as GET does, without the page", async () => {
    const { status, headers } = await fetch(`${api.url}${pathOf(await record())}`, {
      method: "HEAD",
    });
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
  });

  it("200: on the tenant's own domain too, which serves no other tenant", async () => {
    await api.seed.tenant("lune", {
      "tenant.yml": "name: Lune\ncustomDomain: passes.lune.example\n",
    });
    const own = await record({}, "lune");
    assert.ok(own.url.includes("//passes.lune.example"), own.url);
    const at = async (path: string) => {
      const lines = [`GET ${path} HTTP/1.1`, "Host: passes.lune.example", "Connection: close"];
      const { answers } = await exchange(api.url, [[...lines, "", ""].join("\r\n")]);
      return answers.map(({ status }) => status);
    };
    assert.deepEqual(await at(pathOf(own)), [200]);
    assert.deepEqual(await at(pathOf(await record())), [404]);
  });

  it("404: the same page for a tenant, a receipt and a secret that are wrong, and for an erased one", async () => {
    await api.seed.tenant("rival");
    const receipt = await record();
    const gone = await record();
    await api.delete(`/api/acme/receipts/${gone.receiptId}`, { key });
    const [id = "", secret = ""] = pathOf(receipt).split("/").at(-1)?.split(".") ?? [];
    const flipped = `${secret.slice(0, -1)}${secret.endsWith("a") ? "b" : "a"}`;
    const paths = [
      pathOf(gone),
      `/p/nobody/receipts/${id}.${secret}`,
      `/p/rival/receipts/${id}.${secret}`,
      `/p/acme/receipts/rc_nobody0000000000.${secret}`,
      `/p/acme/receipts/${id}.${flipped}`,
      `/p/acme/receipts/${id}.${secret}x`,
      `/p/acme/receipts/${id}`,
      `/p/ACME/receipts/${id}.${secret}`,
      `/p/acme/receipts/${id}.${secret}%00`,
      `/p/acme/receipts/${id}.${flipped}/logo.png`,
    ];
    const answers = await Promise.all(paths.map((path) => open(path)));
    for (const [at, { status, text, headers }] of answers.entries()) {
      assert.deepEqual([status, text], [404, answers[0]?.text], paths[at]);
      assert.equal(headers.get("cache-control"), "no-store");
    }
    const [first] = answers;
    assert.ok(first?.text.includes(WORDS.en.missingTitle) && !first.text.includes("Harbour"));
  });

  it("429: who guesses is told to wait, and right links still open", async () => {
    const path = pathOf(await record());
    const wrong = path.replace(/.{8}$/, "zzzzzzzz");
    const tries = await Promise.all(Array.from({ length: 80 }, () => open(wrong)));
    const refused = tries.find(({ status }) => status === 429);
    assert.ok(Number(refused?.headers.get("retry-after")) > 0);
    assert.equal((await open(path)).status, 200);
  });

  it("leaves no secret in the log", async () => {
    const path = pathOf(await record());
    await open(path);
    await open(`${path}x`);
    const secret = path.split(".").at(-1) ?? "";
    assert.ok(api.logLines.some((line) => line.includes('"receipt.open"')));
    assert.deepEqual(
      api.logLines.filter((line) => line.includes(secret)),
      [],
    );
  });
});
