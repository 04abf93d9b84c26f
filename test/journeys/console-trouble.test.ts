import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { fillSignIn, heading, openConsole, PHONE } from "#test/support/console-page.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const CUSTOMERS = `/${TENANT}/customers`;
const port = await freePort();

describeInBrowser("the console in trouble", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port) } });
  before(() => seedPassTenant(api(), TENANT));

  const createCustomer = async (lastName: string) => {
    const sent = await api().post(`/api/${TENANT}/customers`, {
      key: api().operatorKey,
      body: { firstName: "Ada", lastName },
    });
    assert.equal(sent.status, 201, sent.text);
  };

  /** Types into a form, and ends the session in another tab before it is sent. */
  async function sendAfterTheEnd(context: BrowserContext, page: Page): Promise<void> {
    const form = page.getByRole("dialog", { name: "Create a customer" });
    await form.getByLabel("First name").fill("Typed");
    await form.getByLabel("Last name").fill("Before");
    const other = await context.newPage();
    await other.goto(`${api().runtime.baseUrl}/sign-out`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "You are signed out" }).waitFor();
    await other.close();
    // Nodes know of it within a second.
    await page.waitForTimeout(1_100);
    await form.getByRole("button", { name: "Create" }).click();
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  }

  it("keeps what was typed when Escape is pressed after the end, and when no window may open", async () => {
    const { context, page, email } = await openConsole(chromium(), api(), `${CUSTOMERS}?new=yes`);
    await sendAfterTheEnd(context, page);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByText("Close without saving?").count(), 0);
    await page.evaluate("window.open = () => null");
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    await ended.getByRole("button", { name: "Sign in" }).press("Enter");
    await ended.getByText("The browser opened no window by itself").waitFor();
    const [window] = await Promise.all([
      context.waitForEvent("page"),
      ended.getByRole("link", { name: "Sign in" }).click(),
    ]);
    await fillSignIn(window, email);
    await page.getByText("Typed Before").first().waitFor();
    await context.close();
  });

  it("says so when the app or the code of a page cannot be fetched, and goes on when it can", async () => {
    const { context, page } = await openConsole(chromium(), api(), `/${TENANT}`);
    await heading(page, "Your first pass").waitFor();
    await page.route("**/assets/customers.page*", (route) => route.abort());
    await page.getByRole("link", { name: "Customers" }).click();
    await page.getByText("This page could not be loaded.").waitFor();
    assert.equal(await page.getByText("A new version of the console is here").count(), 0);
    await page.unroute("**/assets/customers.page*");
    await page.getByRole("link", { name: "Devices" }).click();
    await heading(page, "Devices").waitFor();

    await page.route("**/assets/app-*.js", (route) => route.abort());
    await page.reload();
    await page.getByText("The console could not be loaded.").waitFor();
    await page.unroute("**/assets/app-*.js");
    await page.getByRole("button", { name: "Try again" }).click();
    await heading(page, "Devices").waitFor();
    await context.close();
  });

  it("keeps the whole address through the sign-in, and going back leads to no page that ran out", async () => {
    const path = `${CUSTOMERS}?q=Kept#below`;
    const { context, page } = await openConsole(chromium(), api(), path, { isByForm: true });
    await heading(page, "Customers").waitFor();
    await page.waitForURL(({ href }) => href.endsWith(path));
    await page.goBack();
    await heading(page, "Your first pass").waitFor();
    await page.waitForURL(({ pathname }) => pathname === `/console/${TENANT}`);

    // The API says who somebody is when the console is opened.
    const problem = { title: "Too busy", detail: "Nothing is free.", requestId: "req_42" };
    await page.route("**/api/me", (route) => route.fulfill({ status: 503, json: problem }));
    await page.goto(`${api().runtime.baseUrl}/console${CUSTOMERS}`);
    await heading(page, "The console could not be opened").waitFor();
    const told = await page.getByRole("alert").textContent();
    for (const text of Object.values(problem)) assert.ok(told?.includes(text), told ?? "");
    await page.unroute("**/api/me");
    await page.getByRole("button", { name: "Try again" }).click();
    await heading(page, "Customers").waitFor();
    await context.close();
  });

  it("says one thing at an address that leads nowhere, and where a sign-in was refused", async () => {
    const { context, page, offences } = await openConsole(chromium(), api(), CUSTOMERS);
    const query = "error=access_denied&state=again.x";
    await page.goto(`${api().runtime.baseUrl}/console/callback?${query}`);
    await page.getByText("You were not signed in.").waitFor();
    const nowhere = [
      ["nosuch/customers", "No such tenant"],
      [`${TENANT}/nosuch`, "There is no such page"],
      ["%ff", "There is no such page"],
    ] as const;
    for (const [path, title] of nowhere) {
      await page.goto(`${api().runtime.baseUrl}/console/${path}`);
      await heading(page, title).waitFor();
      await page.waitForFunction(`document.title === "${title} · Billfold"`);
      assert.equal(await page.getByRole("alert").count(), 0);
      assert.equal(await page.getByRole("main").count(), 1);
    }
    assert.deepEqual(await findingsOf(page), []);
    await page.goBack();
    await page.getByRole("link", { name: "Devices" }).waitFor();
    await page.goBack();
    await page.getByText("There is no tenant “nosuch”, or it is not yours.").waitFor();
    await page.getByRole("link", { name: "To your tenants" }).click();
    await heading(page, "Your first pass").waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  it("keeps filter and rows of a list whose next answer is an error", async () => {
    await createCustomer("Kept");
    const { context, page } = await openConsole(chromium(), api(), CUSTOMERS);
    await page.getByText("Ada Kept").waitFor();
    await page.route("**/customers?*", (route) =>
      route.fulfill({ status: 429, json: { title: "Too many requests", status: 429 } }),
    );
    const filter = page.getByRole("searchbox");
    await filter.fill("Kep");
    await page.getByText("Too many requests").first().waitFor();
    assert.equal(await page.evaluate("document.activeElement?.type"), "search");
    await page.unroute("**/customers?*");
    await filter.fill("Kept");
    await page.getByText("Ada Kept").waitFor();
    await page.getByText("Too many requests").waitFor({ state: "detached" });
    await context.close();
  });

  it("misses nothing when the tab that listens for all is closed", async () => {
    const { context, page: first } = await openConsole(chromium(), api(), CUSTOMERS);
    await first.getByLabel(/^Live:/).waitFor({ state: "attached" });
    const second = await context.newPage();
    await second.goto(`${api().runtime.baseUrl}/console${CUSTOMERS}`);
    await second.getByLabel(/^Live:/).waitFor({ state: "attached" });
    await createCustomer("Heard");
    await second.getByText("Ada Heard").waitFor();
    await second.route("**/events/stream", async (route) => {
      await createCustomer("Between");
      await route.continue();
    });
    await first.close();
    await second.getByText("Ada Between").waitFor();
    await context.close();
  });

  it("leads the keyboard past a navigation that is closed on a phone", async () => {
    const { context, page } = await openConsole(chromium(), api(), CUSTOMERS, { viewport: PHONE });
    await heading(page, "Customers").waitFor();
    const reached: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      await page.keyboard.press("Tab");
      reached.push(String(await page.evaluate("document.activeElement?.textContent ?? ''")));
    }
    assert.ok(!reached.some((text) => /^(Overview|Passes|Jobs)$/.test(text)), reached.join());
    await page.getByRole("button", { name: "Open the navigation" }).click();
    await page.getByRole("link", { name: "Devices" }).click();
    await heading(page, "Devices").waitFor();
    // The command of an empty list is wider than the phone: it scrolls beside its button.
    const code = await page.locator("section:has(> pre)").boundingBox();
    const copy = await page.getByRole("button", { name: "Copy", exact: true }).boundingBox();
    assert.ok(code !== null && copy !== null && code.x + code.width <= copy.x);
    await context.close();
  });
});
