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
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const AT = `/${TENANT}/passes`;
const port = await freePort();

describeInBrowser("passes in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const open = (path = AT) => openConsole(chromium(), api(), path);
  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
  const read = async (passId: string) =>
    (await api().get(`/api/${TENANT}/passes/${passId}`, { key: api().operatorKey })).body;
  const choose = async (page: Page, action: string | RegExp) => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };

  before(() => seedPassTenant(api(), TENANT));

  it("are created with the fields that the API asks for, and lived with from their page", async () => {
    const { context, page, offences } = await open();
    await page.getByText("No passes yet").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Create pass" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create pass" });
    await dialog.getByRole("combobox", { name: "Pass type" }).selectOption("loyalty");
    await dialog.getByRole("button", { name: "Create pass" }).click();
    // The API says what is missing, and each has a row now.
    await dialog.getByLabel("Value loyalty.number").fill("N-100");
    await dialog.getByLabel("Value firstName").fill("Grace");
    assert.deepEqual(await findingsOf(page), []);
    await dialog.getByRole("button", { name: "Create pass" }).click();
    await heading(page, "Grace").waitFor();
    await page.waitForURL(/\/ps_\w+$/);
    const passId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    assert.equal((await read(passId)).identifiers["loyalty.number"], "N-100");
    await page.getByText("data.firstName").first().waitFor();
    await page.getByRole("region", { name: "Preview" }).getByText("Grace").first().waitFor();
    assert.deepEqual(await findingsOf(page), []);

    await page.getByRole("button", { name: "Change", exact: true }).click();
    const change = page.getByRole("dialog", { name: "Change the pass" });
    await change.getByLabel("Value firstName").fill("Grace H.");
    await change.getByRole("button", { name: "Save" }).click();
    await heading(page, "Grace H.").waitFor();
    await page.getByRole("region", { name: "Preview" }).getByText("Grace H.").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await heading(page, /^Grace$/).waitFor();

    await choose(page, "Move a privilege");
    const move = page.getByRole("dialog", { name: "Move Points" });
    await move.getByLabel("Amount").fill("12");
    await move.getByRole("button", { name: "Move" }).click();
    await page.getByText("Points is 12 now.").waitFor();

    await choose(page, "Simulate a scan");
    const scan = page.getByRole("dialog", { name: "Simulate a scan" });
    assert.equal(await scan.getByLabel("Code").inputValue(), passId);
    await scan.getByLabel("Redeem").selectOption({ label: "Points" });
    await scan.getByLabel("Amount").fill("5");
    await scan.getByRole("button", { name: "Scan", exact: true }).click();
    await scan.getByText("Accepted").waitFor();
    await scan.getByRole("button", { name: "Done" }).click();

    await page.getByRole("tab", { name: "Privileges" }).click();
    await page.getByRole("button", { name: "Ledger" }).click();
    await page.getByRole("row").filter({ hasText: "Redeem" }).getByText("Undo").click();
    const question = page.getByRole("dialog", { name: "Undo this movement?" });
    await question.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The movement is undone.").waitFor();
    assert.deepEqual(await findingsOf(page), []);

    await page.getByRole("tab", { name: "Timeline" }).click();
    const entries = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
    const scanned = entries.filter({ hasText: "Scanned" });
    await scanned.getByText("Accepted").waitFor();
    await scanned.getByText(/^Request/).waitFor();
    await entries.filter({ hasText: "points -5 → 7" }).waitFor();
    assert.match((await entries.last().textContent()) ?? "", /Created/);
    assert.deepEqual(await findingsOf(page), []);
    // What happens elsewhere appears by itself.
    await page.getByLabel(/^Live:/).waitFor();
    await api().put(`/api/${TENANT}/passes/${passId}/notification`, {
      key: api().operatorKey,
      body: { content: "Your table is ready." },
    });
    await entries.first().getByText("Your table is ready.").waitFor();

    for (const tab of ["Deliveries", "Receipts", "JSON"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel").getByText(/./).first().waitFor();
    }
    assert.doesNotMatch(
      (await page.getByRole("tabpanel").textContent()) ?? "",
      new RegExp((await read(passId)).secret),
    );
    await choose(page, "Erase");
    const erase = page.getByRole("dialog", { name: "Erase the pass of Grace?" });
    await erase.getByLabel("Type Grace to confirm").fill("Grace");
    await erase.getByRole("button", { name: "Erase" }).click();
    assert.equal(await page.evaluate("globalThis.isSamePage = true"), true);
    const message = page.getByRole("alert").filter({ hasText: "The pass is erased." });
    await message.getByRole("link", { name: "Audit log" }).click();
    await heading(page, "Audit log").waitFor();
    assert.equal(await page.evaluate("globalThis.isSamePage"), true);
    assert.equal(await message.count(), 0);
    assert.equal((await read(passId)).code, "pass.not-found");
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are filtered by the address, ticked, and changed by a job that one can watch", async () => {
    for (let count = 1; count <= 12; count += 1) {
      await seedPass(api(), TENANT, {
        identifiers: { "crm.id": `C-${count}` },
        additionalData: { firstName: `Person ${count}` },
      });
    }
    const { context, page, offences } = await open(`${AT}?q=C-1&in=identifiers.crm.id`);
    await row(page, "Person 12").waitFor();
    assert.equal(await row(page, "Person 2").count(), 0);
    await page.getByLabel("Select Person 12").check();
    await page.getByLabel("Select Person 11").check();
    await page.getByText("2 selected").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Change data" }).click();
    const dialog = page.getByRole("dialog", { name: "Change data of 2 passes" });
    await dialog.getByLabel("Name").fill("tier");
    await dialog.getByLabel("Value tier").fill("Bridge");
    await dialog.getByRole("button", { name: "Change 2 passes" }).click();
    await page.getByRole("status").filter({ hasText: "100%" }).waitFor();
    await page.getByText("additionalData.tier").first().waitFor();
    assert.deepEqual(await findingsOf(page), []);

    // A filter, and all that fit it: Person 1, 10, 11 and 12.
    await page.goBack();
    await row(page, "Person 12").waitFor();
    await page.getByLabel("Select Person 12").check();
    await page.getByRole("button", { name: "Select all 4 that fit the filter" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    const question = page.getByRole("dialog", { name: "Disable 4 passes?" });
    await question.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("status").filter({ hasText: "100%" }).waitFor();
    await page.getByRole("button", { name: "All jobs" }).click();
    await row(page, "status").getByText("4 / 4").waitFor();

    await page.getByRole("link", { name: "Passes", exact: true }).click();
    await page.getByRole("combobox", { name: "Status" }).selectOption("disabled");
    await row(page, "Person 12").waitFor();
    await row(page, "Person 2").waitFor({ state: "detached" });
    await untilAsked(page, "status", "disabled");
    assert.equal(await page.getByRole("row").count(), 5);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are read on a phone, in French and in the dark", async () => {
    const { id } = await seedPass(api(), TENANT, { additionalData: { firstName: "Élise" } });
    const { context, page, offences } = await openConsole(chromium(), api(), AT, {
      viewport: PHONE,
      locale: "fr-FR",
      colorScheme: "dark",
    });
    const width = () => page.evaluate("document.documentElement.scrollWidth");
    await row(page, "Élise").waitFor();
    assert.equal(await width(), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    await row(page, id).getByText("Élise").click();
    await heading(page, "Élise").waitFor();
    await page.getByText("data.firstName").first().waitFor();
    assert.equal(await width(), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    await page.goto(`${api().runtime.baseUrl}/console/${TENANT}/jobs`);
    await row(page, "Modifier des passes").first().waitFor();
    assert.equal(await width(), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are only looked at by whoever may not write, and each button says why", async () => {
    const { id } = await seedPass(api(), TENANT, { additionalData: { firstName: "Wim" } });
    const { context, page } = await open();
    await row(page, "Wim").waitFor();
    await narrowScope(page, "openid tenant.pass:read");
    await page.goto(`${api().runtime.baseUrl}/console${AT}/${id}`);
    const button = page.getByRole("button", { name: "Change", exact: true });
    await button.focus();
    await page.getByText("You lack the scope tenant.pass:write.").first().waitFor();
    await button.click({ force: true });
    assert.equal(await page.getByRole("dialog").count(), 0);
    await context.close();
  });
});
