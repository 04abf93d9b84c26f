import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

const LOGO = readFileSync(new URL("../../demo/branding/logo.png", import.meta.url), "base64");

const PURCHASE = {
  reference: "2026-004711",
  store: { id: "marais", name: "Café Lune Marais", address: "14 rue des Rosiers, 75004 Paris" },
  occurredAt: "2026-01-31T09:30:00Z",
  currency: "EUR",
  lines: [
    { description: "Flat white", quantity: 2, unitPrice: 4.2, total: 8.4, taxRate: 10 },
    { description: "Croissant au beurre", total: 2.2, taxRate: 5.5 },
    {
      description: `Beans ${"of a very long name ".repeat(5)}`,
      quantity: 0.25,
      unitPrice: 38,
      total: 9.5,
    },
    { description: "x".repeat(120), total: 1 },
    { description: "Regulars’ discount", total: -1.1 },
  ],
  subtotal: 20,
  taxes: [
    { name: "TVA", rate: 10, amount: 1.26 },
    { name: "TVA", rate: 5.5, amount: 0.42 },
  ],
  total: 21.68,
  paidBy: "Visa ···· 4242",
  pointsEarned: 21,
  note: "Thank you, and see you soon.\nOpen every day until eight.",
};

const LOOKS = [
  { name: "desktop", viewport: { width: 1280, height: 900 } },
  { name: "phone", viewport: { width: 390, height: 844 } },
  { name: "narrow", viewport: { width: 320, height: 640 } },
] as const;

describeInBrowser("the page of a receipt", () => {
  const api = shareApi();
  const chromium = shareChromium();

  async function record(more: object): Promise<string> {
    const { operatorKey: key } = api();
    const { status, body, text } = await api().post("/api/acme/receipts", {
      key,
      body: { ...PURCHASE, ...more },
    });
    assert.equal(status, 201, text);
    const refund = {
      reference: "R1",
      amount: 2.2,
      reason: "Dropped",
      occurredAt: "2026-02-01T09:00:00Z",
    };
    await api().post(`/api/acme/receipts/${body.receiptId}/refunds`, { key, body: refund });
    return new URL(body.url).pathname;
  }

  it("keeps to itself and has no serious finding of axe, wide and narrow, in either colours", async () => {
    await seedPassTenant(api(), "acme", { "branding/logo.png": { base64: LOGO } });
    const { id: passId } = await seedPass(api(), "acme");
    const path = await record({ passId });
    for (const { name, viewport } of LOOKS) {
      const context = await chromium().newContext({ viewport, locale: "en-GB" });
      const page = await context.newPage();
      const offences: string[] = [];
      page.on("request", (request) => {
        if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== api().url)
          offences.push(request.url());
      });
      page.on("console", (message) => offences.push(message.text()));
      for (const address of [path, `${path}x`]) {
        await page.goto(`${api().url}${address}`);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        const refused = /Failed to load resource: .* 404/;
        const told = offences.filter((text) => !refused.test(text));
        assert.deepEqual([width, told], [viewport.width, []], name);
        assert.deepEqual(await findingsOf(page), []);
      }
      await context.close();
    }
  });

  it("is read without JavaScript, and printed without the colours of the screen", async () => {
    const path = await record({ reference: "printed" });
    const context = await chromium().newContext({ javaScriptEnabled: false, colorScheme: "dark" });
    const page = await context.newPage();
    await page.goto(`${api().url}${path}`);
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), PURCHASE.store.name);
    assert.equal(await page.getByRole("row").count(), PURCHASE.lines.length + 1);
    await context.close();
    const printing = await chromium().newContext({ colorScheme: "dark" });
    const sheet = await printing.newPage();
    await sheet.goto(`${api().url}${path}`);
    await sheet.emulateMedia({ media: "print", colorScheme: "dark" });
    const colors = await sheet.evaluate<string[]>(
      "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('h1')).color]",
    );
    assert.deepEqual(colors, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
    await printing.close();
  });
});
