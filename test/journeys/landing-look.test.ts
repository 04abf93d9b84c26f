import assert from "node:assert/strict";
import { it } from "node:test";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22B83 Instagram 350.0.0";

describeInBrowser("the landing page of a pass", () => {
  const api = shareApi();
  const chromium = shareChromium();

  it("keeps to itself and has no serious finding of axe, wide and narrow, in either colours", async () => {
    await seedPassTenant(api(), "acme");
    const { id, secret } = await seedPass(api(), "acme");
    const looks = [
      { viewport: { width: 1280, height: 800 } },
      { viewport: { width: 390, height: 844 }, userAgent: IPHONE },
    ];
    for (const look of looks) {
      const context = await chromium().newContext(look);
      const page = await context.newPage();
      const offences: string[] = [];
      page.on("request", (request) => {
        if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== api().url)
          offences.push(request.url());
      });
      page.on("console", (message) => offences.push(message.text()));
      await page.goto(`${api().url}/p/acme/${id}.${secret}`);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.deepEqual([width, offences], [look.viewport.width, []]);
      assert.deepEqual(await findingsOf(page), []);
      await context.close();
    }
  });
});
