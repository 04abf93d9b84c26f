import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { newId } from "#kernel/ids.ts";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import {
  heading,
  narrowScope,
  openConsole,
  PHONE,
  untilAsked,
} from "#test/support/console-page.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { customer, openShop, order, type Shop } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const AT = `/${TENANT}/connectors`;
const port = await freePort();

describeInBrowser("connectors in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  let shop: Shop;
  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
  const card = (page: Page, title: string) =>
    page.getByRole("article").filter({ has: page.getByRole("link", { name: title, exact: true }) });
  const vendor = (path: string) => `/simulator/vendors/bloomreach${path}`;

  before(async () => {
    await seedPassTenant(api(), "quay");
    // Its orders fail: the cards have no such balance.
    shop = await openShop(api(), TENANT, { earn: { privilege: "nothing", perUnit: 1 } });
    await shop.deliver({ topic: "customers/update", body: customer(6) });
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
  });

  it("are set up by a form of the API's own fields, with what the vendor refuses at its field", async () => {
    const { body: project } = await api().post(vendor("/projects"), { body: {} });
    const { body: known } = await api().get("/simulator/vendors");
    const url = known.vendors.find(({ name }: { name: string }) => name === "bloomreach").url;
    const { context, page, offences } = await openConsole(chromium(), api(), "/quay/connectors");
    await heading(page, "Connectors").waitFor();
    await card(page, "Shopify").getByText("Not set up").waitFor();
    assert.match(
      (await page.getByRole("link", { name: "Try it without an account" }).getAttribute("href")) ??
        "",
      /\/simulator\/vendors$/,
    );
    assert.deepEqual(await findingsOf(page), []);

    await page.getByRole("link", { name: "Bloomreach Engagement" }).click();
    await heading(page, "Bloomreach Engagement").waitFor();
    await page.getByLabel("Project token").fill(project.token);
    await page.getByLabel("Address of the API").fill(url);
    await page.getByLabel("API key ID").fill(project.apiKeyId);
    await page.getByLabel("API key secret").fill("wrong");
    await page.getByRole("button", { name: "Try and set up" }).click();
    await page.getByText("is not the secret of this key").waitFor();
    assert.equal(await page.getByLabel("API key secret").getAttribute("aria-invalid"), "true");
    await page.getByLabel("API key secret").fill(project.apiKeySecret);
    await page.getByRole("button", { name: "Try and set up" }).click();

    // The next step: what a journey of the vendor calls.
    await page.getByText("Give somebody a pass").waitFor();
    assert.match((await page.locator("body").textContent()) ?? "", /journey\/createPass/);
    await page.getByRole("tab", { name: "Settings" }).click();
    assert.equal(await page.getByLabel("API key secret").inputValue(), "");
    await page.getByPlaceholder("Stored. Leave it empty to keep it.").waitFor();
    await page.getByRole("button", { name: "Test the connection" }).click();
    await page.getByText("The connection works.").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await api().put(vendor("/faults"), { body: { kind: "503" } });
    await page.getByRole("button", { name: "Test the connection" }).click();
    await page.getByText("What is wrong stands at its field.").waitFor();
    assert.equal(await page.getByLabel("Address of the API").getAttribute("aria-invalid"), "true");
    await api().delete(vendor("/faults"));

    await api().sql(
      `insert into connector_refusal (tenant_id, connector, event_id, event_name, reason, refused_at)
       values ('quay', 'cdp', $1, 'pass.created', 'The type of the event is not known.', now())`,
      [newId("evt")],
    );
    await page.reload();
    await page.getByRole("tab", { name: "Refused events" }).click();
    await row(page, "The type of the event is not known.").waitFor();
    await page.getByRole("button", { name: "Send pass.created again" }).click();
    await page.getByText("It is sent once more.").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("show what came and what was done, and work on it once more when the reason is mended", async () => {
    const inbox = `${AT}?name=shopify&tab=inbox&status=failed`;
    const { context, page, offences } = await openConsole(chromium(), api(), inbox);
    await row(page, "orderId=1001").click();
    const dialog = page.getByRole("dialog", { name: "orders/paid" });
    await dialog.getByText(/'nothing'/).waitFor();
    await dialog.getByText("x-shopify-topic").waitFor();
    assert.match((await dialog.textContent()) ?? "", /"total_price": "20.00"/);
    assert.deepEqual(await findingsOf(page), []);
    await page.keyboard.press("Escape");

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("Balance that grows").fill("points");
    await page.getByRole("button", { name: "Try and save" }).click();
    await page.getByText("The settings of Shopify are saved.").waitFor();
    await page.goBack();
    await row(page, "orderId=1001").click();
    await dialog.getByRole("button", { name: "Replay" }).click();
    await dialog.getByText("Done", { exact: true }).waitFor();
    await dialog.getByText("movementId").first().waitFor();
    assert.equal(await shop.points("7"), 20);
    await page.keyboard.press("Escape");

    // The same list, by another filter of the address; what comes next appears by itself.
    await page.getByText("Done", { exact: true }).first().click();
    await row(page, "customerId=6").waitFor();
    await untilAsked(page, "status", "done");
    await page.getByLabel(/^Live:/).waitFor();
    await shop.deliver({ topic: "customers/create", body: customer(9) });
    await row(page, "customers/create").waitFor();
    assert.deepEqual(await findingsOf(page), []);

    await page.getByRole("tab", { name: "At the vendor" }).click();
    await page.getByText(shop.inbox).waitFor();
    await page.getByRole("button", { name: "Make a new address" }).click();
    const question = page.getByRole("dialog", { name: "Make a new address?" });
    await question.getByRole("button", { name: "Make a new address" }).click();
    await page.getByText(/The address is new/).waitFor();
    await page.getByText(shop.inbox).waitFor({ state: "detached" });
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are read by whoever may not change them, in French, in the dark and on a phone", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), `${AT}?show=used`, {
      viewport: PHONE,
      locale: "fr-FR",
      colorScheme: "dark",
    });
    await heading(page, "Connecteurs").waitFor();
    await card(page, "Shopify").waitFor();
    assert.equal(await card(page, "Square").count(), 0);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    await page.getByText("Tous", { exact: true }).click();
    await narrowScope(page, "openid tenant.extension:read");
    await page.goto(`${api().runtime.baseUrl}/console${AT}?name=shopify`);
    await page.getByRole("button", { name: "Essayer et enregistrer" }).focus();
    await page.getByText("Il vous manque le droit tenant.extension:write.").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are removed after a question, and their address is served no more", async () => {
    const { context, page } = await openConsole(chromium(), api(), `${AT}?name=shopify`);
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Remove Shopify?" });
    await question.getByLabel("Type shopify to confirm").fill("shopify");
    await question.getByRole("button", { name: "Remove", exact: true }).click();
    await card(page, "Shopify").getByText("Not set up").waitFor();
    assert.equal((await shop.send({ body: { id: 10 } })).status, 404);
    await context.close();
  });
});
