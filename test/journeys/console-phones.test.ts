import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { heading, narrowScope, openConsole, PHONE } from "#test/support/console-page.ts";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const TENANT = "harbour";
const AT = `/${TENANT}/phones`;
const LOYALTY = "server/passes/loyalty.yml";
const PHONES = ["iPhone", "Android"] as const;
const [port, portWithout] = [await freePort(), await freePort()];

/** A card that says on the lock screen what changed. */
const TALKING = String(PASS_FILES[LOYALTY]).replace(
  /^fields:\n.*$/m,
  `fields:
  header: [ { key: points, label: Points, value: "{{ privileges.points.value }}", change: "You now have %@ points" } ]
  primary: [ { key: name, label: Member, value: "{{ data.firstName }}", change: "You are now called %@" } ]`,
);

const phone = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

describeInBrowser("virtual phones in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  before(() => seedPassTenant(api(), TENANT, { [LOYALTY]: TALKING }));

  async function walletsOf(passId: string): Promise<string> {
    const { body } = await api().get(`/api/${TENANT}/passes/${passId}`, { key: api().operatorKey });
    return `${body.providers.apple.status} ${body.providers.google.status}`;
  }

  async function becomes(passId: string, state: string): Promise<void> {
    let seen = "";
    await until(
      async () => {
        seen = await walletsOf(passId);
        return seen === state;
      },
      () => `${seen}, not ${state}`,
      30_000,
    );
  }

  it("hold a pass, show its change with the message, turn it over and give it back", async () => {
    const { id } = await seedPass(api(), TENANT);
    const { context, page, offences } = await openConsole(chromium(), api(), AT);
    await heading(page, "Virtual phones").waitFor();
    await phone(page, "iPhone").getByText("The wallet is empty").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("combobox", { name: "Pass" }).click();
    await page.getByRole("option", { name: /^Camille/ }).click();
    await page.getByRole("button", { name: "Put it on both phones" }).click();
    for (const name of PHONES) {
      await phone(page, name).getByText("Camille", { exact: true }).first().waitFor();
      await phone(page, name)
        .getByRole("img", { name: `Barcode: ${id}` })
        .waitFor();
    }
    await becomes(id, "installed installed");

    await page.getByLabel("First name").fill("Ada");
    await page.getByRole("button", { name: "Save the change" }).click();
    for (const name of PHONES)
      await phone(page, name).getByText("Ada", { exact: true }).first().waitFor();
    await phone(page, "iPhone").getByRole("status").getByText("You are now called Ada").waitFor();
    await page.getByRole("button", { name: "Add 10 to Points" }).click();
    await phone(page, "iPhone").getByRole("status").getByText("You now have 10 points").waitFor();
    await page.getByLabel("Message on the lock screen").fill("Your table is ready.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await phone(page, "Android").getByText("Your table is ready.").first().waitFor();
    const told = page.getByRole("alert").filter({ hasText: "It is on the lock screens." });
    const link = await told.getByRole("link", { name: "Pass" }).getAttribute("href");
    assert.equal(link, `/console/${TENANT}/passes/${id}`);

    await page.getByRole("button", { name: "Lock the iPhone" }).click();
    await phone(page, "iPhone").getByText("You are now called Ada").waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Unlock the iPhone" }).click();
    await phone(page, "Android")
      .getByRole("button", { name: /^Back of/ })
      .click();
    await phone(page, "Android").getByText("Issued by").waitFor();

    await page.getByRole("button", { name: /^Remove .* from the iPhone$/ }).click();
    await phone(page, "iPhone").getByText("The wallet is empty").waitFor();
    await becomes(id, "uninstalled installed");
    await page.getByRole("button", { name: "Undo" }).click();
    await phone(page, "iPhone").getByText("Ada", { exact: true }).first().waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are off to whoever may not write passes, and show nothing of other tenants", async () => {
    await seedPassTenant(api(), "rival", { [LOYALTY]: TALKING });
    await seedPass(api(), "rival", { additionalData: { firstName: "Wim" } });
    const { context, page, offences } = await openConsole(chromium(), api(), "/rival/phones", {
      viewport: PHONE,
      locale: "fr-FR",
    });
    await heading(page, "Téléphones virtuels").waitFor();
    await phone(page, "Android").getByText("Le portefeuille est vide").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    await narrowScope(page, "openid tenant.pass:read");
    await page.reload();
    await page.getByRole("button", { name: "L’ajouter aux deux téléphones" }).focus();
    await page.getByText("Il vous manque le droit tenant.pass:write.").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  describe("of an installation without the simulator", () => {
    const without = shareApi({ env: { PORT: String(portWithout), SIMULATOR: "0" } });

    it("say why they are off, and how to switch them on", async () => {
      await seedPassTenant(without(), TENANT);
      const { context, page } = await openConsole(chromium(), without(), AT);
      await page.getByText("Virtual phones are switched off").waitFor();
      await page.getByText("SIMULATOR=1 npm start").waitFor();
      assert.deepEqual(await findingsOf(page), []);
      await context.close();
    });
  });
});
