import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { heading, narrowScope, openConsole, PHONE } from "#test/support/console-page.ts";
import { seedFormTenant } from "#test/support/enrolment-form.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { readQr } from "#test/support/read-qr.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const CUSTOMERS = `/${TENANT}/customers`;
const LINKS = `/${TENANT}/enrolment-links`;
const port = await freePort();

describeInBrowser("customers, enrolment links and receipts in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const asOperator = (body?: unknown) => ({ key: api().operatorKey, body });
  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

  async function seedCustomer(body: Record<string, unknown>): Promise<string> {
    const made = await api().post(`/api/${TENANT}/customers`, asOperator(body));
    assert.equal(made.status, 201, made.text);
    return made.body.customerId;
  }
  const read = (customerId: string) =>
    api().get(`/api/${TENANT}/customers/${customerId}`, asOperator());

  before(() => seedFormTenant(api(), TENANT));

  it("creates a customer, whose passes are found by the identifiers", async () => {
    const pass = await seedPass(api(), TENANT, { identifiers: { "loyalty.number": "7700" } });
    const { context, page, offences } = await openConsole(chromium(), api(), CUSTOMERS);
    await heading(page, "Customers").waitFor();
    await page.getByText("No customers yet").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Create a customer" }).first().click();
    const form = page.getByRole("dialog", { name: "Create a customer" });
    await form.getByRole("textbox", { name: "First name" }).fill("Camille");
    await form.getByRole("textbox", { name: "Last name" }).fill("Durand");
    await form.getByRole("textbox", { name: "Email" }).fill("no address");
    await form.getByRole("button", { name: "Add an identifier" }).click();
    await form.getByRole("textbox", { name: "Name, such as crm.id" }).fill("loyalty.number");
    await form.getByRole("textbox", { name: "Value" }).fill("7700");
    await form.getByRole("button", { name: "Create a customer" }).click();
    await form.locator('input[type=email][aria-invalid="true"]').waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await form.getByRole("textbox", { name: "Email" }).fill("camille@example.com");
    await form.getByRole("button", { name: "Create a customer" }).click();

    const drawer = page.getByRole("dialog", { name: "Camille Durand" });
    await drawer.getByText(pass.id).waitFor();
    await page.waitForURL(({ search }) => /[?&]customer=cus_/.test(search));
    assert.deepEqual(await findingsOf(page), []);
    await page.keyboard.press("Escape");
    await row(page, "camille@example.com").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("finds people by what was typed, and changes one with undo", async () => {
    const customerId = await seedCustomer({
      firstName: "Noé",
      lastName: "Petit",
      email: "noe@example.com",
      identifiers: { "crm.id": "4711", "shop.id": "8" },
    });
    const { context, page, offences } = await openConsole(
      chromium(),
      api(),
      `${CUSTOMERS}?q=crm.id%3D4711`,
    );
    await row(page, "Noé Petit").waitFor();
    assert.equal(await row(page, "Camille").count(), 0);
    const filter = page.getByPlaceholder("Name, email, phone, or crm.id=4711");
    await filter.fill("camille@");
    await row(page, "Camille Durand").waitFor();
    await filter.fill("Peti");
    await row(page, "Noé Petit").click();
    await page.getByRole("dialog", { name: "Noé Petit" }).getByText(customerId).waitFor();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    const form = page.getByRole("dialog", { name: "Change Noé Petit" });
    await form.getByRole("textbox", { name: "Last name" }).fill("Grand");
    await form.getByRole("button", { name: "Remove shop.id" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Noé Grand is changed.").waitFor();
    const changed = (await read(customerId)).body;
    assert.deepEqual(changed.identifiers, { "crm.id": "4711" });
    assert.equal(changed.email, "noe@example.com");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    const restored = (await read(customerId)).body;
    assert.equal(restored.lastName, "Petit");
    assert.deepEqual(restored.identifiers, { "crm.id": "4711", "shop.id": "8" });
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("erases somebody who wants to be forgotten, after a question that cannot be answered by accident", async () => {
    const pass = await seedPass(api(), TENANT, { identifiers: { "loyalty.number": "7701" } });
    const identifiers = { "loyalty.number": "7701" };
    const customerId = await seedCustomer({ firstName: "Ana", lastName: "Gone", identifiers });
    const { context, page, offences } = await openConsole(
      chromium(),
      api(),
      `${CUSTOMERS}?customer=${customerId}`,
    );
    const drawer = page.getByRole("dialog", { name: "Ana Gone" });
    await drawer.getByRole("button", { name: "Erase" }).click();
    const question = page.getByRole("dialog", { name: "Erase Ana Gone?" });
    await question.getByLabel("Erase their passes too").check();
    assert.ok(await question.getByRole("button", { name: "Erase" }).isDisabled());
    await question.getByLabel("Type erase to confirm").fill("erase");
    assert.deepEqual(await findingsOf(page), []);
    await question.getByRole("button", { name: "Erase" }).click();
    await page.getByText("The customer is erased.").waitFor();
    assert.equal((await read(customerId)).status, 404);
    const gone = await api().get(`/api/${TENANT}/passes/${pass.id}`, asOperator());
    assert.equal(gone.status, 404);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("makes a link to a form with its QR code, closes it with undo, and deletes it", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), LINKS);
    await heading(page, "Enrolment links").waitFor();
    await page.getByText("No links yet").waitFor();
    await page.getByRole("button", { name: "Make a link" }).first().click();
    const form = page.getByRole("dialog", { name: "Make a link" });
    await form.getByLabel("Pass type").fill("loyalty");
    await form.getByRole("textbox", { name: "Code" }).fill("pier-door");
    await form.getByRole("textbox", { name: "Campaign or place" }).fill("Poster");
    await form.getByRole("button", { name: "Make a link" }).click();
    const drawer = page.getByRole("dialog", { name: "pier-door" });
    const picture = drawer.getByRole("img", { name: "QR code of pier-door" });
    await picture.waitFor();
    assert.deepEqual(await findingsOf(page), []);
    const path = `/api/${TENANT}/enrolment-links/pier-door`;
    const { body } = await api().get(path, asOperator());
    await drawer.getByText(body.url).waitFor();
    assert.equal(await readQr(await picture.screenshot()), body.url);
    assert.equal((await fetch(body.url)).status, 200);
    await drawer.getByRole("button", { name: "Close the link" }).click();
    await page.getByText("pier-door is closed.").waitFor();
    assert.equal((await fetch(body.url)).status, 404);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.equal((await api().get(path, asOperator())).body.enabled, true);
    await drawer.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete pier-door?" });
    await question.getByRole("button", { name: "Delete" }).click();
    await page.getByText("pier-door is deleted.").waitFor();
    assert.equal((await api().get(path, asOperator())).status, 404);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("shows what was bought, notes a refund at the receipt, and erases it", async () => {
    const lines = [{ description: "Flat white", quantity: 2, total: 8.4 }];
    const purchase = { source: "till", reference: "T-4711", currency: "EUR", total: 8.4, lines };
    const made = await api().post(`/api/${TENANT}/receipts`, asOperator(purchase));
    assert.equal(made.status, 201, made.text);
    const { context, page, offences } = await openConsole(chromium(), api(), `/${TENANT}/receipts`);
    await row(page, "T-4711").getByText("€8.40").waitFor();
    await row(page, "T-4711").click();
    const drawer = page.getByRole("dialog", { name: "T-4711" });
    await drawer.getByText("2 × Flat white").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await drawer.getByRole("button", { name: "Note a refund" }).click();
    const form = page.getByRole("dialog", { name: "Note a refund" });
    await form.getByRole("textbox", { name: "Reference of the refund" }).fill("R-1");
    await form.getByRole("textbox", { name: "Amount (EUR)" }).fill("100");
    await form.getByRole("button", { name: "Note a refund" }).click();
    // More than was paid cannot be given back.
    await form.getByRole("alert").or(form.locator('[aria-invalid="true"]')).first().waitFor();
    await form.getByRole("textbox", { name: "Amount (EUR)" }).fill("4.20");
    await form.getByRole("button", { name: "Note a refund" }).click();
    await drawer.getByText("R-1").waitFor();
    await drawer.getByRole("button", { name: "Erase" }).click();
    const question = page.getByRole("dialog", { name: "Erase the receipt T-4711?" });
    await question.getByRole("button", { name: "Erase" }).click();
    await page.getByText("The receipt T-4711 is erased.").waitFor();
    await page.getByText("No receipts yet").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("says on a phone, in French, which right is missing where a button is off", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), LINKS, {
      viewport: PHONE,
      locale: "fr-FR",
    });
    await page.getByText("Pas encore de lien").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    await narrowScope(page, "openid tenant.customer:read");
    await page.goto(`${api().runtime.baseUrl}/console${CUSTOMERS}`);
    await row(page, "Camille Durand").click();
    const drawer = page.getByRole("dialog", { name: "Camille Durand" });
    await drawer.getByText("Il vous manque le droit tenant.pass:read.").waitFor();
    await drawer.getByRole("button", { name: "Effacer" }).click({ force: true });
    assert.equal(await page.getByRole("dialog").count(), 1);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(offences, []);
    await context.close();
  });
});
