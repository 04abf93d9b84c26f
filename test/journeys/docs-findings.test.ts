import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, openDocs, shareChromium } from "#test/support/chromium.ts";
import { shareApi } from "#test/support/start-api.ts";

const PUT_TENANT = /Test Request.*put /;

describeInBrowser("/docs for everyone", () => {
  const api = shareApi();
  const chromium = shareChromium();
  const hasMode = (page: Page, mode: string) => page.locator(`body.${mode}-mode`).count();

  it("has no serious finding of axe, wide and narrow, in either colours", async () => {
    const look = { colorScheme: "dark", width: 1280 } as const;
    const { page } = await openDocs(chromium(), api().url, look);
    assert.equal(await hasMode(page, "dark"), 1, "from the start");
    assert.deepEqual(await findingsOf(page), []);
    await page.setViewportSize({ width: 390, height: 844 });
    assert.deepEqual(await findingsOf(page), [], "narrow");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Enter search query" }).fill("tenant");
    await page.getByRole("option").first().waitFor();
    assert.deepEqual(await findingsOf(page), [], "where one searches");
    await page.keyboard.press("Escape");

    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${api().url}/docs#tag/tenant/PUT/api/tenants/{tenantId}`);
    await page.getByRole("button", { name: PUT_TENANT }).first().click();
    await page.getByRole("button", { name: /^Send/ }).first().waitFor();
    assert.deepEqual(await findingsOf(page), [], "where an operation is tried");

    await page.goto(`${api().url}/docs/callback?error=access_denied`);
    assert.deepEqual(await findingsOf(page), [], "where signing in ends");
    await page.context().close();
  });
});
