import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { heading, openConsole, PHONE, untilAsked } from "#test/support/console-page.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const AT = `/${TENANT}/settings/api-keys`;
const port = await freePort();

describeInBrowser("API keys in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const keyAt = (name: string) => `/api/${TENANT}/admin/apiKeys/${encodeURIComponent(name)}`;
  const asOperator = (body?: unknown) => ({ key: api().operatorKey, body });
  const open = (path = AT) => openConsole(chromium(), api(), path);
  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

  async function choose(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole("menuitem", { name: action }).click();
  }

  async function seedKey(name: string, ...scopes: string[]): Promise<string> {
    const body = { name, scopes };
    const sent = await api().post(`/api/${TENANT}/admin/apiKeys`, asOperator(body));
    assert.equal(sent.status, 201, sent.text);
    return sent.body.token;
  }

  before(() => seedPassTenant(api(), TENANT));

  it("are created by keyboard alone; the value is shown once and works", async () => {
    const { context, page, offences } = await open();
    await heading(page, "API keys").waitFor();
    await page.getByText("No API keys yet").waitFor();
    assert.deepEqual(await findingsOf(page), []);

    // Nobody waits until the field has the focus, which takes longer on a slow computer.
    const debug = await context.newCDPSession(page);
    for (const rate of [6, 1]) {
      await debug.send("Emulation.setCPUThrottlingRate", { rate });
      await page.keyboard.press("Control+K");
      await page.keyboard.type("create");
      const field = page.locator(":focus[placeholder='Find a page or an action']");
      assert.equal(await field.inputValue(), "create", `${rate} times as slow`);
      if (rate > 1) await page.keyboard.press("Escape");
      if (rate > 1) await field.waitFor({ state: "detached" });
    }
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Create API key" });
    await dialog.waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await dialog.getByLabel("Name").focus();
    await page.keyboard.type("till 7");
    await page.keyboard.press("Tab");
    // The presets come first.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.ok(await dialog.getByLabel("Scan passes and redeem privileges").isChecked());
    await dialog.getByLabel("Name").press("Enter");

    const shown = page.getByRole("dialog", { name: "Copy the key now" });
    await shown.waitFor();
    assert.deepEqual(await findingsOf(page), []);
    const token = ((await shown.locator("[data-value]").textContent()) ?? "").trim();
    assert.equal((await api().get(`/api/${TENANT}/passes`, { key: token })).status, 200);
    await shown.getByLabel("I have saved the key").press("Space");
    await shown.getByRole("button", { name: "Done" }).press("Enter");
    await row(page, "till 7").waitFor();
    assert.doesNotMatch(await page.content(), new RegExp(token));
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("say at the field what the API refuses, and keep what was typed", async () => {
    await seedKey("taken", "Pass.Read");
    const { context, page } = await open(`${AT}?new=yes`);
    const dialog = page.getByRole("dialog", { name: "Create API key" });
    await dialog.getByLabel("Name").fill("taken");
    await dialog.getByRole("button", { name: "Create API key" }).click();
    await dialog
      .getByText(/at least|must/)
      .first()
      .waitFor();
    // What is wrong comes into view, however long the form is.
    await dialog.locator("fieldset[data-problem]:focus").waitFor();
    await dialog.getByLabel("See passes").check();
    await dialog.getByRole("button", { name: "Create API key" }).click();
    await dialog.getByText("This tenant already has an API key 'taken'.").waitFor();
    assert.equal(await dialog.getByLabel("Name").inputValue(), "taken");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Close without saving?" }).waitFor();
    await context.close();
  });

  it("appear in other windows as they are made, filtered by what stands in the address", async () => {
    const { context, page } = await open(`${AT}?q=live`);
    await page
      .getByText("Nothing fits this filter")
      .or(page.getByText("No API keys yet"))
      .waitFor();
    await page.getByLabel(/^Live:/).waitFor();
    await seedKey("live one", "Pass.Read");
    await row(page, "live one").waitFor();
    assert.equal(await row(page, "taken").count(), 0);
    await page.getByLabel("Filter by name").fill("");
    await row(page, "taken").waitFor();
    await untilAsked(page, "q", null);
    await context.close();
  });

  it("are changed, and changed back by undo", async () => {
    await seedKey("to change", "Pass.Read");
    const { context, page } = await open();
    await row(page, "to change").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Change to change" });
    await dialog.getByLabel("See customers").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("to change is changed.").waitFor();
    const scopesNow = async () => (await api().get(keyAt("to change"), asOperator())).body.scopes;
    assert.deepEqual(await scopesNow(), ["Pass.Read", "Customer.Read"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.deepEqual(await scopesNow(), ["Pass.Read"]);
    await context.close();
  });

  it("are replaced step by step, with both keys working in between", async () => {
    const old = await seedKey("shop", "Pass.Read");
    const { context, page, offences } = await open();
    await choose(page, "shop", "Replace step by step");
    const dialog = page.getByRole("dialog", { name: "Replace shop" });
    assert.equal(await dialog.getByLabel("Name of the new key").inputValue(), "shop.2");
    await dialog.getByRole("button", { name: "Create the new key" }).click();
    const token = ((await dialog.locator("[data-value]").textContent()) ?? "").trim();
    for (const key of [old, token]) {
      assert.equal((await api().get(`/api/${TENANT}/passes`, { key })).status, 200);
    }
    await dialog.getByLabel("I have saved the key").check();
    await dialog.getByRole("button", { name: "It is in place" }).click();

    // Days later: the address knows where one was.
    await page.reload();
    await dialog.getByText("Check that the old key rests").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await dialog.getByRole("button", { name: "Revoke the old key", exact: true }).click();
    await page.getByText("shop.2 has taken over from shop.").waitFor();
    assert.equal((await api().get(`/api/${TENANT}/passes`, { key: old })).status, 401);
    assert.equal((await api().get(`/api/${TENANT}/passes`, { key: token })).status, 200);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are marked as idle, and revoked after a question that says what stops", async () => {
    const token = await seedKey("old till", "Pass.Read");
    await api().sql(
      "update api_key set created_at = now() - interval '90 days', last_used_at = now() - interval '40 days' where name = 'old till'",
    );
    const { context, page } = await open();
    await row(page, "old till").getByText("Idle").waitFor();
    await choose(page, "old till", "Revoke");
    const question = page.getByRole("dialog", { name: "Revoke old till?" });
    await question.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("old till is revoked.").waitFor();
    await row(page, "old till").waitFor({ state: "detached" });
    assert.equal((await api().get(`/api/${TENANT}/passes`, { key: token })).status, 401);
    await context.close();
  });

  it("are read on a phone, in French and in the dark", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), AT, {
      viewport: PHONE,
      locale: "fr-FR",
      colorScheme: "dark",
    });
    await heading(page, "Clés d’API").waitFor();
    await row(page, "taken").waitFor();
    assert.equal(await page.evaluate("document.documentElement.lang"), "fr");
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Ouvrir la navigation" }).click();
    await page.getByRole("link", { name: "Aperçu" }).click();
    await heading(page, "Votre premier passe").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });
});
