import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { shareApi } from "#test/support/start-api.ts";

const VENDOR = join(import.meta.dirname, "../../vendor");

function assetsOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
}

const api = shareApi();

describe("GET /docs", () => {
  it("200: a page that loads nothing from elsewhere and runs no inline script", async () => {
    const { status, headers, text } = await api().get("/docs");

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

  it("200: its parts have their types, may be kept for ever and change their address with their content", async () => {
    const { text } = await api().get("/docs");
    const parts = assetsOf(text).filter((address) => address.startsWith("docs/"));
    const types = { js: /^text\/javascript/, css: /^text\/css/, svg: /^image\/svg\+xml/ };
    assert.ok(parts.length >= 4);
    for (const part of parts) {
      const sent = await api().get(`/${part}`);
      assert.equal(sent.status, 200, part);
      const extension = part.split(".").at(-1) as keyof typeof types;
      assert.match(sent.headers.get("content-type") ?? "", types[extension]);
      assert.equal(sent.headers.get("cache-control"), "public, max-age=31536000, immutable");
    }
    const elsewhere = await api().get("/docs/0000000000000000/page.js");
    assert.equal(elsewhere.status, 404);
    assert.equal(elsewhere.body.code, "route.not-found");
  });

  it("200: the reference comes compressed as the caller likes, always with the same content", async () => {
    const { text } = await api().get("/docs");
    const reference = assetsOf(text).find((address) => address.endsWith("reference.js"));
    const digests = new Set<string>();
    for (const encoding of ["br", "gzip", "identity", "br;q=0, gzip"]) {
      // `fetch` decodes the body, so equal bytes show that the header fits the body.
      const sent = await fetch(`${api().url}/${reference}`, {
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

  it("304: the page is not sent again to one who has it", async () => {
    const etag = (await api().get("/docs")).headers.get("etag") ?? "";
    const again = await api().get("/docs", { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
  });
});

describe("GET /docs/callback", () => {
  it("200: shows the error, as text, in one line and not at any length", async () => {
    const open = (query: Record<string, string>) =>
      api().get(`/docs/callback?${new URLSearchParams(query)}`);
    const denied = await open({ error: "access_denied", error_description: "Ada said no." });
    assert.equal(denied.status, 200);
    assert.match(denied.text, /<h1 id="title">You are not signed in<\/h1>/);
    assert.match(denied.text, /Ada said no\./);
    assert.match(denied.text, /access_denied/);
    assert.match((await open({ error: "access_denied" })).text, /refused or given up/);

    const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{reason}}$&`;
    const { text, headers } = await open({ error: attack, error_description: attack });
    assert.doesNotMatch(text, /<script>|<img src=x|\u202e/);
    assert.match(text, /&quot;&gt;&lt;script&gt;alert\(1\)/);
    assert.match(headers.get("content-security-policy") ?? "", /script-src 'self';/);
    assert.equal(headers.get("cache-control"), "no-store");
    const long = await open({ error: "e".repeat(5_000), error_description: "d".repeat(5_000) });
    assert.doesNotMatch(long.text, /e{61}|d{301}/);
    assert.equal((await api().get("/docs/callback?error=a&error=b")).status, 200);
  });

  it("200: without an error the person is signed in", async () => {
    for (const query of ["", "?code=x&state=y", "?error="]) {
      assert.match((await api().get(`/docs/callback${query}`)).text, /You are signed in/);
    }
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
