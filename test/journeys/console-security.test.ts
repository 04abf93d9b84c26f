import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import {
  heading,
  narrowScope,
  openConsole,
  PHONE,
  untilAsked,
} from "#test/support/console-page.ts";
import { openBrowser } from "#test/support/people.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
/** Nothing of this one may be seen by somebody of the other. */
const OTHER = "lagoon-of-others";
const port = await freePort();

describeInBrowser("security in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  let visit: Awaited<ReturnType<typeof openConsole>>;
  const page = () => visit.page;
  const row = (name: string) => page().getByRole("row").filter({ hasText: name });
  const dialog = (name: string | RegExp) => page().getByRole("dialog", { name });
  const get = async (path: string) => (await api().get(path, { key: api().operatorKey })).body;
  const goTo = (name: string) => page().getByRole("link", { name, exact: true }).click();
  // A dialog that a failed test left open is of no concern to the next.
  const load = (path: string) =>
    page().goto(`${api().runtime.baseUrl}/console/${TENANT}/settings/${path}`);

  async function choose(name: string, action: string): Promise<void> {
    await page()
      .getByRole("button", { name: `Actions for ${name}`, exact: true })
      .click();
    await page().getByRole("menuitem", { name: action }).click();
  }

  /** A question with one button besides the way out. */
  async function answer(title: string, verb: string): Promise<void> {
    const question = dialog(title);
    await question.getByRole("button", { name: verb }).click();
    await question.waitFor({ state: "hidden" });
  }

  async function undo(message: string): Promise<void> {
    const toast = page().getByRole("alert").filter({ hasText: message });
    await toast.getByRole("button", { name: "Undo" }).click();
  }

  const filter = (name: string) => page().locator("search").getByLabel(name, { exact: true });

  before(async () => {
    await api().seed.tenant(TENANT);
    await api().seed.tenant(OTHER);
    visit = await openConsole(chromium(), api(), `/${TENANT}/settings/administrators`);
  });

  it("administrators are invited by a link that is shown once, and may be changed back", async () => {
    await heading(page(), "Administrators").waitFor();
    await row(visit.email).getByText("You", { exact: true }).waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    await page().getByRole("button", { name: "Invite administrator" }).click();
    const form = dialog("Invite administrator");
    await form.getByLabel("Name").fill("Ana Ruiz");
    await form.getByLabel("E-mail address").fill(visit.email);
    await form.getByRole("button", { name: "Invite administrator" }).click();
    await form.getByText(/must name at least one tenant/).waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    await form.getByPlaceholder("Choose tenants").click();
    await page().getByRole("option", { name: TENANT }).click();
    // The list of tenants stays open for further ones.
    await form.getByLabel("Name").click();
    await form.getByRole("button", { name: "Invite administrator" }).click();
    await form.locator('[aria-invalid="true"]').waitFor();
    await form.getByLabel("E-mail address").fill("ana@example.com");
    await form.getByRole("button", { name: "Invite administrator" }).click();
    const shown = dialog("Send this link now");
    const link = (await shown.locator("[data-value]").textContent()) ?? "";
    assert.deepEqual(await findingsOf(page()), []);
    assert.equal((await openBrowser(api()).open(link)).status, 200);
    await shown.getByLabel("I have sent or saved the link").check();
    await shown.getByRole("button", { name: "Done" }).click();
    await row("ana@example.com").getByText("Invited").waitFor();
    assert.ok(!(await page().content()).includes(link.slice(-20)));

    const ana = async () =>
      (await get("/api/administrators?pageSize=100")).find(
        ({ email }: { email: string }) => email === "ana@example.com",
      );
    assert.deepEqual((await ana()).tenants, [TENANT]);
    await choose("Ana Ruiz", "Disable");
    await row("ana@example.com").getByText("Disabled").waitFor();
    assert.equal((await ana()).disabled, true);
    await undo("Ana Ruiz can no longer sign in.");
    await row("ana@example.com").getByText("Invited").waitFor();
    await row("ana@example.com").click();
    const edit = dialog("Change Ana Ruiz");
    await edit.getByRole("radio", { name: "Global Administrator" }).click();
    await edit.getByRole("button", { name: "Save" }).click();
    await row("ana@example.com").getByText("All tenants").waitFor();
    const { role, tenants } = await ana();
    assert.deepEqual([role, tenants], ["global", []]);
  });

  it("administrators get a new link, are removed, and remove themselves only after a warning", async () => {
    await choose("Ana Ruiz", "New invitation link");
    await answer("Make a new link for Ana Ruiz?", "Make link");
    const shown = dialog("Send this link now");
    const link = (await shown.locator("[data-value]").textContent()) ?? "";
    assert.equal((await openBrowser(api()).open(link)).status, 200);
    await shown.getByLabel("I have sent or saved the link").check();
    await shown.getByRole("button", { name: "Done" }).click();
    await choose("Grace Hopper", "Remove");
    const question = dialog("Remove Grace Hopper?");
    await question.getByText("This is your own account").waitFor();
    assert.ok(await question.getByRole("button", { name: "Remove" }).isDisabled());
    await question.getByRole("button", { name: "Cancel" }).click();
    await choose("Ana Ruiz", "Remove");
    await answer("Remove Ana Ruiz?", "Remove");
    await row("ana@example.com").waitFor({ state: "detached" });
    assert.equal((await get("/api/administrators?pageSize=100")).length, 1);
    assert.deepEqual(visit.offences, []);
  });

  it("OAuth clients are registered, changed, changed back and removed", async () => {
    await load("oauth-clients");
    await page().getByText("No OAuth clients yet").waitFor();
    await page().getByRole("button", { name: "Register client" }).first().click();
    const form = dialog("Register client");
    await form.getByLabel("Name").fill("Intranet");
    await form.getByLabel("Where people come back to").fill("http://intranet.example.com/back");
    await form.getByRole("button", { name: "Register client" }).click();
    await form.locator('[aria-invalid="true"]').waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    const good = "https://intranet.example.com/back";
    await form.getByLabel("Where people come back to").fill(`${good}\n\n${good}/2\n`);
    await form.getByRole("button", { name: "Register client" }).click();
    const made = dialog("The client is registered");
    const clientId = (await made.locator("[data-value]").textContent()) ?? "";
    const stored = () => get(`/api/oauthClients/${clientId}`);
    assert.deepEqual((await stored()).redirectUris, [good, `${good}/2`]);
    await made.getByRole("button", { name: "Done" }).click();
    // Rows also show addresses, which have the first name in them.
    const named = (name: string) => row(clientId).getByText(name, { exact: true });
    await named("Intranet").click();
    const edit = dialog("Change Intranet");
    await edit.getByLabel("Name").fill("Extranet");
    await edit.getByRole("button", { name: "Save" }).click();
    await named("Extranet").waitFor();
    await undo("Extranet is changed.");
    await named("Intranet").waitFor();
    assert.equal((await stored()).name, "Intranet");
    assert.deepEqual(await findingsOf(page()), []);
    await choose("Intranet", "Remove");
    await answer("Remove Intranet?", "Remove");
    await page().getByText("No OAuth clients yet").waitFor();
    assert.deepEqual(visit.offences, []);
  });

  it("secrets stay hidden: one is shown after a question, audited, and hidden again", async () => {
    const path = `/api/${TENANT}/secrets/WEBSHOP-TOKEN`;
    await load("secrets");
    await page().getByText("No secrets yet").waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    await page().getByRole("button", { name: "Store secret" }).first().click();
    const form = dialog("Store secret");
    await form.getByRole("button", { name: "Store secret" }).click();
    await form.locator('[aria-invalid="true"]').first().waitFor();
    await form.getByLabel("Key").fill("WEBSHOP-TOKEN");
    await form.getByLabel("Value").fill("first value");
    await form.getByRole("button", { name: "Store secret" }).click();
    await row("WEBSHOP-TOKEN").getByText("Hidden").waitFor();
    assert.equal((await get(path)).value, "first value");

    await choose("WEBSHOP-TOKEN", "Replace value");
    const replace = dialog("Replace WEBSHOP-TOKEN");
    await replace.getByLabel("Value").fill("second value");
    await replace.getByRole("button", { name: "Replace" }).click();
    await replace.waitFor({ state: "hidden" });
    assert.doesNotMatch(await page().content(), /(first|second) value/);

    // Time that passes by itself would take half a minute.
    await page().clock.install();
    await choose("WEBSHOP-TOKEN", "Show value");
    await dialog("Show WEBSHOP-TOKEN?").getByText("written to the audit log").waitFor();
    await answer("Show WEBSHOP-TOKEN?", "Show value");
    await page().getByText("second value").waitFor();
    await page().clock.runFor(31_000);
    await page().getByText("second value").waitFor({ state: "detached" });
    await page().clock.resume();
    const reads = await api().sql(
      "select actor_id from audit where op = 'secret.get' and actor_kind = 'administrator'",
    );
    assert.deepEqual(reads, [{ actor_id: visit.email }]);

    await choose("WEBSHOP-TOKEN", "Delete");
    const question = dialog("Delete WEBSHOP-TOKEN?");
    await question.getByLabel("Type WEBSHOP-TOKEN to confirm").fill("WEBSHOP-TOKEN");
    await question.getByRole("button", { name: "Delete" }).click();
    await page().getByText("No secrets yet").waitFor();
    assert.deepEqual(visit.offences, []);
  });

  it("the audit log is filtered by its address and shows what changed, for all tenants if asked", async () => {
    await load("audit");
    await row("secret.get").first().waitFor();
    await filter("What").fill("secret.delete");
    await row("secret.get").first().waitFor({ state: "detached" });
    await untilAsked(page(), "what", "secret.delete");
    assert.deepEqual(await findingsOf(page()), []);
    await filter("From").fill("2001-01-01");
    await filter("Until").fill("2001-01-02");
    await page().getByText("Nothing fits these filters").waitFor();
    await page().getByRole("button", { name: "Clear filters" }).click();
    assert.equal(await row("administrator.update").count(), 0);

    await page().getByText("Whole installation").first().click();
    await filter("Who").fill(visit.email);
    await row("administrator.update").first().waitFor();
    await filter("What").fill("administrator.update");
    await row("administrator.create").first().waitFor({ state: "detached" });
    await row("administrator.update").first().click();
    const entry = dialog("administrator.update");
    const changed = entry.getByRole("row").filter({ hasText: "role" });
    await changed.getByText("global").waitFor();
    assert.match((await changed.textContent()) ?? "", /Changed.*tenant.*global/);
    assert.equal(await entry.getByRole("row").filter({ hasText: "email" }).count(), 0);
    await entry.getByRole("button", { name: /Show \d+ unchanged fields/ }).click();
    await entry.getByRole("row").filter({ hasText: "ana@example.com" }).waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    await entry.getByRole("button", { name: "All entries of this request" }).click();
    await page()
      .getByText(/^1 of 1$/)
      .waitFor();
    await page().waitForURL(/request=/);
    assert.deepEqual(visit.offences, []);
    await visit.context.close();
  });

  it("a Tenant Administrator sees nothing of other tenants, and reads why", async () => {
    await api().put(`/api/${OTHER}/secrets/HIDDEN-FROM-OTHERS`, {
      key: api().operatorKey,
      body: { value: "v" },
    });
    const at = `/${TENANT}/settings/audit?scope=all`;
    visit = await openConsole(chromium(), api(), at, { tenants: [TENANT] });
    const asked: string[] = [];
    page().on("request", (request) => void asked.push(new URL(request.url()).pathname));
    await row("tenant.put").first().waitFor();
    assert.equal(await page().getByText("Whole installation").count(), 0);
    for (const name of ["Administrators", "OAuth clients", "Tenants"]) {
      assert.doesNotMatch(await page().content(), new RegExp(`${OTHER}|HIDDEN-FROM-OTHERS`));
      await goTo(name);
      await page().getByText("Only Global Administrators see this page").waitFor();
      await page().getByRole("heading", { name }).waitFor();
    }
    assert.doesNotMatch(await page().content(), new RegExp(OTHER));
    const theirs = asked.filter((path) => path.startsWith("/api/"));
    assert.deepEqual(
      theirs.filter((path) => !path.startsWith(`/api/${TENANT}/`)),
      [],
    );
    assert.deepEqual(visit.offences, []);
    await visit.context.close();
  });

  it("a person without the scope reads why a secret cannot be changed", async () => {
    visit = await openConsole(chromium(), api(), `/${TENANT}/settings/secrets`, {
      tenants: [TENANT],
    });
    await page().getByText("No secrets yet").waitFor();
    await api().put(`/api/${TENANT}/secrets/KEPT`, {
      key: api().operatorKey,
      body: { value: "v" },
    });
    // No event tells of secrets, so the list is read anew when somebody comes back to the tab.
    await page().evaluate("dispatchEvent(new Event('visibilitychange'))");
    await row("KEPT").waitFor();
    await narrowScope(page(), "openid tenant.secret:read");
    await page().reload();
    await page().getByRole("button", { name: "Actions for KEPT", exact: true }).click();
    const off = page().getByRole("menuitem", { name: "Replace value" });
    await off.getByText("You lack the scope tenant.secret:write.").waitFor();
    await off.click({ force: true });
    assert.equal(await page().getByRole("dialog").count(), 0);
    await visit.context.close();
  });

  it("all of it is read on a phone, in French and in the dark", async () => {
    const look = { viewport: PHONE, locale: "fr-FR", colorScheme: "dark" } as const;
    visit = await openConsole(chromium(), api(), `/${TENANT}/settings/audit`, look);
    await heading(page(), "Journal d’audit").waitFor();
    await row("tenant.put").first().click();
    await dialog("tenant.put").getByText("Cible").waitFor();
    await assertFits(page());
    await page().getByRole("button", { name: "Fermer" }).click();
    for (const name of ["Administrateurs", "Secrets", "Clients OAuth"]) {
      await page().getByRole("button", { name: "Ouvrir la navigation" }).click();
      await goTo(name);
      await heading(page(), name).waitFor();
      await assertFits(page());
    }
    assert.deepEqual(visit.offences, []);
    await visit.context.close();
  });
});

async function assertFits(page: Page): Promise<void> {
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
}
