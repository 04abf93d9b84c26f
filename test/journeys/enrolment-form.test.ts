import assert from "node:assert/strict";
import { it } from "node:test";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { seedFormTenant } from "#test/support/enrolment-form.ts";
import { startSiteVerify } from "#test/support/siteverify.ts";
import { shareApi } from "#test/support/start-api.ts";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

describeInBrowser("the enrolment form", () => {
  const api = shareApi();
  const chromium = shareChromium();

  it("leads from a code at the door to the page of the pass, without script, in two languages", async () => {
    await seedFormTenant(api(), "acme");
    const body = { code: "door", passType: "loyalty", storeId: "pier", source: "Poster" };
    await api().post("/api/acme/enrolment-links", { key: api().operatorKey, body });
    const words = [
      {
        locale: "en-GB",
        name: "First name",
        mail: "E-mail address",
        rules: "I agree to the rules.",
        send: "Get my pass",
        wrong: "Please check what you entered",
      },
      {
        locale: "de-DE",
        name: "Vorname",
        mail: "E-Mail-Adresse",
        rules: "Ich bin mit den Regeln einverstanden.",
        send: "Karte holen",
        wrong: "Bitte prüfen Sie Ihre Angaben",
      },
    ];
    for (const { locale, name, mail, rules, send, wrong } of words) {
      const look = { viewport: PHONE, locale, javaScriptEnabled: false };
      const context = await chromium().newContext(look);
      const page = await context.newPage();
      await page.goto(`${api().url}/r/acme/door`);
      await page.getByLabel(mail).fill("ada@");
      await page.getByRole("button", { name: send }).click();
      await page.getByRole("heading", { name: wrong }).waitFor();
      assert.equal(await page.getByLabel(mail).inputValue(), "ada@");
      await page.getByRole("alert").getByRole("link").first().click();
      await page.waitForURL(/#answer-firstName$/);
      await page.getByLabel(name).fill("Ada");
      await page.getByLabel(mail).fill(`ada.${locale}@harbour.example`);
      await page.getByLabel(rules).check();
      await page.getByRole("button", { name: send }).click();
      await page.waitForURL(/\/p\/acme\/ps_\w+\.\w+$/);
      assert.ok((await page.content()).includes("Ada"));
      await context.close();
    }
    const { body: link } = await api().get("/api/acme/enrolment-links/door", {
      key: api().operatorKey,
    });
    assert.deepEqual([link.visits, link.enrolments], [2, 2]);
  });

  it("keeps to itself and has no serious finding of axe, with and without mistakes, wide and narrow", async () => {
    await seedFormTenant(api(), "looks");
    for (const viewport of [DESKTOP, PHONE]) {
      const context = await chromium().newContext({ viewport });
      const page = await context.newPage();
      const offences: string[] = [];
      page.on("request", (request) => {
        if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== api().url)
          offences.push(request.url());
      });
      page.on("console", (message) => {
        if (!message.text().includes("422")) offences.push(message.text());
      });
      await page.goto(`${api().url}/e/looks/loyalty`);
      assert.deepEqual(await findingsOf(page), []);
      await page.getByRole("button").click();
      await page.locator(".summary:focus").waitFor();
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.deepEqual([width, offences], [viewport.width, []]);
      assert.deepEqual(await findingsOf(page), []);
      await context.close();
    }
  });

  it("asks the vendor's widget where a bot check is set up, and nothing else may run", async (t) => {
    const vendor = await startSiteVerify(t);
    const settings = { provider: "turnstile", siteKey: "site", verifyUrl: vendor.url };
    await seedFormTenant(api(), "checked", { "server/bot-check.yml": JSON.stringify(settings) });
    const secret = { key: api().operatorKey, body: { value: "secret" } };
    await api().put("/api/checked/secrets/BOT-CHECK-SECRET", secret);
    const context = await chromium().newContext({ viewport: PHONE });
    const page = await context.newPage();
    // The vendor's script puts its token into the form.
    const script = `for (const widget of document.querySelectorAll(".cf-turnstile")) {
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name: "cf-turnstile-response", value: "of " + widget.dataset.sitekey });
      widget.append(field);
    }`;
    await page.route("https://challenges.cloudflare.com/**", (route) =>
      route.fulfill({ contentType: "text/javascript", body: script }),
    );
    await page.goto(`${api().url}/e/checked/loyalty`);
    await page.evaluate("globalThis.isRun = false");
    await page
      .evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { text: 'isRun = true' }))",
      )
      .catch(() => undefined);
    assert.equal(await page.evaluate("globalThis.isRun"), false);
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("E-mail address").fill("ada@checked.example");
    await page.getByLabel("I agree to the rules.").check();
    vendor.answer({ json: { success: false, "error-codes": [] } });
    await page.getByRole("button").click();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("First name").inputValue(), "Ada");
    vendor.answer({ json: { success: true, hostname: "localhost" } });
    // The script of the new page may come after the page itself.
    await page.locator("[name=cf-turnstile-response]").waitFor({ state: "attached" });
    await page.getByRole("button").click();
    await page.waitForURL(/\/p\/checked\//);
    assert.equal(vendor.asked.at(-1)?.response, "of site");
    await context.close();
  });
});
