import assert from "node:assert/strict";
import { it } from "node:test";
import {
  describeInBrowser,
  openDocs,
  shareChromium,
  trySending,
  waitForReference,
} from "#test/support/chromium.ts";
import { shareApi } from "#test/support/start-api.ts";

const LIST_TENANTS = /Test Request.*get \/api\/tenants\b/;

describeInBrowser("a key typed into /docs", () => {
  const api = shareApi();
  const chromium = shareChromium();

  it("keeps key and tenant on reload, in this tab alone, until they are forgotten", async () => {
    const { operatorKey, url } = api();
    await api().seed.tenant("cafe-lune");
    const { page, offences } = await openDocs(chromium(), url, {
      at: "#tag/tenant/GET/api/tenants",
    });
    const stored = (name: string) => page.evaluate(`JSON.stringify({ ...${name} })`);
    const typed = async () => [
      await page.locator("#tenant").inputValue(),
      await page.locator("#key").inputValue(),
    ];

    await page.locator("#tenant").fill("cafe-lune");
    await page.locator("#key").fill(operatorKey);
    await page.getByRole("button", { name: "Use", exact: true }).click();
    await page.reload();
    await waitForReference(page);
    assert.deepEqual(await typed(), ["cafe-lune", operatorKey]);
    const answer = await trySending(page, LIST_TENANTS);
    assert.equal(answer.status(), 200);
    const [tenant] = (await answer.json()) as { tenantId: string }[];
    assert.equal(tenant?.tenantId, "cafe-lune");

    const elsewhere = `${await stored("localStorage")} ${await page.evaluate("document.cookie")} ${page.url()}`;
    assert.ok(!elsewhere.includes(operatorKey), elsewhere);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Forget" }).click();
    assert.deepEqual(await typed(), ["", ""]);
    await page.reload();
    await waitForReference(page);
    assert.deepEqual(await typed(), ["", ""]);
    assert.ok(!String(await stored("sessionStorage")).includes(operatorKey));
    assert.deepEqual(offences, []);
    await page.context().close();
  });
});
