import assert from "node:assert/strict";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { firstRunLink, joinByInvitation, PASSWORD } from "./people.ts";
import { watchProcessor } from "./slowness.ts";
import type { TestApi } from "./start-api.ts";

/** The console as people have it, in a real browser. */

/** On a quiet machine. */
const PATIENCE_MS = 60_000;
export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

type Look = {
  readonly colorScheme?: "light" | "dark";
  readonly viewport?: { width: number; height: number };
  readonly locale?: string;
};

/** Collects everything that a page that keeps to itself would not do. */
export async function openVisit(
  browser: Browser,
  api: { readonly runtime: Pick<TestApi["runtime"], "baseUrl"> },
  look: Look = {},
) {
  const context = await browser.newContext({
    viewport: WIDE,
    locale: "en-GB",
    // Without a graphics card, what moves is drawn by the processor, many times a second.
    reducedMotion: "reduce",
    ...look,
  });
  context.setDefaultTimeout(PATIENCE_MS * watchProcessor()());
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const offences: string[] = [];
  context.on("page", (page) => watch(page, api.runtime.baseUrl, offences));
  const page = await context.newPage();
  return { context, page, offences };
}

function watch(page: Page, baseUrl: string, offences: string[]): void {
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== baseUrl && !["data:", "blob:", "about:"].includes(protocol)) {
      offences.push(request.url());
    }
  });
  page.on("pageerror", (error) => offences.push(error.message));
  page.on("console", (message) => {
    // Browsers also report every answer that is not a success.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      const { url, lineNumber, columnNumber } = message.location();
      offences.push(`${message.text()} (${url}:${lineNumber}:${columnNumber})`);
    }
  });
}

export async function fillSignIn(page: Page, email: string): Promise<void> {
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name });

/** The first administrator, made by the link that the first start prints. */
export async function becomeFirst(page: Page, api: TestApi, email = "ada@example.com") {
  await page.goto(await firstRunLink(api));
  await page.locator("#name").fill("Ada Lovelace");
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("#repeat").fill(PASSWORD);
  await page.getByRole("button").click();
}

type SignedIn = {
  readonly tenants?: readonly string[];
  readonly isByForm?: boolean;
  /** All that the token may do, where that is less than the role would give. */
  readonly scope?: string;
};

let count = 0;

/**
 * Somebody with an account at an address of the console. The session of their invitation signs them
 * in: by the form of the sign-in, which few tests are about, the console would be loaded twice.
 */
export async function openConsole(
  browser: Browser,
  api: TestApi,
  path: string,
  { tenants, isByForm = false, scope, ...look }: Look & SignedIn = {},
) {
  count += 1;
  const email = `person-${count}@example.com`;
  const { browser: invited } = await joinByInvitation(api, {
    email,
    name: "Grace Hopper",
    ...(tenants === undefined ? { role: "global" } : { role: "tenant", tenants }),
  });
  const visit = await openVisit(browser, api, look);
  if (scope !== undefined) await narrowScope(visit.page, scope);
  if (!isByForm) await visit.context.addCookies(invited.cookies);
  await visit.page.goto(`${api.runtime.baseUrl}/console${path}`);
  if (isByForm) await fillSignIn(visit.page, email);
  await untilShown(visit.page, path);
  return { ...visit, email };
}

async function untilShown(page: Page, path: string): Promise<void> {
  await page.waitForURL(`**/console${path}*`);
  await page.locator("h1").first().waitFor();
}

/** The browser reports an address that a script has set a moment after the page shows what it stands for. */
export async function untilAsked(page: Page, name: string, value: string | null): Promise<void> {
  await page.waitForURL((url) => url.searchParams.get(name) === value);
}

/** From the next load on, the token has fewer scopes than the role would give. */
export async function narrowScope(page: Page, scope: string): Promise<void> {
  await page.route("**/authorize?*", (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("scope", scope);
    return route.continue({ url: url.href });
  });
}

/** What scripts of other pages of this host could read. */
export async function assertNoTokenStored(context: BrowserContext, page: Page): Promise<void> {
  const stored = await page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])",
  );
  assert.doesNotMatch(String(stored), /eyJ|refresh|access_token/);
  const cookies = await context.cookies();
  assert.ok(cookies.every(({ httpOnly }) => httpOnly));
}
