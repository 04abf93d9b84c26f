import assert from "node:assert/strict";
import { it } from "node:test";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import {
  assertNoTokenStored,
  becomeFirst,
  fillSignIn,
  heading,
  openConsole,
  openVisit,
} from "#test/support/console-page.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const port = await freePort();

describeInBrowser("a person who signs in to the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });

  it("lands there by the first link, makes the first tenant, stays after a reload, signs out", async () => {
    const { context, page, offences } = await openVisit(chromium(), api());
    await becomeFirst(page, api());
    await heading(page, "There is no tenant yet").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByLabel("Name").fill("Café Lune");
    assert.equal(await page.getByLabel("Id in addresses").inputValue(), "cafe-lune");
    await page.getByRole("button", { name: "Create tenant" }).click();
    await heading(page, "Your first pass").waitFor();
    await page.waitForURL(({ pathname }) => pathname === "/console/cafe-lune");
    await assertNoTokenStored(context, page);

    // No form: the cookie of the authorization server is enough.
    await page.reload();
    await heading(page, "Your first pass").waitFor();

    await page.getByRole("button", { name: /^Ada Lovelace/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.locator("#password").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("comes back to the page they asked for, also by another name of their computer", async () => {
    await seedPassTenant(api(), "harbour");
    await seedPass(api(), "harbour");
    const visit = await openConsole(chromium(), api(), "/harbour/settings/api-keys", {
      isByForm: true,
    });
    await heading(visit.page, "API keys").waitFor();
    await visit.page.goto(`http://127.0.0.1:${port}/console/harbour/settings/api-keys`);
    await heading(visit.page, "API keys").waitFor();
    await visit.page.waitForURL(({ hostname }) => hostname === "localhost");
    await visit.context.close();
  });

  it("loses nothing typed when the session ends: a window signs in again and the form goes on", async () => {
    await seedPassTenant(api(), "harbour");
    const { context, page, offences, email } = await openConsole(
      chromium(),
      api(),
      "/harbour/settings/api-keys?new=yes",
    );
    const dialog = page.getByRole("dialog", { name: "Create API key" });
    await dialog.getByLabel("Name").fill("typed before");
    await dialog.getByLabel("See what was scanned").check();
    // In another tab they sign out, which ends the session and all its tokens.
    const other = await context.newPage();
    await other.goto(`${api().runtime.baseUrl}/sign-out`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "You are signed out" }).waitFor();
    await other.close();
    // Nodes know of it within a second.
    await page.waitForTimeout(1_100);

    await dialog.getByRole("button", { name: "Create API key" }).click();
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    const [window] = await Promise.all([
      context.waitForEvent("page"),
      ended.getByRole("button", { name: "Sign in" }).click(),
    ]);
    await fillSignIn(window, email);
    await page.getByRole("dialog", { name: "Copy the key now" }).waitFor();
    const { body } = await api().get("/api/harbour/admin/apiKeys/typed%20before", {
      key: api().operatorKey,
    });
    assert.deepEqual(body.scopes, ["PassScan.Read"]);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("sees no tenant but their own as a Tenant Administrator", async () => {
    for (const tenant of ["harbour", "rival"]) await seedPassTenant(api(), tenant);
    const { context, page } = await openConsole(chromium(), api(), "/harbour", {
      tenants: ["harbour"],
    });
    await page.getByText("Tenant Administrator").waitFor();
    assert.equal(await page.getByRole("button", { name: /Switch tenant/ }).count(), 0);
    assert.doesNotMatch((await page.locator("body").textContent()) ?? "", /rival/);
    const refused: string[] = [];
    page.on("response", (answer) => answer.status() < 400 || refused.push(answer.url()));
    await page.goto(`${api().runtime.baseUrl}/console/rival/settings/api-keys`);
    await page.getByText("There is no tenant “rival”, or it is not yours.").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.deepEqual(refused, [], "nothing is asked of a tenant that is not theirs");
    await context.close();
  });

  it("is told which scope is missing where a button is off", async () => {
    await seedPassTenant(api(), "harbour");
    await api().seed.key("harbour", "Pass.Read");
    const { context, page } = await openConsole(chromium(), api(), "/harbour/settings/api-keys", {
      scope: "openid tenant.apikey:read",
    });
    const button = page.getByRole("button", { name: "Create API key" });
    await button.focus();
    await page.getByText("You lack the scope tenant.apikey:write.").waitFor();
    await button.click({ force: true });
    assert.equal(await page.getByRole("dialog").count(), 0);
    // An address opens the dialog, too.
    await page.goto(`${api().runtime.baseUrl}/console/harbour/settings/api-keys?new=yes`);
    const dialog = page.getByRole("dialog", { name: "Create API key" });
    await dialog.getByText("You lack the scope tenant.apikey:write.").waitFor();
    assert.equal(await dialog.getByRole("textbox").count(), 0);
    await context.close();
  });
});
