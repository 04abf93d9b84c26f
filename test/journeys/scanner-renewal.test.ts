import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { BrowserContext, Page, Route } from "playwright-core";
import { describeInBrowser, shareChromium } from "#test/support/chromium.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { kept, scannerOf, shoot, verdict, waitForList } from "#test/support/scanner-page.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const TENANT = "harbour";
const ENTRY = { privilegeId: "entry", amount: 1 };
/** Longer than the pause between two renewals of a short list, shorter than what counts as a wrong clock. */
const PAUSE_MS = 20_000;

/** Cards of a tier have a code together. */
const LOYALTY = String(PASS_FILES["server/passes/loyalty.yml"]).replace(
  'message: "{{ pass.id }}"',
  'message: "{{ data.tier }}-family"',
);

type Head = { readonly listId: string; readonly checkedAt: string };
const headOf = async (page: Page) => (await kept(page, "kept", "list")) as Head | undefined;

describeInBrowser("admissions while the list of the scanner page is renewed", () => {
  const chromium = shareChromium();
  const api = shareApi();
  const { at, asOperator, seedCard, register, makeCode, open } = scannerOf(api, chromium, TENANT);

  before(() => seedPassTenant(api(), TENANT, { "server/passes/loyalty.yml": LOYALTY }));

  async function pair(settings: object = { redeem: ENTRY }) {
    const { deviceId } = await register(settings);
    const { context, page } = await open(await makeCode(deviceId));
    if (!("gateList" in settings)) await waitForList(page);
    return { deviceId, context, page };
  }

  async function openOther(context: BrowserContext): Promise<Page> {
    await context.pages()[0]?.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    const other = await context.newPage();
    await other.goto(`${api().application.url}/scan`);
    await other.getByRole("heading", { name: "North door" }).waitFor();
    return other;
  }

  /** Another list is another salt, so that no name of a pass in it is one of the list before. */
  async function changeSettings(deviceId: string, settings: object): Promise<void> {
    const { status, text } = await api().put(at(`devices/${deviceId}`), asOperator({ settings }));
    assert.equal(status, 200, text);
  }

  /** Has the page ask for the list of these settings; what is returned resolves when the page has it. */
  async function turnTo(page: Page, deviceId: string, settings: object) {
    const before = (await headOf(page))?.listId;
    await changeSettings(deviceId, settings);
    await refresh(page);
    const isOther = async () => (await headOf(page))?.listId !== before;
    return { done: () => until(isOther, "there is no other list") };
  }

  async function assertTurnedAway(page: Page, code: string): Promise<void> {
    await shoot(page, code);
    await verdict(page, "Rejected").waitFor();
    await page.locator(".reason", { hasText: "It was used already." }).waitFor();
  }

  async function assertLetIn(page: Page, code: string): Promise<void> {
    await shoot(page, code);
    await verdict(page, "Accepted").waitFor();
    await page.locator(".code", { hasText: code }).waitFor();
    await page.getByText("Decided without a connection", { exact: true }).waitFor();
  }

  it("counts one that waits to be sent under the list that comes meanwhile, by any code", async () => {
    const [id] = [await seedCard("NEXT-1"), await seedCard("NEXT-2")];
    const { deviceId, context, page } = await pair();
    const answer = await holdLists(page);
    const turning = await turnTo(page, deviceId, { redeem: ENTRY, passTypes: ["loyalty"] });
    await answer.made;
    await breakScans(page);
    await assertLetIn(page, "NEXT-1");
    answer.letGo();
    await turning.done();
    await assertTurnedAway(page, id);
    await assertLetIn(page, "NEXT-2");
    await context.close();
  });

  it("counts one that the service confirmed after it had made the list that comes", async () => {
    const id = await seedCard("TOLD-1");
    const { deviceId, context, page } = await pair();
    const answer = await holdLists(page);
    const turning = await turnTo(page, deviceId, { redeem: ENTRY, passTypes: ["loyalty"] });
    await answer.made;
    await shoot(page, "TOLD-1");
    await page.getByText("Redeemed: 1", { exact: true }).waitFor();
    answer.letGo();
    await turning.done();
    await goOffline(context);
    await assertTurnedAway(page, id);
    await context.close();
  });

  it("counts one that the service confirmed while the first list was on its way", async () => {
    const id = await seedCard("FIRST-1");
    const { deviceId, context, page } = await pair({ redeem: ENTRY, gateList: false });
    const answer = await holdLists(page);
    const turning = await turnTo(page, deviceId, { redeem: ENTRY });
    await answer.made;
    await shoot(page, "FIRST-1");
    await page.getByText("Redeemed: 1", { exact: true }).waitFor();
    answer.letGo();
    await turning.done();
    await goOffline(context);
    await assertTurnedAway(page, id);
    await context.close();
  });

  it("counts one whose answer got lost, once the service has confirmed it by a batch", async () => {
    const id = await seedCard("BATCH-1");
    const { deviceId, context, page } = await pair({ redeem: ENTRY, gateList: false });
    const other = await openOther(context);
    const answer = await holdLists(other);
    const turning = await turnTo(other, deviceId, { redeem: ENTRY });
    await answer.made;
    await page.route("**/scans", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await shoot(page, "BATCH-1");
    await verdict(page, "Not checked").waitFor();
    await page.unrouteAll();
    await refresh(page);
    await untilSent(page);
    answer.letGo();
    await turning.done();
    await goOffline(context);
    await assertTurnedAway(page, id);
    await context.close();
  });

  it("counts one that another tab is still sending while this one asks for the list again", async () => {
    const id = await seedCard("TABS-1");
    const { context, page } = await pair();
    const other = await openOther(context);
    await goOffline(context);
    await assertLetIn(page, "TABS-1");
    for (const tab of [page, other]) await moveClock(tab, PAUSE_MS);
    const batch = await holdBatches(context);
    const before = await headOf(page);
    await context.setOffline(false);
    await untilChecked(page, before);
    await goOffline(context);
    await assertTurnedAway(page, id);
    await batch.letGo();
    await context.close();
  });

  it("counts one that waits when the key has ended and this browser is paired again", async () => {
    const id = await seedCard("AGAIN-1");
    const { deviceId, context, page } = await pair();
    const other = await openOther(context);
    await goOffline(context);
    await assertLetIn(page, "AGAIN-1");
    await api().post(at(`devices/${deviceId}/connections/reset`), asOperator());
    // The other tab learns of it from this one.
    await other.route("**/api/**", (route) => route.abort());
    await context.setOffline(false);
    for (const tab of [page, other]) {
      await tab.getByText("This device is no longer paired").waitFor();
    }
    await other.unroute("**/api/**");
    const batch = await holdBatches(context);
    await page.getByLabel("Pairing code").fill(await makeCode(deviceId));
    await page.getByRole("button", { name: "Pair", exact: true }).click();
    await waitForList(page);
    await goOffline(context);
    await assertTurnedAway(page, id);
    await batch.letGo();
    await context.close();
  });

  it("counts one although the clock was set back after the list was asked for", async () => {
    const id = await seedCard("CLOCK-1");
    const { context, page } = await pair();
    await moveClock(page, PAUSE_MS);
    const before = await headOf(page);
    await refresh(page);
    await untilChecked(page, before);
    await moveClock(page, 0);
    await goOffline(context);
    await assertLetIn(page, "CLOCK-1");
    await assertTurnedAway(page, id);
    await context.close();
  });

  it("counts one that something before the service refused, so that no list knows of it", async () => {
    const id = await seedCard("REFUSED-1");
    const { deviceId, context, page } = await pair();
    await goOffline(context);
    await assertLetIn(page, "REFUSED-1");
    await page.route("**/scans/batch", (route) =>
      route.fulfill({ status: 403, json: { detail: "Blocked by the network." } }),
    );
    await moveClock(page, PAUSE_MS);
    const before = await headOf(page);
    await context.setOffline(false);
    await untilChecked(page, before);
    await page.getByText("Blocked by the network.").waitFor();
    await untilSent(page);
    const turning = await turnTo(page, deviceId, { redeem: ENTRY, passTypes: ["loyalty"] });
    await turning.done();
    await goOffline(context);
    await assertTurnedAway(page, id);
    await context.close();
  });

  it("counts one by the code of several passes for each of them, until a list knows which it was", async () => {
    const ids = [await seedCard("TWIN-1"), await seedCard("TWIN-2")];
    for (const id of ids) {
      const body = { additionalData: { tier: "Deck" }, options: { BypassQueue: true } };
      assert.ok((await api().patch(at(`passes/${id}`), asOperator(body))).status < 300);
    }
    const { deviceId, context, page } = await pair();
    const answer = await holdLists(page);
    const turning = await turnTo(page, deviceId, { redeem: ENTRY, passTypes: ["loyalty"] });
    await answer.made;
    await breakScans(page);
    await assertLetIn(page, "Deck-family");
    answer.letGo();
    await turning.done();
    for (const code of ["TWIN-1", "TWIN-2"]) await assertTurnedAway(page, code);
    await page.unrouteAll();
    await moveClock(page, PAUSE_MS);
    const before = await headOf(page);
    await refresh(page);
    await untilSent(page);
    await untilChecked(page, before);
    await goOffline(context);
    // The service redeemed for one of them, and the other one is as good as new.
    const verdicts = [];
    for (const code of ["TWIN-1", "TWIN-2"]) {
      await shoot(page, code);
      await page.locator("#result .code", { hasText: code }).waitFor();
      verdicts.push(await page.locator("#result h2").textContent());
    }
    assert.deepEqual(verdicts.sort(), ["Accepted", "Rejected"]);
    await context.close();
  });

  it("lets somebody in again by what is left, and forgets the admissions that a list knows of", async () => {
    const id = await seedCard("COFFEE-1");
    const coffee = { name: "Coffee", type: "MultiUse", value: 5 };
    await api().put(at(`passes/${id}/privileges/coffee`), asOperator(coffee));
    const { context, page } = await pair({ redeem: { privilegeId: "coffee", amount: 1 } });
    await goOffline(context);
    await assertLetIn(page, "COFFEE-1");
    await assertTurnedAway(page, id);
    await context.setOffline(false);
    await untilSent(page);
    await moveClock(page, PAUSE_MS);
    const before = await headOf(page);
    await refresh(page);
    await untilChecked(page, before);
    assert.deepEqual(await kept(page, "used"), []);
    await goOffline(context);
    await assertLetIn(page, id);
    await context.close();
  });
});

/** The time of this tab, apart from what it really is. */
async function moveClock(page: Page, byMs: number): Promise<void> {
  await page.evaluate(`{
    globalThis.realNow ??= Date.now;
    Date.now = () => realNow() + ${byMs};
  }`);
}

async function refresh(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByRole("button", { name: "Close" }).click();
}

async function goOffline(context: BrowserContext): Promise<void> {
  await context.setOffline(true);
  for (const page of context.pages()) await page.getByText("No connection").waitFor();
}

const untilChecked = (page: Page, before: Head | undefined) =>
  until(async () => (await headOf(page))?.checkedAt !== before?.checkedAt, "it was not asked for");

const untilSent = (page: Page) =>
  until(async () => ((await kept(page, "outbox")) as unknown[]).length === 0, "it was not sent");

/** Neither scans nor batches get through; lists do. */
async function breakScans(page: Page): Promise<void> {
  for (const path of ["**/scans", "**/scans/batch"]) {
    await page.route(path, (route) => route.abort());
  }
}

/** The service makes its lists at once, and they come when the test lets them go. */
async function holdLists(page: Page) {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: made, resolve: isMade } = Promise.withResolvers<void>();
  await page.route("**/gate-list?*", async (route) => {
    const response = await route.fetch();
    isMade();
    await held;
    await route.fulfill({ response });
  });
  return { made, letGo };
}

/** Batches of any tab do not get through until the end. */
async function holdBatches(context: BrowserContext) {
  const held: Route[] = [];
  await context.route("**/scans/batch", (route) => void held.push(route));
  return {
    letGo: async () => {
      for (const route of held) await route.abort().catch(() => undefined);
    },
  };
}
