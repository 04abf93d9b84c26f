import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { before, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { writeZip } from "#src/files/public.ts";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { fillSignIn, heading, openConsole, PHONE } from "#test/support/console-page.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm).buffer as ArrayBuffer } });

const TENANT = "lune";
const LOYALTY = "server/passes/loyalty.yml";
const DEMO = join(import.meta.dirname, "../../demo");
const port = await freePort();

/** The files of the demo: four templates, two languages, many pictures. */
const demoFiles = (): Record<string, string | { base64: string }> =>
  Object.fromEntries(
    readdirSync(DEMO, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("artwork"))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => {
        const name = relative(DEMO, path).split(sep).join("/");
        const bytes = readFileSync(path);
        const isText = name.endsWith(".yml");
        return [name, isText ? bytes.toString() : { base64: bytes.toString("base64") }];
      }),
  );

/**
 * Where somebody types, Chromium itself gives lines a style while it joins them, which the policy refuses;
 * the editor draws the line anew anyway.
 */
const isOfThePage = (offence: string): boolean => !offence.startsWith("Applying inline style");

describeInBrowser("Templates in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const asOperator = (body?: unknown) => ({ key: api().operatorKey, body });
  const open = (path = `?file=${encodeURIComponent(LOYALTY)}`) =>
    openConsole(chromium(), api(), `/${TENANT}/templates${path}`);
  const card = (page: Page, name: string) => page.getByRole("article", { name });
  const fileButton = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Files" }).getByRole("button", { name });
  const line = (page: Page, text: string) => page.locator(".cm-line", { hasText: text }).first();

  async function filesOf(query = ""): Promise<Record<string, unknown>> {
    const headers = { accept: "application/json" };
    const sent = await api().get(`/api/tenants/${TENANT}${query}`, { ...asOperator(), headers });
    assert.equal(sent.status, 200, sent.text);
    return sent.body.files;
  }

  /** Reads the code from the pixels on the screen, by a program that is not ours. */
  async function scan(from: Locator): Promise<string | undefined> {
    await from.locator("[data-barcode]").waitFor();
    const pixels = await from.locator("figure").screenshot();
    const [found] = await readBarcodes(new Uint8Array(pixels));
    return found?.text;
  }

  async function typeAtEndOf(page: Page, text: string, typed: string): Promise<void> {
    await line(page, text).click();
    await page.keyboard.press("End");
    await page.keyboard.type(typed);
  }

  async function choose(page: Page, action: string): Promise<void> {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: action }).click();
  }

  before(async () => {
    const sent = await api().put(`/api/tenants/${TENANT}`, asOperator({ files: demoFiles() }));
    assert.equal(sent.status, 201, sent.text);
  });

  it("show what is typed in both wallets, keep it, and change nothing until it is published", async () => {
    const { context, page, offences } = await open();
    await heading(page, "Templates and files").waitFor();
    const apple = card(page, "Apple Wallet, front");
    await apple.getByText("Camille Moreau").waitFor();
    assert.equal(await scan(apple), "sample-pass-0001");
    await line(page, "logoText").waitFor();
    assert.deepEqual(await findingsOf(page), []);

    await typeAtEndOf(page, "logoText: Café Lune", " Bistro");
    await apple.getByText("Café Lune Bistro").waitFor();
    // What cannot be read is marked at its place, and the last picture stays.
    await page.keyboard.press("Enter");
    await page.keyboard.type("naem: x");
    const findings = page.getByRole("region", { name: "Findings" });
    await findings.getByText("1 error").waitFor();
    await page.locator(".cm-lint-marker-error").first().waitFor();
    await apple.getByText("Café Lune Bistro").waitFor();
    await page.keyboard.press("Shift+Home");
    // The keys that a template may have are offered, with what they mean.
    await page.keyboard.type("shar");
    const offered = page.getByRole("option", { name: "sharing" });
    await offered.waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await page.keyboard.type("true");
    await findings.getByText("1 error").waitFor({ state: "detached" });
    await line(page, "sharing: true").waitFor();

    await fileButton(page, "tenant.yml").click();
    await line(page, "timeZone").waitFor();
    await fileButton(page, "loyalty.yml").click();
    await line(page, "logoText: Café Lune Bistro").waitFor();
    assert.equal((await filesOf())[LOYALTY], demoFiles()[LOYALTY]);

    await page.keyboard.press("Control+S");
    await page.getByText("The draft is saved.").waitFor();
    assert.match(String((await filesOf("?draft=true"))[LOYALTY]), /logoText: Café Lune Bistro/);
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await findings.getByText("The test found no errors.").waitFor();

    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const changes = page.getByRole("dialog", { name: "What would change" });
    await changes.locator(".cm-changedLine", { hasText: "Bistro" }).waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await changes.getByLabel("What is this change for?").fill("The new name");
    await changes.getByRole("button", { name: "Publish changes" }).click();
    await page.getByText("Version 2 is in force.").waitFor();
    assert.match(String((await filesOf())[LOYALTY]), /sharing: true/);
    assert.deepEqual(offences.filter(isOfThePage), []);

    await choose(page, "History");
    const history = page.getByRole("dialog", { name: "History" });
    await history.getByText("The new name").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await history.getByRole("button", { name: "Roll back to this" }).click();
    const question = page.getByRole("dialog", { name: "Roll back to version 1?" });
    await question.getByRole("button", { name: "Roll back to this" }).click();
    await page.getByText("Version 3 is in force, with the files of version 1.").waitFor();
    assert.equal((await filesOf())[LOYALTY], demoFiles()[LOYALTY]);
    await context.close();
  });

  it("are previewed front and back, by language and wallet, with codes that scanners read", async () => {
    const { context, page, offences } = await open();
    const { body } = await api().post(
      `/api/tenants/${TENANT}/preview`,
      asOperator({ passType: "loyalty" }),
    );
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("Google", { exact: true }).click();
    const google = card(page, "Google Wallet, front");
    await google.getByText("Moon Card").waitFor();
    assert.equal(await scan(google), body.google.object.barcode.value);
    for (const { id, body: text } of body.google.object.textModulesData.slice(0, 4)) {
      assert.equal(await google.locator(`[data-field="${id}"] dd`).textContent(), text, id);
    }
    await preview.getByLabel("Language").selectOption("fr");
    await google.getByText("Tampons café").waitFor();
    await preview.getByText("Back", { exact: true }).click();
    await card(page, "Google Wallet, back").getByText("Dix tampons").waitFor();
    await preview.getByText("Apple", { exact: true }).click();
    await card(page, "Apple Wallet, back").getByText("Dix tampons").waitFor();
    await preview.getByRole("button", { name: /Show on a (dark|light) phone/ }).click();
    assert.deepEqual(await findingsOf(page), []);

    await preview.getByText("Front", { exact: true }).click();
    for (const [type, style] of [
      ["coupon", "coupon"],
      ["event-ticket", "eventTicket"],
      ["membership", "generic"],
    ] as const) {
      await page.getByLabel("Preview of").selectOption(type);
      const wanted = await api().post(
        `/api/tenants/${TENANT}/preview`,
        asOperator({ passType: type }),
      );
      const { barcodes } = wanted.body.apple.pass;
      const apple = page.locator(`article[data-style="${style}"]`);
      assert.equal(await scan(apple), barcodes[0].message, type);
    }
    assert.deepEqual(offences.filter(isOfThePage), []);
    await context.close();
  });

  it("are added, renamed, deleted and brought back, and travel as an archive", async () => {
    const { context, page, offences } = await open();
    await page.getByRole("button", { name: "New file" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New file" });
    await dialog.getByLabel("Path").fill("server/passes/club.yml");
    await dialog.getByRole("button", { name: "Create" }).click();
    // The style tells it from the card that was shown before.
    await page.locator('article[data-style="generic"]').getByText("Alexandra").waitFor();
    await page.getByRole("button", { name: "Rename" }).click();
    const renaming = page.getByRole("dialog", { name: "Rename server/passes/club.yml" });
    await renaming.getByLabel("Path").fill("server/passes/friends.yml");
    await renaming.getByRole("button", { name: "Rename" }).click();
    await fileButton(page, "friends.yml").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await fileButton(page, "friends.yml").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await fileButton(page, "friends.yml").waitFor();

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      choose(page, "Download as ZIP"),
    ]);
    assert.equal(download.suggestedFilename(), `${TENANT}.zip`);
    const archive = await writeZip(
      new Map([["tenant.yml", Buffer.from("name: From a ZIP\n")]]),
      new Date(0),
    );
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      choose(page, "Upload a ZIP archive"),
    ]);
    await chooser.setFiles({
      name: "all.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(archive),
    });
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.getByText("The archive is the draft now.").waitFor();
    await page.getByText("No template yet").waitFor();
    assert.deepEqual(Object.keys(await filesOf("?draft=true")), ["tenant.yml"]);
    await choose(page, "Discard the draft");
    await page
      .getByRole("dialog", { name: "Discard the draft?" })
      .getByRole("button", { name: "Discard the draft" })
      .click();
    await fileButton(page, "loyalty.yml").waitFor();
    assert.deepEqual(offences.filter(isOfThePage), []);
    await context.close();
  });

  it("lose nothing typed when the session ends", async () => {
    const { context, page, email } = await open();
    await typeAtEndOf(page, "logoText: Café Lune", " at night");
    const other = await context.newPage();
    await other.goto(`${api().runtime.baseUrl}/sign-out`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "You are signed out" }).waitFor();
    await other.close();
    // Nodes know of it within a second.
    await page.waitForTimeout(1_100);
    await page.getByRole("button", { name: "Save draft" }).click();
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    const [window] = await Promise.all([
      context.waitForEvent("page"),
      ended.getByRole("button", { name: "Sign in" }).click(),
    ]);
    await fillSignIn(window, email);
    await page.getByText("The draft is saved.").waitFor();
    assert.match(String((await filesOf("?draft=true"))[LOYALTY]), /Café Lune at night/);
    await context.close();
  });

  it("are read on a phone, in French and in the dark, by somebody who may not change them", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), `/${TENANT}`, {
      viewport: PHONE,
      locale: "fr-FR",
      colorScheme: "dark",
    });
    // A token with fewer scopes than the role would give.
    await page.route("**/authorize?*", (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("scope", "openid tenant.configuration:read");
      return route.continue({ url: url.href });
    });
    await page.goto(`${api().runtime.baseUrl}/console/${TENANT}/templates`);
    await heading(page, "Modèles et fichiers").waitFor();
    await page.getByLabel("Fichier", { exact: true }).selectOption(LOYALTY);
    await card(page, "Apple Wallet, recto").getByText("Tampons café").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    const button = page.getByRole("button", { name: "Nouveau fichier" });
    await button.focus();
    await page.getByText("Il vous manque le droit tenant.configuration:write.").waitFor();
    await button.click({ force: true });
    assert.equal(await page.getByRole("dialog").count(), 0);
    await line(page, "logoText").click();
    await page.keyboard.type("zzz");
    assert.equal(await page.locator(".cm-line", { hasText: "zzz" }).count(), 0);

    // What is wrong is told in French, and what the API knows of the case stays in its own words.
    const files = { [LOYALTY]: `naem: x\n${demoFiles()[LOYALTY]}` };
    const saved = await api().patch(`/api/tenants/${TENANT}?publish=false`, asOperator({ files }));
    assert.equal(saved.status, 200, saved.text);
    await page.reload();
    const found = page
      .getByRole("region", { name: "Constats" })
      .getByRole("button", { name: /^Erreur Une propriété porte un nom inconnu\./ });
    await found.getByText("Vérifiez l’orthographe, ou retirez la propriété.").waitFor();
    await found.locator("[lang=en]", { hasText: "'naem' is not a known property" }).waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.locator(".cm-lint-marker-error").first().hover();
    const tip = page.locator(".cm-tooltip-lint");
    await tip.getByText("Une propriété porte un nom inconnu.").waitFor();
    await tip.locator("[lang=en]", { hasText: "Did you mean 'name'?" }).waitFor();
    assert.deepEqual(offences.filter(isOfThePage), []);
    await context.close();
  });
});
