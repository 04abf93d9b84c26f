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
import { freePort } from "#test/support/product.ts";
import { readQr } from "#test/support/read-qr.ts";
import { ageScans, seedCard, seedDevice, seedScanTenant } from "#test/support/scan-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const DEVICES = `/${TENANT}/devices`;
const SCANS = `/${TENANT}/scans`;
const port = await freePort();

describeInBrowser("devices and scans in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const asOperator = (body?: unknown) => ({ key: api().operatorKey, body });
  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
  const listed = async () => (await api().get(`/api/${TENANT}/devices`, asOperator())).body;

  before(() => seedScanTenant(api(), TENANT));

  it("pairs a phone by the code on the screen, and the screen notices by itself", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), DEVICES);
    await heading(page, "Devices").waitFor();
    await page.getByText("No devices yet").waitFor();
    assert.deepEqual(await findingsOf(page), []);

    await page.getByRole("button", { name: "Register a device" }).first().click();
    const form = page.getByRole("dialog", { name: "Register a device" });
    await form.getByRole("button", { name: "Register and pair" }).click();
    await form.locator('[aria-invalid="true"]').first().waitFor();
    await form.getByRole("textbox", { name: "Name" }).fill("North door");
    await form.getByRole("textbox", { name: "Location" }).fill("Pier 4");
    await form.getByRole("button", { name: "Register and pair" }).click();

    const dialog = page.getByRole("dialog", { name: "Pair North door" });
    const picture = dialog.getByRole("img", { name: "QR code that pairs the device" });
    await picture.waitFor();
    await dialog
      .getByText(/Valid once, for (10|9):\d\d more/)
      .first()
      .waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByLabel(/^Live:/).waitFor({ state: "attached" });
    const code = ((await dialog.locator("[data-code]").textContent()) ?? "").trim();
    const url = `${api().runtime.baseUrl}/scan#${code.replace(" ", "")}`;
    assert.equal(await readQr(await picture.screenshot()), url);
    const paired = await api().post("/.well-known/billfold/pair", { body: { code } });
    assert.equal(paired.status, 200, paired.text);
    await dialog.getByText("North door is paired and ready to scan.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();

    await row(page, "North door").getByText("Paired").waitFor();
    await row(page, "Pier 4").waitFor();
    // What the phone got works.
    const body = { data: "nobody knows this", type: "qrcode" };
    const scan = await api().post(`/api/${TENANT}/scans`, { key: paired.body.apiKey, body });
    assert.equal(scan.body.deviceId, paired.body.deviceId);
    await row(page, "North door").getByText("In use").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("changes a device with undo, replaces its key, and removes it; the address says where one is", async () => {
    const { deviceId, key } = await seedDevice(api(), TENANT);
    const { context, page, offences } = await openConsole(
      chromium(),
      api(),
      `${DEVICES}?device=${deviceId}`,
    );
    const drawer = page.getByRole("dialog", { name: "Till" });
    await drawer.getByText(deviceId).waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await drawer.getByRole("button", { name: "Change" }).click();
    const form = page.getByRole("dialog", { name: "Change Till" });
    await form.getByRole("textbox", { name: "Name" }).fill("Till 7");
    await form.getByRole("textbox", { name: "Redeems with each scan" }).fill("coffee");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Till 7 is changed.").waitFor();
    const own = async () =>
      (await api().get(`/api/${TENANT}/devices/${deviceId}`, asOperator())).body;
    assert.deepEqual((await own()).settings, { redeem: { privilegeId: "coffee", amount: 1 } });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.equal((await own()).name, "Till");
    assert.deepEqual((await own()).settings, {});

    await drawer.getByRole("button", { name: "New key" }).click();
    const question = page.getByRole("dialog", { name: "A new key for Till?" });
    await question.getByRole("button", { name: "Make a new key" }).click();
    const shown = page.getByRole("dialog", { name: "Copy the key now" });
    const fresh = ((await shown.locator("[data-value]").textContent()) ?? "").trim();
    const current = `/api/${TENANT}/devices/current`;
    assert.equal((await api().get(current, { key })).status, 401);
    assert.equal((await api().get(current, { key: fresh })).status, 200);
    await shown.getByLabel("I have saved the key").check();
    await shown.getByRole("button", { name: "Done" }).click();

    await drawer.getByRole("button", { name: "Remove" }).click();
    const removal = page.getByRole("dialog", { name: "Remove Till?" });
    await removal.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Till is removed.").waitFor();
    assert.equal((await api().get(current, { key: fresh })).status, 401);
    await untilAsked(page, "device", null);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("shows scans as they happen, filtered by the address, and why each was decided so", async () => {
    const passId = await seedCard(api(), TENANT, "7001");
    const { context, page, offences } = await openConsole(
      chromium(),
      api(),
      `${SCANS}?decision=rejected&days=7`,
    );
    await heading(page, "Scans").waitFor();
    await page.getByLabel(/^Live:/).waitFor({ state: "attached" });
    const redeem = { privilegeId: "coffee", amount: 5 };
    const body = { data: "M-7001", type: "qrcode", location: "East gate", redeem };
    const sent = await api().post(`/api/${TENANT}/scans`, asOperator(body));
    assert.equal(sent.body.reason, "insufficient-value");
    await row(page, "East gate").getByText("Not enough left").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByPlaceholder("Location, or id of a pass").fill("West");
    await page.getByText("Nothing fits this filter").waitFor();
    await untilAsked(page, "q", "West");
    await page.getByPlaceholder("Location, or id of a pass").fill("");

    await row(page, "East gate").click();
    const drawer = page.getByRole("dialog", { name: "Scan" });
    await drawer.getByText("Not enough is left on the privilege.").waitFor();
    // By the id of the request the log of the service is found.
    await drawer.getByText(sent.headers.get("x-request-id") ?? "?").waitFor();
    await untilAsked(page, "scan", sent.body.scanId);
    assert.deepEqual(await findingsOf(page), []);
    await drawer.getByRole("button", { name: "Scans of this pass" }).click();
    await page.getByText(`Pass ${passId}`).waitFor();
    await row(page, "nobody knows this").waitFor({ state: "detached" });
    await page.goBack();
    await drawer.waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("tries a scan: only looks at first, and redeems when asked to", async () => {
    await seedCard(api(), TENANT, "7002");
    await ageScans(api(), 60);
    const { context, page, offences } = await openConsole(chromium(), api(), `${SCANS}?try=yes`, {
      tenants: [TENANT],
    });
    const dialog = page.getByRole("dialog", { name: "Try a scan" });
    await dialog.getByRole("textbox", { name: "Code" }).fill("M-7002");
    await dialog.getByRole("textbox", { name: "Redeem a privilege" }).fill("coffee");
    await dialog.getByRole("button", { name: "Look", exact: true }).click();
    await dialog.getByText("Nothing was recorded.").waitFor();
    await dialog.getByText("Ada 7002").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    const scans = await api().get(`/api/${TENANT}/scans?pageSize=100`, asOperator());
    assert.ok(scans.body.every(({ data }: { data: string }) => data !== "M-7002"));

    await dialog.getByLabel("Only look").uncheck();
    await dialog.getByRole("button", { name: "Scan", exact: true }).click();
    await dialog.getByRole("button", { name: "Open the record" }).click();
    const drawer = page.getByRole("dialog", { name: "Scan" });
    await drawer.getByText("from 2 to 1").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("says on a phone, in French, which right is missing where a button is off", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), DEVICES, {
      viewport: PHONE,
      locale: "fr-FR",
    });
    await row(page, "North door").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    await narrowScope(page, "openid tenant.device:read tenant.scan:read");
    await page.goto(`${api().runtime.baseUrl}/console${SCANS}`);
    await row(page, "East gate").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    const tryButton = page.getByRole("button", { name: "Essayer un scan" });
    await tryButton.focus();
    await page.getByText("Il vous manque le droit tenant.scan:write.").waitFor();
    await tryButton.click({ force: true });
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.equal((await listed()).length, 1);
    assert.deepEqual(offences, []);
    await context.close();
  });
});
