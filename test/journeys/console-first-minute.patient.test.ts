import assert from "node:assert/strict";
import { it } from "node:test";
import { describeInBrowser, shareChromium } from "#test/support/chromium.ts";
import { heading, openVisit } from "#test/support/console-page.ts";
import { PASSWORD } from "#test/support/people.ts";
import { freePort, makeDataDir, removeDataDir, startProduct } from "#test/support/product.ts";
import { createDatabase } from "#test/support/server.ts";
import { startStopwatch } from "#test/support/slowness.ts";

const MINUTE_MS = 60_000;

describeInBrowser("the first minute of a new user", () => {
  const chromium = shareChromium();

  it("leads from the start of the product to a pass on a phone, with nothing typed but names", async (t) => {
    const database = await createDatabase();
    t.after(() => database.drop());
    const dataDir = await makeDataDir();
    t.after(() => removeDataDir(dataDir));
    const PORT = String(await freePort());
    const env = { PORT, DATA_DIR: dataDir, DATABASE_URL: database.url };
    const elapsedMs = startStopwatch();
    const product = await startProduct({ env });
    t.after(() => product.kill("SIGTERM"));

    const [, link = ""] = /First sign-in\s+(\S+)/.exec(product.output()) ?? [];
    const baseUrl = new URL(link).origin;
    const { context, page, offences } = await openVisit(chromium(), { runtime: { baseUrl } });
    await page.goto(link);
    await page.locator("#name").fill("Ada Lovelace");
    await page.locator("#email").fill("ada@example.com");
    await page.locator("#password").fill(PASSWORD);
    await page.locator("#repeat").fill(PASSWORD);
    await page.getByRole("button").click();

    await heading(page, "There is no tenant yet").waitFor();
    await page.getByLabel("Name").fill("Café Lune");
    await page.getByRole("button", { name: "Create tenant" }).click();
    await heading(page, "Your first pass").waitFor();
    await page.getByLabel("Name of your brand").fill("Café Lune");
    await page.getByRole("button", { name: "Make the card" }).click();
    await page.getByLabel("First name").fill("Camille");
    await page.getByRole("button", { name: "Issue the pass" }).click();
    const [phones] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Open the virtual phones" }).click(),
    ]);
    for (const name of ["iPhone", "Android"]) {
      const phone = phones.getByRole("region", { name, exact: true });
      await phone.getByText("Camille", { exact: true }).first().waitFor();
    }
    const tookMs = elapsedMs();
    await page.getByText("It is on a phone. That was all!").waitFor();
    assert.ok(tookMs < MINUTE_MS, `It took ${Math.round(tookMs / 1_000)} s.`);
    assert.deepEqual(offences, []);
    await context.close();
  });
});
