import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import {
  heading,
  narrowScope,
  openConsole,
  PHONE,
  untilAsked,
} from "#test/support/console-page.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const AT = `/${TENANT}/events`;
const port = await freePort();

describeInBrowser("events in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  const events = (page: Page, name: string) => page.locator(`[data-event="${name}"]`);

  before(() => seedPassTenant(api(), TENANT));

  it("come the newest first and by themselves, by name and about one pass, with every digit of their bodies", async () => {
    const { id } = await seedPass(api(), TENANT);
    await api().sql(
      `insert into event (tenant_id, id, name, occurred_at, data)
       values ($1, 'evt_old', 'thing.old', now() - interval '8 days', '{}')`,
      [TENANT],
    );
    const { context, page, offences } = await openConsole(chromium(), api(), `${AT}?days=7`);
    await heading(page, "Events").waitFor();
    await events(page, "pass.created").waitFor();
    await page.getByLabel(/^Live:/).waitFor();
    await api().patch(`/api/${TENANT}/passes/${id}`, {
      key: api().operatorKey,
      body: { additionalData: { firstName: "Noor" } },
    });
    await events(page, "pass.updated").waitFor();
    await seedPass(api(), TENANT);
    await events(page, "pass.created").nth(1).waitFor();
    const names = await page.evaluate<string[]>(
      "[...document.querySelectorAll('[data-event]')].map((item) => item.dataset.event)",
    );
    assert.deepEqual(names.slice(0, 3), ["pass.created", "pass.updated", "pass.created"]);
    assert.ok(!names.includes("thing.old"));
    await page.getByRole("combobox", { name: "Period" }).click();
    await page.getByRole("option", { name: "Last 90 days" }).click();
    await events(page, "thing.old").waitFor();
    await untilAsked(page, "days", "90");
    await page.getByText(/^Events are kept for 30 days/).waitFor();

    await page.getByPlaceholder("All events, or such as pass.*").fill("pass.up*");
    await page.keyboard.press("Escape");
    await events(page, "pass.created").first().waitFor({ state: "detached" });
    await untilAsked(page, "event", "pass.up*");
    await events(page, "pass.updated").getByRole("button").first().click();
    await page.getByText('"Noor"').first().waitFor();
    assert.deepEqual(await findingsOf(page), []);
    await page.getByRole("button", { name: "Only events about this one" }).click();
    await page.waitForURL((url) => url.searchParams.get("about") === id);
    await events(page, "pass.created").waitFor();
    assert.equal(await page.locator("[data-event]").count(), 2);
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("are read on a phone, in French and in the dark; without the scope the page says so", async () => {
    await api().sql(
      `insert into event (tenant_id, id, name, occurred_at, data)
       values ($1, 'evt_exact', 'thing.made', now(), '{"big": 90071992547409931234}')`,
      [TENANT],
    );
    const { context, page, offences } = await openConsole(
      chromium(),
      api(),
      `${AT}?open=evt_exact`,
      {
        viewport: PHONE,
        locale: "fr-FR",
        colorScheme: "dark",
      },
    );
    await heading(page, "Événements").waitFor();
    await page.getByText("90071992547409931234").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual(await findingsOf(page), []);
    await narrowScope(page, "openid tenant.pass:read");
    await page.reload();
    await page.getByText(/tenant\.webhook:read/).waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });
});
