import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { WHOLE_CHROMIUM } from "#test/support/chromium-path.ts";
import { createClient } from "#test/support/client.ts";
import { loadPasses } from "#test/support/pass-rows.ts";
import type { Bench } from "../support/bench.ts";
import { defineLine } from "../support/line.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";
import { makeSecrets, startProgram } from "../support/product.ts";
import { scaled } from "../support/scale.ts";
import { openUnwatched, type UnwatchedBrowser } from "../support/unwatched-browser.ts";

const TENANT = "many";
const PASSES = scaled(1_000_000, 10_000);
const PAGES_SCROLLED = 20;
const REST_MS = 5_000;
const PASSWORD = "correct horse battery staple";

/** The console as an administrator has it whose tenant has a million passes and as many events. */
export const consolePages = defineLine({
  name: "console with a million passes",
  measures: {
    "usable, first visit": { unit: "ms", bar: { of: "ours", below: 1_000 } },
    "usable, later visit": { unit: "ms", bar: { of: "ours", below: 1_000 } },
    "first rows, first visit": { unit: "ms" },
    "first rows, later visit": { unit: "ms" },
    "numbers, later visit": { unit: "ms" },
    "longest wait, scrolling": { unit: "ms", bar: { of: "ours", below: 300 } },
    "longest wait, filters": { unit: "ms", bar: { of: "ours", below: 300 } },
    "longest wait, typing": { unit: "ms", bar: { of: "ours", below: 300 } },
  },
  rounds: 5,
  warmUpRounds: 1,
  async prepare(bench) {
    const { browser, unwatched, baseUrl, state } = await openStage(bench);
    const list = `${baseUrl}/console/${TENANT}/passes`;
    return {
      async ours() {
        // The database may still be busy with the last request of the round before.
        await sleep(REST_MS);
        const usable = await visitUnwatched(unwatched, state.cookies, list);
        // Nothing is in the cache of a new context but what the round itself loads.
        const context = await browser.newContext({ storageState: state, locale: "en-GB" });
        await context.addInitScript(WATCH);
        try {
          const page = await context.newPage();
          const first = await visit(page, list, "rows");
          const later = await visit(page, list, "rows");
          await installHelpers(page);
          const scrolling = await longestScroll(page);
          const filters = await longestFilter(page);
          const typed = await typing(page);
          const overview = await visit(page, `${baseUrl}/console/${TENANT}`, "numbers");
          return {
            "usable, first visit": usable.first,
            "usable, later visit": usable.later,
            "first rows, first visit": first,
            "first rows, later visit": later,
            "numbers, later visit": overview,
            "longest wait, scrolling": scrolling,
            "longest wait, filters": filters,
            "longest wait, typing": typed,
          };
        } finally {
          await context.close();
        }
      },
      baselines: {},
    };
  },
});

const ROWS = "[role=row][data-index]";
const COUNTED = PASSES.toLocaleString("en-GB");

/**
 * Runs in every page that is watched: when, since the navigation began, there were the first rows of the
 * list, and the number of all passes.
 */
const WATCH = `
  globalThis.seen = {};
  const there = {
    rows: () => document.querySelector("${ROWS}"),
    numbers: () => document.querySelector("main")?.textContent.includes("${COUNTED}"),
  };
  const look = () => {
    for (const name in there) if (there[name]()) seen[name] ??= performance.now();
    requestAnimationFrame(look);
  };
  look();
`;

type Stage = {
  readonly browser: Browser;
  readonly unwatched: UnwatchedBrowser;
  readonly baseUrl: string;
  readonly state: Awaited<ReturnType<BrowserContext["storageState"]>>;
};

async function openStage(bench: Bench): Promise<Stage> {
  if (WHOLE_CHROMIUM === undefined) throw new Error("Chromium is not installed here.");
  const folder = await mkdtemp(join(bench.folder, "console-"));
  const databaseUrl = await bench.createDatabase("console");
  const secrets = makeSecrets();
  const env = { ENVIRONMENT: "staging", BASE_URL: undefined };
  const product = await startProgram({ folder, databaseUrl, ...secrets, env });
  bench.onClose(() => product.stop());
  await preparePassTenant({ ...product, operatorKey: secrets.operatorKey, key: "" }, TENANT);
  await loadPasses({ connectionString: databaseUrl }, TENANT, PASSES);
  await untilCounted(product.url, secrets.operatorKey);
  const browser = await chromium.launch({
    executablePath: WHOLE_CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  bench.onClose(() => browser.close());
  const profile = await mkdtemp(join(bench.folder, "unwatched-"));
  const unwatched = await openUnwatched(WHOLE_CHROMIUM, profile);
  bench.onClose(() => unwatched.close());
  const output = await readFile(join(folder, "billfold.log"), "utf8");
  const [, link = ""] = /First sign-in\s+(\S+)/.exec(output) ?? [];
  const state = await signIn(browser, link);
  return { browser, unwatched, baseUrl: new URL(link).origin, state };
}

/** The numbers of the overview are counted from the events, a few thousand at a time. */
async function untilCounted(url: string, key: string): Promise<void> {
  const until = performance.now() + 600_000;
  while (performance.now() < until) {
    const { body } = await createClient(url).get(`/api/${TENANT}/admin/numbers?days=30`, { key });
    if (JSON.stringify(body).includes(String(PASSES))) return;
    await sleep(1_000);
  }
  throw new Error("The passes are not counted.");
}

async function signIn(browser: Browser, link: string): Promise<Stage["state"]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  const answers = { name: "Ada", email: "ada@example.com", password: PASSWORD, repeat: PASSWORD };
  for (const [id, text] of Object.entries(answers)) await page.locator(`#${id}`).fill(text);
  await page.getByRole("button").click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** The navigation and the head of the page are drawn at once, so the text in the head stands for both. */
async function visitUnwatched(
  browser: UnwatchedBrowser,
  cookies: Stage["state"]["cookies"],
  address: string,
) {
  const context = await browser.openContext(cookies);
  try {
    return { first: await context.visit(address), later: await context.visit(address) };
  } finally {
    await context.close();
  }
}

async function visit(page: Page, address: string, asked: "rows" | "numbers"): Promise<number> {
  await page.goto(address, { waitUntil: "commit" });
  return Number(
    await page.evaluate(`(async () => {
      while (!seen.${asked}) await new Promise(requestAnimationFrame);
      return seen.${asked};
    })()`),
  );
}

/** Times are taken inside the page, frame by frame: the way to the browser takes time itself. */
async function installHelpers(page: Page): Promise<void> {
  await page.evaluate(`
    globalThis.rows = () => [...document.querySelectorAll("${ROWS}")];
    globalThis.until = async (holds) => {
      const startedAt = performance.now();
      while (!holds()) {
        if (performance.now() - startedAt > 30_000) throw new Error(holds + " did not come true");
        await new Promise(requestAnimationFrame);
      }
      return performance.now() - startedAt;
    };
    globalThis.put = (control, value, event) => {
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), "value");
      set.call(control, value);
      control.dispatchEvent(new Event(event, { bubbles: true }));
    };
    globalThis.labelled = (text) =>
      [...document.querySelectorAll("label")].find((label) => label.textContent === text).control;
  `);
}

/** As somebody who holds the End key: from the end of what is there until more of it is there. */
async function longestScroll(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`(async () => {
      let longest = 0;
      for (let count = 0; count < ${PAGES_SCROLLED}; count += 1) {
        const height = document.documentElement.scrollHeight;
        scrollTo(0, height);
        longest = Math.max(longest, await until(() => document.documentElement.scrollHeight > height));
      }
      scrollTo(0, 0);
      await until(() => rows()[0]?.dataset.index === "0");
      return longest;
    })()`),
  );
}

async function longestFilter(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`(async () => {
      const shows = (text) => rows().length > 0 && rows().every((row) => row.textContent.includes(text));
      const waits = [];
      const choose = async (label, value, text) => {
        put(labelled(label), value, "change");
        waits.push(await until(() => shows(text)));
        put(labelled(label), "", "change");
        waits.push(await until(() => !shows(text)));
      };
      await choose("Status", "disabled", "Disabled");
      await choose("Pass type", "coupon", "coupon");
      await choose("Wallets", "uninstalled", "Removed");
      return Math.max(...waits);
    })()`),
  );
}

/** From the last key to the one pass whose identifier was typed. */
async function typing(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`(async () => {
      put(document.querySelector("[data-filter]"), "C-${PASSES - 1}", "input");
      return await until(() => rows().length === 1);
    })()`),
  );
}
