import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, describe } from "node:test";
import { type Browser, chromium, type Page, type Response } from "playwright-core";
import { CHROMIUM } from "./chromium-path.ts";
import { addNote } from "./test-results.ts";

const CHROMIUM_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Tests that open pages. `test/run.ts` says so where there is no browser for them. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (CHROMIUM !== undefined) describe(title, tests);
}

/**
 * One browser for all tests of a `describe`; reach it through the function this returns. `flags` are
 * further words of its command line.
 */
export function shareChromium(flags: readonly string[] = []): () => Browser {
  let browser: Browser | undefined;
  before(async () => {
    if (CHROMIUM === undefined) throw new Error("Ask whether there is one first.");
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [...CHROMIUM_FLAGS, ...flags],
    });
  });
  afterEach(async (test) => {
    // The types of Node do not know this member yet.
    const { passed, name } = test as { readonly passed?: boolean; readonly name: string };
    if (browser !== undefined && passed === false) await notePages(browser, name);
  });
  after(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error("The browser is shared from inside tests only.");
    return browser;
  };
}

/** The end, because navigation stands before the content of a page, and dialogs after it. */
const SHOWN_LENGTH_MAX = 4_000;

/** What the pages show where a test has failed, which says more than what the test waited for. */
async function notePages(browser: Browser, test: string): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const shown = await page
      .locator("body")
      .ariaSnapshot({ timeout: 30_000 })
      .catch(({ message }: Error) => message);
    addNote(`At the end of "${test}", ${page.url()} shows\n${shown.slice(-SHOWN_LENGTH_MAX)}`);
  }
}

const PATIENCE_MS = 120_000;

type ColorScheme = "light" | "dark";

type Look = {
  readonly colorScheme?: ColorScheme;
  readonly width?: number;
  /** The part of the reference to begin at. */
  readonly at?: string;
  /** With a few operations alone: drawing all of them takes most of a test's time. */
  readonly isShort?: boolean;
};

/** Opens /docs and collects everything a page that keeps to itself would not do. */
export async function openDocs(
  browser: Browser,
  url: string,
  { colorScheme = "light", width = 1440, at = "", isShort = true }: Look = {},
) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  // The page is large, and a busy machine takes its time to draw it.
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const offences: string[] = [];
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && !["data:", "blob:"].includes(protocol)) offences.push(request.url());
  });
  page.on("requestfailed", (request) => offences.push(`failed: ${request.url()}`));
  page.on("pageerror", (error) => offences.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") offences.push(message.text());
  });
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", (event) => console.error("CSP", event.violatedDirective, event.blockedURI))`,
  );
  if (isShort) await shorten(page);
  await page.goto(`${url}/docs${at}`);
  await waitForReference(page);
  return { page, offences };
}

type Description = {
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

async function shorten(page: Page): Promise<void> {
  await page.route("**/openapi.json", async (route) => {
    const response = await route.fetch();
    const { webhooks: _, ...json } = (await response.json()) as Description & { webhooks: object };
    const few = Object.entries(json.paths).filter(([path]) => /^\/api\/tenants\b/.test(path));
    const paths = Object.fromEntries(few);
    const { schemas, ...others } = json.components;
    const components = { ...others, schemas: namedBy({ paths, others }, schemas) };
    await route.fulfill({ response, json: { ...json, paths, components } });
  });
}

/** The schemas that a part of the description names, and those that these name. */
function namedBy(part: object, schemas: Description["components"]["schemas"]) {
  const named = new Map<string, object>();
  const waiting = [part];
  for (const next of waiting) {
    for (const [, name = ""] of JSON.stringify(next).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      const schema = schemas[name];
      if (schema === undefined || named.has(name)) continue;
      named.set(name, schema);
      waiting.push(schema);
    }
  }
  return Object.fromEntries(named);
}

export async function waitForReference(page: Page): Promise<void> {
  await page.locator("#reference:not([aria-busy]) h1").first().waitFor();
}

/** Sends an operation that the page shows, with what the page knows, and gives what came back. */
export async function trySending(page: Page, button: RegExp): Promise<Response> {
  await page.getByRole("button", { name: button }).first().click();
  const [answer] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname.startsWith("/api/")),
    page.getByRole("button", { name: /^Send/ }).first().click(),
  ]);
  // Until it is shown, closing the dialog would cancel the request.
  await page.getByText(`${answer.status()} ${answer.statusText()}`).first().waitFor();
  return answer;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Colours fade in, and what a page adds for screen readers comes a moment later. */
const SETTLED_MS = 700;

/** The page follows the colours of the system at once: nothing is loaded or drawn again. */
export async function turnColors(page: Page, colorScheme: ColorScheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // A busy machine takes its time to tell the page; pages without such a class follow by CSS alone.
  const turned = `body:not([class*="-mode"]), body.${colorScheme}-mode`;
  await page.locator(turned).waitFor({ state: "attached" });
  await page.waitForTimeout(SETTLED_MS);
}

/**
 * What axe calls serious or critical where the page is now, one line for each kind. In dark colours
 * axe only applies the rules about colours: what the others look at is the same in both.
 */
export async function findingsOf(page: Page): Promise<string[]> {
  await turnColors(page, "light");
  const light = await runAxe(page, {});
  await turnColors(page, "dark");
  const dark = await runAxe(page, COLOR_RULES);
  return [...light.map((line) => `light: ${line}`), ...dark.map((line) => `dark: ${line}`)];
}

const COLOR_RULES = {
  runOnly: { type: "tag", values: ["cat.color"] },
  // Named by that tag, but stricter than what axe asks for by itself.
  rules: { "color-contrast-enhanced": { enabled: false } },
};

async function runAxe(page: Page, options: object): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  // Only violations are used, so axe need not list the elements that passed.
  const given = JSON.stringify({ ...options, resultTypes: ["violations"] });
  return await page.evaluate(`axe.run(document, ${given}).then((result) =>
    result.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target.join(" ")).join(" | ")))`);
}
