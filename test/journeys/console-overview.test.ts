import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { heading, narrowScope, openConsole, PHONE } from "#test/support/console-page.ts";
import { seedWebhook } from "#test/support/factories.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startReceiver, until } from "#test/support/webhook-receiver.ts";

const port = await freePort();

describeInBrowser("the overview of the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });

  it("leads an empty tenant to a pass on a phone, with nothing typed but names", async () => {
    await api().seed.tenant("cafe-lune");
    const { context, page, offences } = await openConsole(chromium(), api(), "/cafe-lune");
    await heading(page, "Your first pass").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByLabel("Name of your brand").fill("Café Lune");
    await page.getByRole("button", { name: "Make the card" }).click();
    await page.getByLabel("First name").fill("Camille");
    await page.getByRole("button", { name: "Issue the pass" }).click();
    const [phones] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Open the virtual phones" }).click(),
    ]);
    await phones.waitForLoadState();
    await page.getByText("It is on a phone. That was all!").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "To the numbers" }).click();
    await heading(page, "Overview").waitFor();
    await page.getByText("Camille").first().waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("asks for the fields that a template of one's own needs", async () => {
    await seedPassTenant(api(), "harbour");
    const { context, page } = await openConsole(chromium(), api(), "/harbour");
    await page.getByRole("combobox", { name: "Kind of pass" }).click();
    await page.getByRole("option", { name: "loyalty" }).click();
    await page.getByRole("button", { name: "Issue the pass" }).click();
    await page.getByLabel("Loyalty number").fill("7");
    await page.getByLabel("First name").fill("Grace");
    await page.getByRole("button", { name: "Issue the pass" }).click();
    await page.getByText("Your first pass is there.").waitFor();
    await context.close();
  });

  it("counts what happened beside the days before, draws it, counts on by itself, and opens what it counts", async (t) => {
    await seedPassTenant(api(), "quay");
    const passes = [];
    for (const number of ["1", "2", "3"]) {
      passes.push(await seedPass(api(), "quay", { identifiers: { "loyalty.number": number } }));
    }
    // Two passes of the week before: half as much again has been issued since.
    await happenAgo(8, { "pass.created": 2, "pass.installed": 1, "pass.update-delivered": 1 });
    await happenAgo(0, { "pass.installed": 3, "pass.uninstalled": 2, "pass.update-delivered": 4 });
    await redeemAndScan(passes[0]?.id ?? "");
    const { context, page, offences } = await openConsole(chromium(), api(), "/quay?days=7");
    const number = (label: string) =>
      page.getByText(label, { exact: true }).locator("xpath=following-sibling::div[1]").first();
    await heading(page, "Overview").waitFor();
    await number("Passes issued").getByText("3", { exact: true }).waitFor();
    await number("Passes issued").getByText("50% more than in the 7 days before").waitFor();
    await number("Scans rejected").getByText("1", { exact: true }).waitFor();
    await page.getByText("None set up yet").waitFor();

    // Everything that a chart shows is also read by the arrow keys, and stands in a table.
    const chart = page.getByRole("slider", { name: /^Passes: chart/ });
    await chart.focus();
    assert.match(
      (await chart.getAttribute("aria-valuetext")) ?? "",
      /, Issued 3, Installed 3, Removed 2$/,
    );
    await page.keyboard.press("ArrowLeft");
    assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /, Issued 0, /);
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Scans: Show as a table" }).click();
    const rows = page.getByRole("region", { name: "Scans" }).getByRole("row");
    assert.match((await rows.last().textContent()) ?? "", /21$/, "two accepted, one rejected");
    assert.deepEqual(await findingsOf(page), []);

    await page.getByLabel(/^Live:/).waitFor();
    await seedPass(api(), "quay", { identifiers: { "loyalty.number": "4" } });
    await number("Passes issued").getByText("4", { exact: true }).waitFor();

    await page.getByText("30 days").click();
    await page.waitForURL("**/quay?days=30");
    await number("Passes issued").getByText("6", { exact: true }).waitFor();
    await page.goBack();
    await number("Passes issued").getByText("4", { exact: true }).waitFor();

    const opened = [
      ["Passes issued", "passes", 4],
      ["Installed", "events", 3],
      ["Removed", "events", 2],
      ["Updates delivered", "events", 4],
      ["Scans accepted", "scans", 2],
      ["Scans rejected", "scans", 1],
      ["Redemptions", "movements", 2],
    ] as const;
    const openAndCount = async (label: string, list: string, count: number) => {
      await number(label).getByText(String(count), { exact: true }).waitFor();
      await page.getByRole("link", { name: new RegExp(`^${label}`) }).click();
      await page.waitForURL(`**/quay/${list}?*days=7*`);
      const items = page.locator(list === "events" ? "[data-event]" : "[role=row][data-index]");
      await items.first().waitFor();
      assert.equal(await items.count(), count, label);
      await page.goBack();
    };
    for (const [label, list, count] of opened) await openAndCount(label, list, count);

    await page.getByRole("link", { name: /^Redemptions/ }).click();
    await heading(page, "Movements").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    const path = `/api/quay/passes/${passes[1]?.id}/privileges/points/movements`;
    for (const body of [{ value: 2 }, { value: -1, reference: "till-7" }]) {
      assert.equal((await api().post(path, { key: api().operatorKey, body })).status, 201);
    }
    await page.getByText("till-7").click();
    await page.waitForURL(`**/quay/passes/${passes[1]?.id}?*privilege=points*`);
    await page.getByText("till-7").waitFor();
    await page.goBack();
    await page.goBack();

    // Above the link of its card, by the mouse as by the keys.
    await page.getByRole("link", { name: "0 in wallets now" }).click();
    await page.waitForURL("**/quay/passes?installed=installed");
    await page.goBack();
    await page.getByRole("link", { name: "0 no longer in a wallet" }).press("Enter");
    await page.waitForURL("**/quay/passes?installed=uninstalled");

    await deliverToThree(t);
    await page.goto(`${api().runtime.baseUrl}/console/quay?days=7`);
    await openAndCount("Webhooks delivered", "deliveries", 2);
    await page.getByRole("link", { name: "1 of your endpoints fails at present" }).click();
    await page.waitForURL("**/quay/webhooks");
    assert.deepEqual(offences, []);
    await context.close();
  });

  let events = 0;
  /** What wallets do, so many days ago. */
  async function happenAgo(days: number, counts: Readonly<Record<string, number>>): Promise<void> {
    for (const [name, count] of Object.entries(counts)) {
      events += 1;
      await api().sql(
        `insert into event (tenant_id, id, name, occurred_at, data)
         select 'quay', 'evt_' || $1 || '_' || n, $2, now() - make_interval(days => $3),
                '{"wallet": "apple"}'
           from generate_series(1, $4::int) as n`,
        [String(events), name, days, count],
      );
    }
  }

  /** Two webhooks take an event, and one refuses it. */
  async function deliverToThree(t: TestContext): Promise<void> {
    for (const status of [200, 202, 410]) {
      const receiver = await startReceiver(t);
      receiver.answer(status);
      await seedWebhook(api(), "quay", { endpoint: receiver.url, events: ["pass.created"] });
    }
    await seedPass(api(), "quay", { identifiers: { "loyalty.number": "5" } });
    await until(async () => {
      const { body } = await api().get("/api/quay/admin/numbers", { key: api().operatorKey });
      const { delivered, failed } = body.total.webhooks;
      return delivered === 2 && failed === 1;
    });
  }

  /** Two redemptions of this week and one of the week before; two scans that succeed, and one of nobody's. */
  async function redeemAndScan(passId: string): Promise<void> {
    const occurredAt = new Date(Date.now() - 8 * 86_400_000).toISOString();
    const redeem = { privilegeId: "points", amount: 1 };
    const movements = `passes/${passId}/privileges/points/movements`;
    for (const [path, body] of [
      [movements, { value: 9 }],
      [movements, { value: -1 }],
      [movements, { value: -1, occurredAt }],
      ["scans", { data: passId, type: "qrcode", redeem }],
      ["scans", { data: passId, type: "qrcode", location: "East gate" }],
      ["scans", { data: "nobody", type: "qrcode" }],
    ] as const) {
      const sent = await api().post(`/api/quay/${path}`, { key: api().operatorKey, body });
      assert.equal(sent.status, 201, sent.text);
    }
  }

  it("shows Tenant Administrators their tenants by name, and what they lack a scope for", async () => {
    for (const [tenantId, name] of [
      ["lune", "Café Lune"],
      ["soleil", "Café Soleil"],
    ]) {
      await seedPassTenant(api(), tenantId ?? "", { "tenant.yml": `name: ${name}\n` });
    }
    const tenants = ["lune", "soleil"];
    const { context, page, email } = await openConsole(chromium(), api(), "/lune", { tenants });
    await page.getByRole("button", { name: /Café Lune.*Switch tenant/ }).click();
    await page.getByRole("menuitem", { name: /Café Soleil/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /Grace Hopper/ }).click();
    await page.getByText(email).waitFor();
    await narrowScope(page, "openid tenant.apikey:read");
    await page.goto(`${api().runtime.baseUrl}/console/lune`);
    await page.getByText("Needs the scope tenant.pass:read").first().waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await context.close();
  });

  it("is reached by keys, explains them, and fits a phone", async () => {
    await seedPassTenant(api(), "pier");
    await seedPass(api(), "pier");
    const { context, page } = await openConsole(chromium(), api(), "/pier/settings/api-keys");
    await heading(page, "API keys").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await heading(page, "Overview").waitFor();
    await page.setViewportSize(PHONE);
    await page.getByRole("button", { name: "Open the navigation" }).waitFor();
    // The findings are looked for once the navigation has moved aside.
    assert.deepEqual(await findingsOf(page), []);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    await context.close();
  });
});
