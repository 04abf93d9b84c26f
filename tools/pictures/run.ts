import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { CHROMIUM } from "#test/support/chromium-path.ts";
import { freePort } from "#test/support/product.ts";
import { PROGRAM } from "#test/support/program.ts";

/*
 * `npm run pictures` takes the pictures of the README from the demo tenant, as a new user has it.
 * `npm run pictures -- --all <folder>` takes every page instead, wide and as a phone, light and dark,
 * to be looked at before a change of the console lands.
 */

const README_FOLDER = resolve(import.meta.dirname, "../../docs/pictures");
const PASSWORD = "correct horse battery staple";
const START_SECONDS_MAX = 120;
/** Pictures of passes and charts fade in. */
const DRAWN_MS = 1_500;
const LOOKS = {
  "wide-light": { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  "wide-dark": { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  "phone-light": { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  "phone-dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
} as const;

const PAGES = [
  "",
  "passes",
  "templates",
  "phones",
  "customers",
  "enrolment-links",
  "receipts",
  "movements",
  "scans",
  "devices",
  "events",
  "webhooks",
  "deliveries",
  "imports",
  "scheduler",
  "connectors",
  "jobs",
  "settings/api-keys",
  "settings/administrators",
  "settings/oauth-clients",
  "settings/audit",
  "settings/secrets",
  "settings/wallets",
  "settings/tenants",
] as const;

async function startDemo(folder: string): Promise<{ link: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [...PROGRAM, "start"], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      PORT: String(await freePort()),
      SFTP_PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const stop = async () => {
    const exited = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await exited;
  };
  for (const end = performance.now() + START_SECONDS_MAX * 1_000; performance.now() < end; ) {
    const link = /First sign-in\s+(\S+)/.exec(output)?.[1];
    if (link !== undefined) return { link, stop };
    await sleep(100);
  }
  await stop();
  throw new Error(`The product did not start: ${output}`);
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function signIn(browser: Browser, link: string): Promise<State> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  const answers = { name: "Ada Lovelace", email: "ada@example.com" };
  const all = { ...answers, password: PASSWORD, repeat: PASSWORD };
  for (const [id, text] of Object.entries(all)) await page.locator(`#${id}`).fill(text);
  await page.getByRole("button").click();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator("main h1").first().waitFor();
  await page.waitForTimeout(DRAWN_MS);
}

/** The first card of the list. */
async function openPass(page: Page, baseUrl: string): Promise<void> {
  await open(page, `${baseUrl}/console/demo/passes?type=loyalty`);
  await page.locator("[role=row][data-index='0']").click();
  await page.waitForURL(/passes\/ps_/);
  await page.waitForTimeout(DRAWN_MS * 2);
}

/** The loyalty card in the editor, with its preview. */
async function openTemplate(page: Page, baseUrl: string): Promise<void> {
  await open(page, `${baseUrl}/console/demo/templates?file=server%2Fpasses%2Floyalty.yml`);
  await page.waitForTimeout(DRAWN_MS);
}

type Stage = { readonly browser: Browser; readonly baseUrl: string; readonly state: State };

/** So that something is installed. */
async function putOnPhones(page: Page, baseUrl: string): Promise<void> {
  await open(page, `${baseUrl}/console/demo/phones`);
  await page.getByRole("button", { name: "Put it on both phones" }).click();
  await page.waitForTimeout(DRAWN_MS * 3);
}

async function takeForReadme({ browser, baseUrl, state }: Stage): Promise<void> {
  await mkdir(README_FOLDER, { recursive: true });
  const take = async (
    name: string,
    look: keyof typeof LOOKS,
    work: (page: Page) => Promise<void>,
  ) => {
    const context = await browser.newContext({
      ...LOOKS[look],
      storageState: state,
      locale: "en-GB",
    });
    const page = await context.newPage();
    await work(page);
    await page.screenshot({ path: join(README_FOLDER, `${name}.png`) });
    await context.close();
  };
  await take("overview", "wide-light", async (page) => {
    await putOnPhones(page, baseUrl);
    await open(page, `${baseUrl}/console/demo`);
  });
  await take("pass", "wide-light", (page) => openPass(page, baseUrl));
  await take("templates", "wide-dark", (page) => openTemplate(page, baseUrl));
}

async function takeAll({ browser, baseUrl, state }: Stage, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await browser.newContext({ ...options, storageState: state, locale: "en-GB" });
    const page = await context.newPage();
    const take = (name: string) =>
      page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
    for (const path of PAGES) {
      await open(page, `${baseUrl}/console/demo${path === "" ? "" : `/${path}`}`);
      await take(path === "" ? "overview" : path.replace("/", "-"));
    }
    await openPass(page, baseUrl);
    await take("pass");
    await openTemplate(page, baseUrl);
    await take("template");
    await context.close();
  }
}

const { values } = parseArgs({ options: { all: { type: "string" } } });
if (CHROMIUM === undefined) throw new Error("Chromium is not installed here.");
const folder = await mkdtemp(join(tmpdir(), "billfold-pictures-"));
const demo = await startDemo(folder);
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  const state = await signIn(browser, demo.link);
  const stage = { browser, baseUrl: new URL(demo.link).origin, state };
  if (values.all === undefined) await takeForReadme(stage);
  else await takeAll(stage, values.all);
} finally {
  await browser.close();
  await demo.stop();
  await rm(folder, { recursive: true, force: true });
}
