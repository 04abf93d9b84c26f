import assert from "node:assert/strict";
import { before, it } from "node:test";
import { describeInBrowser, shareChromium } from "#test/support/chromium.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { kept, next, scannerOf, shoot, verdict, waitForList } from "#test/support/scanner-page.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const TENANT = "harbour";
const ENTRY = { privilegeId: "entry", amount: 1 };

/** Every card has the code of its family, too. */
const LOYALTY = String(PASS_FILES["server/passes/loyalty.yml"]).replace(
  'message: "{{ pass.id }}"',
  'message: "{{ data.tier }}-family"',
);

describeInBrowser("the scanner page in trouble", () => {
  const chromium = shareChromium();
  const api = shareApi();
  const { at, asOperator, seedCard, register, makeCode, scansOf, open } = scannerOf(
    api,
    chromium,
    TENANT,
  );

  before(() => seedPassTenant(api(), TENANT, { "server/passes/loyalty.yml": LOYALTY }));

  const amend = async (passId: string, body: object) => {
    const sent = { ...body, options: { BypassQueue: true } };
    const { status, text } = await api().patch(at(`passes/${passId}`), asOperator(sent));
    assert.ok(status < 300, text);
  };

  it("accepts a code of two passes without a network if one of them is valid", async () => {
    const [lost, valid] = [await seedCard("TWIN-1"), await seedCard("TWIN-2")];
    for (const id of [lost, valid]) await amend(id, { additionalData: { tier: "Deck" } });
    const { deviceId } = await register({});
    for (const [disabled, active] of [
      [lost, valid],
      [valid, lost],
    ] as const) {
      await amend(disabled, { status: "disabled" });
      await amend(active, { status: "active" });
      const { context, page } = await open(await makeCode(deviceId));
      await waitForList(page);
      await context.setOffline(true);
      await page.getByText("No connection").waitFor();
      await shoot(page, "Deck-family");
      await verdict(page, "Accepted").waitFor();
      await page.locator(".code", { hasText: "Deck-family" }).waitFor();
      await context.close();
    }
  });

  it("shows no answer of the code before while the service takes its time", async () => {
    const id = await seedCard("SLOW-1");
    const { deviceId } = await register({});
    const { context, page } = await open(await makeCode(deviceId));
    await shoot(page, id);
    await verdict(page, "Accepted").waitFor();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/scans", (route) => held.then(() => route.continue()));
    await shoot(page, "SLOW-nobody");
    await verdict(page, "Checking…").waitFor();
    assert.equal(await verdict(page, "Accepted").count(), 0);
    letGo();
    await verdict(page, "Rejected").waitFor();
    await context.close();
  });

  it("still asks the service when the browser can keep nothing, and says so when it cannot", async () => {
    const id = await seedCard("FULL-1");
    const { deviceId } = await register({ redeem: ENTRY });
    const { context, page } = await open(await makeCode(deviceId));
    await waitForList(page);
    await page.evaluate(`for (const name of ["add", "put"]) {
      IDBObjectStore.prototype[name] = () => {
        throw new DOMException("The storage is full.", "QuotaExceededError");
      };
    }`);
    await shoot(page, id);
    await verdict(page, "Accepted").waitFor();
    await page.getByText("Redeemed: 1", { exact: true }).waitFor();
    await next(page);
    await context.setOffline(true);
    await page.getByText("No connection").waitFor();
    await shoot(page, "FULL-2");
    await verdict(page, "Not checked").waitFor();
    await page.locator(".reason", { hasText: "could not keep the scan" }).waitFor();
    assert.deepEqual(await scansOf(deviceId), [`qrcode ${id} accepted`]);
    await context.close();
  });

  it("says what is wrong in a browser that keeps nothing at all", async () => {
    const context = await chromium().newContext({ locale: "en-GB" });
    const page = await context.newPage();
    await page.addInitScript(`IDBFactory.prototype.open = () => {
      throw new DOMException("Access is denied.", "SecurityError");
    };`);
    await page.goto(`${api().application.url}/scan#%E0%A4%A`);
    await page.getByText("This browser keeps nothing for this page").waitFor();
    await context.close();
  });

  it("is one device in two tabs: nobody is let in twice, and both are unpaired", async () => {
    const id = await seedCard("TABS-1");
    const { deviceId } = await register({ redeem: ENTRY });
    const { context, page } = await open(await makeCode(deviceId));
    await waitForList(page);
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    const other = await context.newPage();
    await other.goto(`${api().application.url}/scan`);
    await other.getByRole("heading", { name: "North door" }).waitFor();
    await context.setOffline(true);
    for (const tab of [page, other]) await tab.getByText("No connection").waitFor();
    await Promise.all([shoot(page, id), shoot(other, "TABS-1")]);
    const told = await Promise.all(
      [page, other].map(async (tab) => {
        const verdict = tab.locator("#result h2", { hasText: /^(Accepted|Rejected)$/ });
        return await verdict.textContent();
      }),
    );
    assert.deepEqual(told.sort(), ["Accepted", "Rejected"]);

    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Unpair this device" }).click();
    await page.locator("#unpair-yes").click();
    for (const tab of [page, other]) {
      await tab.getByRole("heading", { name: "Pair this device" }).waitFor();
    }
    await context.close();
  });

  it("does not take what a gun types into an amount for one", async () => {
    const id = await seedCard("GUN-1");
    const body = { name: "Visits", type: "Unlimited" };
    await api().put(at(`passes/${id}/privileges/visits`), asOperator(body));
    const { deviceId } = await register({});
    const { context, page } = await open(await makeCode(deviceId));
    await shoot(page, id);
    await page.getByLabel("Amount of Visits").focus();
    await shoot(page, "4006381333931");
    await page.locator(".reason", { hasText: "This code belongs to no pass." }).waitFor();
    assert.deepEqual(await scansOf(deviceId), [
      "qrcode 4006381333931 rejected",
      `qrcode ${id} accepted`,
    ]);
    await context.close();
  });

  it("redeems once, although the answer was lost and the browser is another device by then", async () => {
    const id = await seedCard("LOST-1");
    const body = { name: "Coffee", type: "MultiUse", value: 5 };
    await api().put(at(`passes/${id}/privileges/coffee`), asOperator(body));
    const redeem = { privilegeId: "coffee", amount: 1 };
    const { deviceId } = await register({ redeem });
    const { context, page } = await open(await makeCode(deviceId));
    await waitForList(page);
    // The service does what it is asked for, and nobody hears of it.
    await page.route("**/scans", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.route("**/scans/batch", (route) => route.abort());
    await shoot(page, id);
    await page.getByText("Decided without a connection", { exact: true }).waitFor();
    await api().delete(at(`devices/${deviceId}`), asOperator());
    await page.getByText("This device is no longer paired").waitFor();
    await page.unrouteAll();
    const another = await register({ redeem });
    await page.getByLabel("Pairing code").fill(await makeCode(another.deviceId));
    await page.getByRole("button", { name: "Pair", exact: true }).click();
    await until(async () => (await scansOf(another.deviceId)).length > 0);
    const path = at(`passes/${id}/privileges/coffee`);
    assert.deepEqual(await scansOf(another.deviceId), [`qrcode ${id} accepted`]);
    assert.equal((await api().get(path, asOperator())).body.value, 4);
    await context.close();
  });

  it("keeps neither names nor the list when its key has ended, only what was not sent", async () => {
    const id = await seedCard("GONE-1");
    const { deviceId } = await register({});
    const { context, page } = await open(await makeCode(deviceId));
    await waitForList(page);
    await shoot(page, id);
    await verdict(page, "Accepted").waitFor();
    await api().delete(at(`devices/${deviceId}`), asOperator());
    await shoot(page, "GONE-2");
    await page.getByText("This device is no longer paired").waitFor();
    await page.getByText("Kept on this device, to be sent after pairing: 1").waitFor();
    for (const store of ["codes", "used"]) assert.deepEqual(await kept(page, store), [], store);
    assert.equal(await kept(page, "kept", "pairing"), undefined);
    assert.ok(!JSON.stringify(await kept(page, "history")).includes("Camille"));
    const [waiting] = (await kept(page, "outbox")) as { data: string }[];
    assert.equal(waiting?.data, "GONE-2");
    await context.close();
  });
});
