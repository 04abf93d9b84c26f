import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { allEvents } from "#main/modules.ts";
import { compileForNames } from "#src/events/event.pattern.ts";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { heading, openConsole, PHONE } from "#test/support/console-page.ts";
import { seedWebhook } from "#test/support/factories.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { ROOT } from "#test/support/sources.ts";
import { shareApi } from "#test/support/start-api.ts";
import { isSignedBy, startReceiver } from "#test/support/webhook-receiver.ts";

const TENANT = "harbour";
const AT = `/${TENANT}/webhooks`;
const port = await freePort();

describeInBrowser("webhooks in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const open = (path = AT) => openConsole(chromium(), api(), path);
  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
  const read = async (path: string) => (await api().get(path, { key: api().operatorKey })).body;

  async function choose(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole("menuitem", { name: action }).click();
  }

  const secretIn = async (place: Locator): Promise<string> =>
    ((await place.locator("[data-value]").textContent()) ?? "").trim();

  before(() => seedPassTenant(api(), TENANT));

  it("are made from the catalogue, tried out, and each delivery can be looked into and sent again", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer({ status: 201, headers: { "x-served-by": "till" }, body: '{"thanks":true}' });
    const { context, page, offences } = await open();
    await heading(page, "Webhooks").waitFor();
    await page.getByText("No webhooks yet").waitFor();

    await page.getByRole("tab", { name: "Event catalogue" }).click();
    await page.getByLabel("Find events").fill("pass.un*");
    await page.getByText("1 event", { exact: true }).waitFor();
    await page.getByRole("button", { name: /pass\.uninstalled/ }).click();
    await page.getByText('"event": "pass.uninstalled"').waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Subscribe" }).click();

    const form = page.getByRole("dialog", { name: "Add webhook" });
    await form.getByLabel("All of pass").check();
    await form.getByRole("button", { name: "Remove pass.*", exact: true }).waitFor();
    await form.getByLabel("Address").fill("ftp://nowhere.example");
    await form.getByLabel("Name", { exact: true }).fill("Till");
    await form.getByRole("button", { name: "Add webhook" }).click();
    await form.locator('[aria-invalid="true"]').waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await form.getByLabel("Address").fill(receiver.url);
    await form.getByRole("button", { name: "Add webhook" }).click();
    const made = page.getByRole("dialog", { name: "The webhook is ready" });
    const secret = await secretIn(made);
    await made.getByRole("button", { name: "Send a test" }).click();

    const trial = page.getByRole("dialog", { name: "Try out Till" });
    await trial.getByRole("button", { name: "Send the test" }).click();
    await trial.getByText(/The endpoint took it: 201 in/).waitFor();
    await trial.getByText("x-served-by").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    const [test] = receiver.received;
    assert.ok(test !== undefined && isSignedBy(secret, test));
    assert.ok(!(await page.content()).includes(secret));

    await trial.getByRole("button", { name: "Open the delivery" }).click();
    const drawer = page.getByRole("dialog", { name: "Delivery of webhook.test" });
    await drawer.getByRole("tab", { name: "Verify the signature" }).click();
    assertValid(await codesIn(drawer), secret);
    await drawer.getByRole("button", { name: "Send again" }).click();
    await drawer.getByRole("tab", { name: "Attempts" }).click();
    await drawer.getByText("somebody asked for it").waitFor();
    assert.equal((await receiver.waitFor(2)).length, 2);
    assert.deepEqual(await findingsOf(page), []);
    await drawer.getByRole("button", { name: "Copy as curl" }).click();
    const readCommand = `navigator.clipboard.readText().then((text) => text.startsWith("curl") && text)`;
    const copied = String(await (await page.waitForFunction(readCommand)).jsonValue());
    await promisify(execFile)("sh", ["-c", copied], { timeout: 120_000 });
    const [, second, third] = await receiver.waitFor(3);
    assert.deepEqual(third?.raw, second?.raw);
    assert.equal(third?.headers["webhook-signature"], second?.headers["webhook-signature"]);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("show what is delivered as it happens, when the receiver is gone, and recover what it missed", async (t) => {
    const receiver = await startReceiver(t);
    const hook = await seedWebhook(api(), TENANT, {
      description: "Live",
      events: ["pass.created", "pas.deleted"],
      endpoint: receiver.url,
    });
    const { context, page, offences } = await open(`${AT}?id=${hook.id}`);
    await heading(page, "Live").waitFor();
    await page.getByText("No event fits pas.deleted. Did you mean pass.deleted?").waitFor();
    await page.getByText("Nothing was sent yet").waitFor();
    await page.getByLabel(/^Live:/).waitFor();
    await seedPass(api(), TENANT);
    await row(page, "pass.created").getByText("Delivered").waitFor();
    await page.getByText("Healthy").waitFor();

    receiver.answer(410);
    await seedPass(api(), TENANT);
    await page.getByText("Switched off: the address answered 410 Gone.").first().waitFor();
    // Filters stand in the address.
    await page.getByText("Failed", { exact: true }).first().click();
    await page.waitForURL(/state=failed/);
    await row(page, "pass.created").nth(1).waitFor({ state: "detached" });
    await row(page, "pass.created").getByText("410", { exact: true }).waitFor();
    assert.deepEqual(await findingsOf(page), []);

    receiver.answer(200);
    await choose(page, "Live", "Recover what was missed");
    const dialog = page.getByRole("dialog", { name: "Recover for Live" });
    await dialog.getByRole("button", { name: "Switch on" }).click();
    await dialog.getByRole("button", { name: "Switch on" }).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Start" }).click();
    await dialog.getByText("All events are looked at").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await receiver.waitFor(3);
    await dialog.getByRole("button", { name: "See the deliveries" }).click();
    await page.getByText("No delivery fits these filters").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await row(page, "pass.created").nth(1).getByText("Delivered").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("have one list of what all of them were sent, by state and by webhook", async (t) => {
    await seedPassTenant(api(), "pier");
    for (const [description, status] of [
      ["North", 200],
      ["South", 410],
    ] as const) {
      const receiver = await startReceiver(t);
      receiver.answer(status);
      await seedWebhook(api(), "pier", {
        description,
        events: ["pass.created"],
        endpoint: receiver.url,
      });
    }
    const { context, page, offences } = await open("/pier/deliveries");
    await heading(page, "Deliveries").waitFor();
    await page.getByText("Nothing was sent yet").waitFor();
    await page.getByLabel(/^Live:/).waitFor();
    const { id: passId } = await seedPass(api(), "pier");
    await row(page, "North").getByText("Delivered").waitFor();
    await row(page, "South").getByText("Failed").waitFor();
    assert.deepEqual(await findingsOf(page), []);

    await page.getByText("Failed", { exact: true }).first().click();
    await page.waitForURL(/state=failed/);
    await row(page, "North").waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "Webhook" }).click();
    await page.getByRole("option", { name: "North" }).click();
    await page.getByText("Nothing fits this filter").waitFor();
    await page.goBack();
    await row(page, "South").locator("[role=cell]").first().click();
    const drawer = page.getByRole("dialog", { name: "Delivery of pass.created" });
    await drawer.getByText("Attempt 1").waitFor();
    await drawer.getByRole("tab", { name: "Body" }).click();
    await drawer.getByText(passId).first().waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "South" }).click();
    await heading(page, "South").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("get a new secret step by step, with both secrets signing in between", async (t) => {
    const receiver = await startReceiver(t);
    const hook = await seedWebhook(api(), TENANT, { description: "Shop", endpoint: receiver.url });
    const { context, page } = await open();
    await choose(page, "Shop", "New secret step by step");
    const dialog = page.getByRole("dialog", { name: "New secret for Shop" });
    await dialog.getByRole("button", { name: "Make the new secret" }).click();
    const secret = await secretIn(dialog);
    assert.equal((await read(hook.path)).signatureSecret, secret);
    await dialog.getByText(/^Both secrets sign until/).waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await dialog.getByLabel("I have saved the secret").check();
    await dialog.getByRole("button", { name: "It is in place" }).click();
    assert.equal(await dialog.locator("[data-value]").count(), 0);
    await dialog.getByRole("button", { name: "Send the test" }).click();
    await dialog.getByText(/The endpoint took it: 200/).waitFor();
    const [got] = receiver.received;
    assert.ok(got !== undefined && isSignedBy(secret, got));
    assert.equal(got.headers["webhook-signature"]?.split(" ").length, 2);
    await context.close();
  });

  it("are changed, switched off and deleted; what can be taken back is", async () => {
    const endpoint = "http://localhost:9999/crm";
    const hook = await seedWebhook(api(), TENANT, { description: "CRM", endpoint });
    const { context, page } = await open(`${AT}?edit=${hook.id}`);
    const dialog = page.getByRole("dialog", { name: "Change CRM" });
    await dialog.getByLabel("One after the other").check();
    await dialog.getByLabel("Another name or pattern").fill("store.*.updated");
    await dialog.getByText("Covers 1 event: store.*.updated").waitFor();
    await dialog.getByLabel("Another name or pattern").press("Enter");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("CRM is changed.").waitFor();
    assert.deepEqual((await read(hook.path)).events, ["api-key.created", "store.*.updated"]);
    assert.equal((await read(`${hook.path}/settings`)).ordered, true);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.deepEqual((await read(hook.path)).events, ["api-key.created"]);
    assert.equal((await read(`${hook.path}/settings`)).ordered, false);

    await choose(page, "CRM", "Switch off");
    await row(page, "CRM").getByText("Off").first().waitFor();
    assert.equal((await read(hook.path)).enabled, false);
    await page
      .getByRole("alert")
      .filter({ hasText: "CRM is off" })
      .getByRole("button", { name: "Undo" })
      .click();
    await row(page, "CRM").getByText("On", { exact: true }).waitFor();
    assert.equal((await read(hook.path)).enabled, true);

    await choose(page, "CRM", "Delete");
    const question = page.getByRole("dialog", { name: "Delete CRM?" });
    await question.getByRole("button", { name: "Delete" }).click();
    await row(page, "CRM").waitFor({ state: "detached" });
    assert.equal((await api().get(hook.path, { key: api().operatorKey })).status, 404);
    await context.close();
  });

  it("are read on a phone, in French and in the dark, by somebody who may not change them", async () => {
    const hook = await seedWebhook(api(), TENANT, { description: "Lecture" });
    await read(`${hook.path}/health`);
    const { context, page, offences } = await openConsole(chromium(), api(), AT, {
      viewport: PHONE,
      locale: "fr-FR",
      colorScheme: "dark",
      scope: "openid tenant.webhook:read",
    });
    await row(page, "Lecture").waitFor();
    const button = page.getByRole("button", { name: "Ajouter un webhook" });
    await button.focus();
    await page.getByText("Il vous manque le droit tenant.webhook:write.").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await row(page, "Lecture").locator("[role=cell]").first().click();
    await heading(page, "Lecture").waitFor();
    await page.getByText("Rien n’a encore été envoyé").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    await page.goto(`${api().runtime.baseUrl}/console/${TENANT}/deliveries`);
    await heading(page, "Envois").waitFor();
    await row(page, "pass.created").first().waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  });
});

/** The programs that check this delivery, by the name of their language. */
async function codesIn(drawer: Locator): Promise<Record<string, string>> {
  const codes: Record<string, string> = {};
  for (const language of ["openssl", "Node.js", "Python"]) {
    await drawer.getByText(language, { exact: true }).first().click();
    const block = drawer.getByRole("region", { name: "Check this delivery" }).locator("pre");
    codes[language] = (await block.textContent()) ?? "";
  }
  return codes;
}

function assertValid(codes: Record<string, string>, secret: string): void {
  const folder = mkdtempSync(join(tmpdir(), "billfold-snippets-"));
  const run = (command: string, file: string, code: string, WEBHOOK_SECRET: string) => {
    writeFileSync(join(folder, file), code);
    const env = { ...process.env, WEBHOOK_SECRET };
    return execFileSync(command, [file], { cwd: folder, env, encoding: "utf8" }).trim();
  };
  const other = Buffer.alloc(48).toString("base64");
  for (const [language, command, file] of [
    ["openssl", "sh", "check.sh"],
    ["Node.js", process.execPath, "check.mjs"],
    ["Python", "python3", "check.py"],
  ] as const) {
    assert.equal(run(command, file, codes[language] ?? "", secret), "valid", language);
    assert.equal(run(command, file, codes[language] ?? "", other), "not valid", language);
  }
  rmSync(folder, { recursive: true });
}

describe("patterns of events in the console", () => {
  it("cover what the API says that they cover", async () => {
    const file = pathToFileURL(join(ROOT, "console/src/parts/events/pattern.ts")).href;
    const { covers } = (await import(file)) as { covers(pattern: string, name: string): boolean };
    const names = allEvents().map(({ name }) => name);
    const beginnings = names.flatMap((name) => [`${name.slice(0, 6)}*`, `${name.split(".")[0]}.*`]);
    const odd = [
      "*",
      "*.created",
      "pass*",
      "Pass:Created",
      "store.*.updated",
      "store.x.*",
      "*.*.*",
    ];
    for (const pattern of new Set([...names, ...beginnings, ...odd, "store.berlin.updated"])) {
      // The middle of a name may be cut off where the API allows no star.
      if (/\*[^.]|[^.*]\*\./.test(pattern)) continue;
      const isCovered = compileForNames(pattern);
      for (const name of names)
        assert.equal(covers(pattern, name), isCovered(name), `${pattern} ${name}`);
    }
  });
});
