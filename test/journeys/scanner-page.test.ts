import assert from "node:assert/strict";
import { before, it } from "node:test";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { cameraShowing } from "#test/support/fake-camera.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { next, PHONE, scannerOf, shoot, verdict, waitForList } from "#test/support/scanner-page.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const SHOWN_CODE = "CARD-0001";

describeInBrowser("a person at the door with the scanner page", () => {
  const chromium = shareChromium(cameraShowing(SHOWN_CODE));
  // Another name than the one the page is opened by, as behind a proxy.
  const api = shareApi({ env: { BASE_URL: "http://localhost:18997" } });
  const { at, asOperator, seedCard, register, makeCode, scansOf, open } = scannerOf(
    api,
    chromium,
    TENANT,
  );

  before(() => seedPassTenant(api(), TENANT));

  it("pairs by a link, reads a code through the camera once, and redeems an entry", async () => {
    const passId = await seedCard(SHOWN_CODE);
    const { deviceId } = await register({});
    const { context, page, offences } = await open(await makeCode(deviceId), ["camera"]);
    await verdict(page, "Accepted").waitFor();
    await page.locator(".name", { hasText: "Camille" }).waitFor();
    await page.getByText("loyalty", { exact: true }).waitFor();
    // The first list of this tenant, whose key is as new.
    await waitForList(page);
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Redeem Entry" }).click();
    await page.getByText("Redeemed: 1", { exact: true }).waitFor();
    await page.locator("li", { hasText: "Entry" }).getByText("Used").waitFor();
    const { body } = await api().get(at(`passes/${passId}/privileges/entry`), asOperator());
    assert.equal(body.status, "used");

    await next(page);
    // The code is still in view: picture after picture shows it.
    await page.evaluate(`new Promise((done) => {
      const video = document.querySelector("video");
      const end = video.currentTime + 1;
      const look = () => (video.currentTime > end ? done() : requestAnimationFrame(look));
      look();
    })`);
    assert.deepEqual(await scansOf(deviceId), [
      `qrcode ${SHOWN_CODE} accepted`,
      `qrcode ${SHOWN_CODE} accepted`,
    ]);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("sends what is typed or shot exactly, and says why a code is rejected", async () => {
    const number = "CARD-0002";
    const id = await seedCard(number);
    const { deviceId } = await register({});
    const { context, page, offences } = await open(await makeCode(deviceId));

    await page.getByLabel("Type a code").fill(number);
    await page.getByRole("button", { name: "Check" }).click();
    await verdict(page, "Accepted").waitFor();
    await shoot(page, `${number} `);
    await verdict(page, "Rejected").waitFor();
    await page.locator(".reason", { hasText: "This code belongs to no pass." }).waitFor();
    await next(page);

    await api().patch(
      at(`passes/${id}`),
      asOperator({ status: "disabled", options: { BypassQueue: true } }),
    );
    await shoot(page, id);
    await verdict(page, "Rejected").waitFor();
    await page.locator(".reason", { hasText: "The pass is blocked." }).waitFor();
    await next(page);
    await page.locator("#history li").nth(2).waitFor();
    assert.equal(await page.locator("#history li").count(), 3);
    assert.deepEqual(await scansOf(deviceId), [
      `manual ${number} accepted`,
      `qrcode ${number}  rejected`,
      `qrcode ${id} rejected`,
    ]);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("opens and decides without a network, lets nobody in twice, and tells of conflicts later", async () => {
    const [first, second] = [await seedCard("CARD-0003"), await seedCard("CARD-0004")];
    const redeem = { privilegeId: "entry", amount: 1 };
    const { deviceId } = await register({ redeem });
    const { context, page, offences } = await open(await makeCode(deviceId));
    await waitForList(page);
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    // Another door lets the second one in meanwhile.
    const other = { data: second, type: "manual", redeem };
    assert.equal((await api().post(at("scans"), asOperator(other))).body.decision, "accepted");
    await context.setOffline(true);
    await page.reload();

    await page.getByText("No connection").waitFor();
    await page.getByText(/^Decisions come from the list that was fetched/).waitFor();
    await shoot(page, "CARD-0003");
    await verdict(page, "Accepted").waitFor();
    await page.getByText("Decided without a connection", { exact: true }).waitFor();
    // By another code of the same pass.
    await shoot(page, first);
    await verdict(page, "Rejected").waitFor();
    await page.locator(".reason", { hasText: "It was used already." }).waitFor();
    await shoot(page, "CARD-0004");
    await verdict(page, "Accepted").waitFor();
    await shoot(page, "CARD-9999");
    await page.locator(".reason", { hasText: "This code belongs to no pass." }).waitFor();
    await page.getByText("Offline · 4").waitFor();
    // Whatever happens to the tablet.
    await page.reload();
    await page.getByText("Offline · 4").waitFor();
    assert.deepEqual(await scansOf(deviceId), []);

    await context.setOffline(false);
    await page.getByText("Online", { exact: true }).waitFor();
    const conflict = page.getByRole("alert").filter({ hasText: "Decided differently" });
    await conflict.getByText("Service: Rejected (It was used already)").waitFor();
    assert.equal(await conflict.getByRole("listitem").count(), 1);
    assert.deepEqual(await scansOf(deviceId), [
      "qrcode CARD-0003 accepted",
      "qrcode CARD-0004 rejected",
      "qrcode CARD-9999 rejected",
      `qrcode ${first} rejected`,
    ]);
    assert.deepEqual(await findingsOf(page), []);
    await conflict.getByRole("button", { name: "Seen" }).click();
    await conflict.waitFor({ state: "hidden" });
    assert.deepEqual(
      // The browser itself notes each call that it could not make.
      offences.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED")),
      [],
    );
    await context.close();
  });

  it("401: asks to be paired again, and sends what it kept then", async () => {
    await seedCard("CARD-0005");
    const { deviceId } = await register({});
    const { context, page } = await open(await makeCode(deviceId));
    await waitForList(page);
    await api().post(at(`devices/${deviceId}/connections/reset`), asOperator());
    await shoot(page, "CARD-0005");
    await page.getByText("This device is no longer paired").waitFor();
    await page.getByText("Kept on this device, to be sent after pairing: 1").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByLabel("Pairing code").fill("wrong");
    await page.getByRole("button", { name: "Pair", exact: true }).click();
    await page.getByText("This code is unknown, used or too old.").waitFor();

    await page.getByLabel("Pairing code").fill((await makeCode(deviceId)).toLowerCase());
    await page.getByRole("button", { name: "Pair", exact: true }).click();
    await page.locator("#history li", { hasText: "Camille" }).waitFor();
    assert.deepEqual(await scansOf(deviceId), ["qrcode CARD-0005 accepted"]);

    await page.getByRole("button", { name: "Menu" }).click();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Unpair this device" }).click();
    await page.locator("#unpair-yes").click();
    await page.getByRole("heading", { name: "Pair this device" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Pair this device" }).waitFor();
    await context.close();
  });
});
