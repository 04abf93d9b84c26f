import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { startApi } from "#test/support/start-api.ts";

/*
 * The parts of the page are always checked over HTTP. Whether a browser agrees is checked wherever
 * there is one: CHROMIUM_PATH names it, and fails when it leads nowhere; else Debian's place is
 * looked at, where CI installs it.
 */
const CHROMIUM =
  process.env.CHROMIUM_PATH || ["/usr/bin/chromium"].find((path) => existsSync(path));

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

const VENDOR = join(import.meta.dirname, "../../vendor");

function assetsOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
}

describe("GET /docs", () => {
  it("200: a page that loads nothing from elsewhere and runs no inline script", async (t) => {
    const api = await startApi(t);
    const { status, headers, text } = await api.get("/docs");

    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/html/);
    assert.match(text, /<title>Billfold API<\/title>/);
    const policy = headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'self'", "script-src 'self'", "connect-src 'self'"]) {
      assert.ok(policy.split("; ").includes(rule), rule);
    }
    assert.deepEqual(
      assetsOf(text).filter((address) => /^(\w+:)?\/\//.test(address)),
      [],
    );
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)/);
    assert.doesNotMatch(text, /\{\{/);
  });

  it("200: its parts have their types, may be kept for ever and change their address with their content", async (t) => {
    const api = await startApi(t);
    const { text } = await api.get("/docs");
    const parts = assetsOf(text).filter((address) => address.startsWith("docs/"));
    const types = { js: /^text\/javascript/, css: /^text\/css/, svg: /^image\/svg\+xml/ };
    assert.ok(parts.length >= 4);
    for (const part of parts) {
      const sent = await api.get(`/${part}`);
      assert.equal(sent.status, 200, part);
      const extension = part.split(".").at(-1) as keyof typeof types;
      assert.match(sent.headers.get("content-type") ?? "", types[extension]);
      assert.equal(sent.headers.get("cache-control"), "public, max-age=31536000, immutable");
    }
    const elsewhere = await api.get("/docs/0000000000000000/page.js");
    assert.equal(elsewhere.status, 404);
    assert.equal(elsewhere.body.code, "route.not-found");
  });

  it("200: the reference comes compressed as the caller likes, always with the same content", async (t) => {
    const api = await startApi(t);
    const { text } = await api.get("/docs");
    const reference = assetsOf(text).find((address) => address.endsWith("reference.js"));
    const digests = new Set<string>();
    for (const encoding of ["br", "gzip", "identity", "br;q=0, gzip"]) {
      // fetch undoes the encoding, so equal bytes mean that header and body belong together.
      const sent = await fetch(`${api.url}/${reference}`, {
        headers: { "accept-encoding": encoding },
      });
      const expected = encoding.includes("gzip") ? "gzip" : encoding === "br" ? "br" : null;
      assert.equal(sent.headers.get("content-encoding"), expected);
      assert.equal(sent.headers.get("vary"), "accept-encoding");
      const bytes = Buffer.from(await sent.arrayBuffer());
      digests.add(createHash("sha256").update(bytes).digest("hex"));
    }
    assert.equal(digests.size, 1);
  });

  it("304: the page is not sent again to one who has it", async (t) => {
    const api = await startApi(t);
    const etag = (await api.get("/docs")).headers.get("etag") ?? "";
    const again = await api.get("/docs", { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
  });
});

describe("the vendored reference", () => {
  it("is the file whose sums are written down beside it", () => {
    const readme = readFileSync(join(VENDOR, "README.md"), "utf8");
    const stored = readFileSync(join(VENDOR, "scalar/api-reference.js.br"));
    for (const bytes of [stored, brotliDecompressSync(stored)]) {
      assert.ok(readme.includes(createHash("sha256").update(bytes).digest("hex")));
    }
  });
});

async function openBrowser(t: TestContext, executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  t.after(() => browser.close());
  return browser;
}

/** Opens /docs and collects everything a page that keeps to itself would not do. */
async function openDocs(browser: Browser, url: string, colorScheme: "light" | "dark") {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1440, height: 900 } });
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
  await page.goto(`${url}/docs`);
  await page.getByText("List all tenants").first().waitFor();
  return { page, offences };
}

if (CHROMIUM === undefined) {
  describe("/docs in a browser", () => {
    it("there is no Chromium here, so the checks over HTTP above are all there is", (t) => {
      t.diagnostic("Install Chromium or set CHROMIUM_PATH to open the page in a browser too.");
    });
  });
} else {
  describe("/docs in a browser", () => {
    for (const scheme of ["light", "dark"] as const) {
      it(`shows the operations in ${scheme} colours and never leaves the site`, async (t) => {
        const api = await startApi(t);
        const { page, offences } = await openDocs(await openBrowser(t, CHROMIUM), api.url, scheme);

        assert.equal(await page.title(), "Billfold API");
        await page.getByText("Create a tenant or replace its configuration files").first().click();
        await page.waitForLoadState("networkidle");
        assert.ok(await page.locator(`body.${scheme}-mode`).count());
        assert.deepEqual(offences, []);
      });
    }

    it("tries an operation with the key typed in, and keeps that key nowhere", async (t) => {
      const api = await startApi(t);
      await api.seed.tenant("cafe-lune");
      const { page, offences } = await openDocs(await openBrowser(t, CHROMIUM), api.url, "light");

      await page.locator("#tenant").fill("cafe-lune");
      await page.locator("#key").fill(api.operatorKey);
      await page.getByRole("button", { name: "Use", exact: true }).click();
      await page.getByText("List all tenants").first().click();
      await page
        .getByRole("button", { name: /Test Request.*\/api\/tenants\b/ })
        .first()
        .click();
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().startsWith(`${api.url}/api/tenants`)),
        page.getByRole("button", { name: /^Send/ }).first().click(),
      ]);

      assert.equal(answer.status(), 200);
      const [tenant] = (await answer.json()) as { tenantId: string }[];
      assert.equal(tenant?.tenantId, "cafe-lune");
      const kept = await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
      );
      assert.ok(!String(kept).includes(api.operatorKey));
      assert.deepEqual(offences, []);
    });
  });
}
