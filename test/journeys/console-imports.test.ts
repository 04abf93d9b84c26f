import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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
import { importFile } from "#test/support/imports.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const IMPORTS = `/${TENANT}/imports`;
const SCHEDULER = `/${TENANT}/scheduler`;
const SCHEDULE = `tasks:
  - { id: nightly-export, kind: export, cron: "30 4 * * *", settings: { passType: loyalty } }
  - { id: resting, kind: purge, cron: "0 3 * * *", enabled: false }
`;
const HEAD = "passType;identifiers.loyalty.number;additionalData.firstName;additionalData.points";
const GOOD = "loyalty;4001;Camille;12";
const BAD = "loyalty;4002;Noé;many";
const port = await freePort();

describeInBrowser("imports and scheduled tasks in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const asOperator = (body?: unknown) => ({ key: api().operatorKey, body });
  const row = (page: Page, name: string | RegExp) =>
    page.getByRole("row").filter({ hasText: name });

  async function send(page: Page, content: string, isDryRun: boolean): Promise<void> {
    const dialog = page.getByRole("dialog", { name: "Upload a file" });
    const file = { name: "members.csv", mimeType: "text/csv", buffer: Buffer.from(content) };
    await dialog.locator("input[type=file]").setInputFiles(file);
    await dialog.getByText(/members\.csv · \d+ bytes/).waitFor();
    if (!isDryRun) await dialog.getByLabel("Dry run").uncheck();
    const verb = isDryRun ? "Upload and look" : "Upload and import";
    await dialog.getByRole("button", { name: verb }).click();
  }

  async function downloaded(page: Page, button: string): Promise<string> {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: button }).click(),
    ]);
    return await readFile(await download.path(), "utf8");
  }

  before(() => seedPassTenant(api(), TENANT));

  it("look at a file first, import it, and give the failed rows back with their reasons", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), IMPORTS);
    await heading(page, "Imports").waitFor();
    await page.getByText("No imports yet").waitFor();
    await page.getByLabel(/^Live:/).waitFor({ state: "attached" });
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Upload a file" }).first().click();
    await page.getByText("Drop a file here, or").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await send(page, [HEAD, GOOD, BAD].join("\n"), true);
    // The end of the import is told by an event.
    await page.getByText("Nothing has changed yet.").waitFor();
    await page.getByRole("button", { name: /^Would be created\s*1$/ }).waitFor();
    const passes = () => api().get(`/api/${TENANT}/passes?pageSize=10`, asOperator());
    assert.equal((await passes()).body.length, 0);

    await page.getByRole("button", { name: "Import for real" }).click();
    await send(page, [HEAD, GOOD, BAD].join("\n"), false);
    // The list beside the dialog says of the file that was looked at that it is done, too.
    await page.getByRole("button", { name: /^Created\s*1$/ }).waitFor();
    await page.getByText("Done with failures").waitFor();
    assert.equal((await passes()).body.length, 1);
    const failed = page.getByRole("button", { name: /^Failed\s*1$/ });
    await failed.click();
    await row(page, "4002")
      .getByText(/points/)
      .waitFor();
    await row(page, "4001").waitFor({ state: "detached" });
    await untilAsked(page, "outcome", "failed");
    assert.deepEqual(await findingsOf(page), []);
    const given = await downloaded(page, "Download failed rows");
    assert.match(given, /reason/);
    assert.match(given, /4002/);
    assert.doesNotMatch(given, /4001/);
    assert.match(await downloaded(page, "Download the log"), /4001/);

    await page.getByRole("button", { name: "All imports" }).click();
    await row(page, "2 rows, 1 failed").first().waitFor();
    await page.goBack();
    await failed.waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("explain a closed file drop, and show how to reach an open one", async () => {
    const { context, page, offences } = await openConsole(
      chromium(),
      api(),
      `${IMPORTS}?view=drop`,
    );
    await page.getByText("The file drop is closed").waitFor();
    await page.getByLabel(/^Live:/).waitFor({ state: "attached" });
    assert.equal(await page.getByRole("alert").count(), 0);
    const files = {
      ...PASS_FILES,
      "tenant.yml": `name: ${TENANT}\nsftp: { enabled: true }\n`,
      "server/schedule.yml": SCHEDULE,
    };
    const opened = await api().put(`/api/tenants/${TENANT}`, asOperator({ files }));
    assert.equal(opened.status, 200, opened.text);
    await page.getByText(`@`).first().waitFor();
    const status = await api().get(`/api/${TENANT}/admin/sftp/status`, asOperator());
    await page.getByText(status.body.fingerprint).waitFor();
    await page.getByText("Nobody can sign in yet").waitFor();
    await page.getByText("No file has come yet").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("run a task now, and give its log and its file", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), SCHEDULER);
    await heading(page, "Scheduler").waitFor();
    await page.getByText("No runs yet").waitFor();
    await page.getByText("Off", { exact: true }).waitFor();
    await page.getByLabel(/^Live:/).waitFor({ state: "attached" });
    assert.deepEqual(await findingsOf(page), []);
    const task = page.getByRole("listitem").filter({ hasText: "nightly-export" });
    await task.getByRole("button", { name: "Run now" }).click();
    const drawer = page.getByRole("dialog", { name: "nightly-export" });
    await drawer.getByText("Succeeded").waitFor();
    await drawer.getByText("By hand").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    const file = await downloaded(page, "Download");
    assert.match(file, /passId/);
    assert.match(file, /4001/);
    const run = new URL(page.url()).searchParams.get("run") ?? "";
    assert.match(run, /^nightly-export\//);
    await page.keyboard.press("Escape");
    await row(page, "nightly-export").getByText("Succeeded").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are read on a phone, in French, without the right to change anything", async () => {
    await importFile(api(), TENANT, `${HEAD}\n${GOOD}\n`, "fileName=phone.csv");
    const { context, page, offences } = await openConsole(chromium(), api(), IMPORTS, {
      viewport: PHONE,
      locale: "fr-FR",
    });
    await row(page, "phone.csv").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    await narrowScope(page, "openid tenant.sftp:read tenant.scheduler:read");
    await page.goto(`${api().runtime.baseUrl}/console${SCHEDULER}`);
    await row(page, "nightly-export").getByText("1 passe a été exporté.").waitFor();
    const button = page.getByRole("button", { name: "Exécuter", exact: true }).first();
    await button.focus();
    await page.getByText("Il vous manque le droit tenant.scheduler:write.").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    await button.click({ force: true });
    assert.equal(await page.getByRole("dialog").count(), 0);
    await row(page, "nightly-export").getByText("1 passe a été exporté.").click();
    const drawer = page.getByRole("dialog", { name: "nightly-export" });
    await drawer.getByText("1 passe a été exporté.").waitFor();
    await drawer.getByText("Passes exportés").waitFor();
    await drawer.locator("[lang=en]", { hasText: "The export has" }).waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });
});
