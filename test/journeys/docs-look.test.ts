import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import {
  describeInBrowser,
  findingsOf,
  openDocs,
  shareChromium,
  turnColors,
} from "#test/support/chromium.ts";
import { shareApi } from "#test/support/start-api.ts";

describeInBrowser("/docs in a browser", () => {
  const api = shareApi();
  const chromium = shareChromium();
  const hasMode = (page: Page, mode: string) => page.locator(`body.${mode}-mode`).count();

  it("shows the operations in both colours, never leaves the site, and axe finds nothing serious where groups are folded", async () => {
    const { page, offences } = await openDocs(chromium(), api().url, { isShort: false });

    assert.equal(await page.title(), "Billfold API");
    await page.getByText("Create a tenant or replace its configuration files").first().click();
    await page.waitForLoadState("networkidle");
    assert.equal(await hasMode(page, "light"), 1);
    await turnColors(page, "dark");
    assert.equal(await hasMode(page, "dark"), 1);

    await page.goto(`${api().url}/docs#tag/webhook`);
    await page
      .getByRole("button", { name: /^Show More: Show all/i })
      .first()
      .waitFor();
    assert.deepEqual(await findingsOf(page), []);
    assert.deepEqual(offences, []);
    await page.context().close();
  });
});
