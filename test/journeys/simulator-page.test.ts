import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { ANSWER, ENROLMENT_FILES } from "#test/support/enrolment-tenant.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

describeInBrowser("a person with the simulator in a browser", () => {
  const chromium = shareChromium();
  // Another name than the one the page is opened by, as behind a proxy.
  const api = shareApi({ env: { BASE_URL: "http://localhost:18998" } });

  async function open(width: number) {
    const context = await chromium().newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    const offences: string[] = [];
    page.on("pageerror", (error) => offences.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") offences.push(message.text());
    });
    await page.goto(`${api().application.url}/simulator`);
    await page.getByText("Live", { exact: true }).waitFor();
    return { page, offences };
  }

  const phone = (page: Page, name: string) => page.locator("section.place", { hasText: name });

  it("adds a pass to both phones, turns it over and sees it change", async () => {
    await seedPassTenant(api(), "harbour");
    const { id, links } = await seedPass(api(), "harbour");
    const { page, offences } = await open(1280);
    await page.getByLabel("Link of a pass").fill(links.landing);
    await page.getByRole("button", { name: "Add to both phones" }).click();
    await page.getByText("Both phones have the pass.").waitFor();
    for (const name of ["iPhone", "Android"]) {
      await phone(page, name).getByText("Camille").first().waitFor();
      await phone(page, name)
        .getByRole("img", { name: /^Barcode: ps_/ })
        .waitFor();
    }
    await api().patch(`/api/harbour/passes/${id}`, {
      key: api().operatorKey,
      body: { additionalData: { firstName: "Ada" } },
    });
    for (const name of ["iPhone", "Android"]) {
      await phone(page, name).getByText("Ada", { exact: true }).first().waitFor();
    }
    await phone(page, "iPhone")
      .getByRole("button", { name: /^Show the back/ })
      .click();
    await phone(page, "iPhone").getByText("Signed by").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    assert.deepEqual(offences, []);
    await page.context().close();
  });

  it("finds every vendor of a connector by its name", async () => {
    const { page, offences } = await open(390);
    await page.getByText("Vendors of connectors", { exact: true }).click();
    const list = page.locator("#vendor-list");
    for (const name of ["braze", "brevo", "hubspot", "klaviyo", "scenarios", "shopify"]) {
      await list.getByText(name, { exact: true }).waitFor();
    }
    await list.getByText(/^pretix · http/).waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
    assert.deepEqual(await findingsOf(page), []);
    assert.deepEqual(offences, []);
    await page.context().close();
  });

  it("signs up with a pass that asks for it", async () => {
    await seedPassTenant(api(), "quay", ENROLMENT_FILES);
    const { body } = await api().post("/api/quay/passes?passType=loyalty", {
      key: api().operatorKey,
      body: {},
    });
    const { page, offences } = await open(390);
    await page.getByLabel("Link of a pass").fill(body.links.landing);
    await page.getByRole("button", { name: "Add to both phones" }).click();
    await phone(page, "iPhone").getByRole("button", { name: "Sign up" }).click();
    const form = page.getByRole("dialog", { name: "Sign up" });
    await form.getByText("Join the Harbour Club.").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await form.getByLabel("First name").fill(ANSWER.givenName);
    await form.getByLabel("Last name").fill(ANSWER.familyName);
    await form.getByLabel("E-mail address").fill(ANSWER.emailAddress);
    await form.getByLabel("Phone number").fill("call me");
    await form.getByLabel("Postal code").fill(ANSWER.postalCode);
    await form.getByLabel("Country").fill(ANSWER.ISOCountryCode);
    await form.getByRole("button", { name: "Sign up" }).click();
    await form.getByText("must be a phone number").waitFor();
    await form.getByLabel("Phone number").fill(ANSWER.phoneNumber);
    await form.getByRole("button", { name: "Sign up" }).click();
    await phone(page, "iPhone").getByText("Welcome, Ada").waitFor();
    await form.waitFor({ state: "hidden" });
    assert.deepEqual(
      offences.filter((text) => !text.includes("422")),
      [],
    );
    await page.context().close();
  });

  it("reads why a link is no good, and nothing is wider than a phone", async () => {
    const { page, offences } = await open(390);
    await page.getByLabel("Link of a pass").fill("https://elsewhere.example/p/x/y.z");
    await page.getByRole("button", { name: "Add to both phones" }).click();
    await page.locator("#outcome", { hasText: "virtual phones reach no other" }).waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
    assert.deepEqual(await findingsOf(page), []);
    // The browser itself notes each answer that is a refusal.
    assert.deepEqual(
      offences.filter((text) => !text.includes("422")),
      [],
    );
    await page.context().close();
  });
});
