import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";

const WORDS = new URL("page/words/", import.meta.url);
const IMPORT = /(?:from|import|URL)\s*\(?"(\.[^"]+\.(?:js|wasm))"/g;

describe("the scanner page over HTTP", () => {
  const api = shareApi();
  const fetchPath = (path: string) => fetch(`${api().application.url}${path}`);
  const readHash = async () =>
    /scan\/assets\/([\w-]+)\//.exec(await (await fetchPath("/scan")).text())?.[1] ?? "";

  it("200: loads from and calls this service alone, compiles WebAssembly, runs no other text", async () => {
    const page = await fetchPath("/scan");
    assert.equal(page.status, 200);
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
    assert.match(page.headers.get("permissions-policy") ?? "", /camera=\(self\)/);
    const text = await page.text();
    assert.doesNotMatch(text, /\{\{|https?:\/\/|<style|style=|onclick/);
  });

  it("200: every file that the page or another file names is there, and kept for good", async () => {
    const text = await (await fetchPath("/scan")).text();
    const first = [...text.matchAll(/(?:href|src)="(scan\/[^"]+)"/g)].map(([, path]) => `/${path}`);
    const waiting = new Set(first);
    for (const path of waiting) {
      const file = await fetchPath(path);
      assert.equal(file.status, 200, path);
      if (!path.includes("/assets/")) continue;
      assert.equal(file.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(file.headers.get("x-content-type-options"), "nosniff");
      if (!path.endsWith(".js") || path.includes("/zxing/")) continue;
      for (const [, name = ""] of (await file.text()).matchAll(IMPORT)) {
        waiting.add(posix.join(posix.dirname(path), name));
      }
    }
    const names = [...waiting].map((path) => path.replace(/^.*\/assets\/[^/]+\//, ""));
    for (const name of ["page.js", "reading/gun.js", "style/result.css"]) {
      assert.ok(names.includes(name), name);
    }
  });

  it("200: the service worker keeps every file, and may serve the page above its folder", async () => {
    const worker = await fetchPath("/scan/worker.js");
    assert.equal(worker.headers.get("service-worker-allowed"), "../scan");
    assert.equal(worker.headers.get("cache-control"), "no-cache");
    const text = await worker.text();
    const hash = await readHash();
    assert.ok(text.includes(`const VERSION = "${hash}";`));
    const names = JSON.parse(/const FILES = (\[.*?\]);/s.exec(text)?.[1] ?? "[]") as string[];
    for (const name of ["words/pt.js", "zxing/zxing_reader.wasm", "reading/decoder-thread.js"]) {
      assert.ok(names.includes(name), name);
    }
    for (const name of names) {
      const { status, headers } = await fetchPath(`/scan/assets/${hash}/${name}`);
      assert.equal(status, 200, name);
      if (name.endsWith(".wasm")) assert.equal(headers.get("content-type"), "application/wasm");
    }
  });

  it("200: can be put on the home screen of a phone", async () => {
    const manifest = await fetchPath("/scan/manifest.webmanifest");
    assert.equal(manifest.headers.get("content-type"), "application/manifest+json; charset=utf-8");
    const { start_url, scope, icons } = (await manifest.json()) as {
      start_url: string;
      scope: string;
      icons: { src: string }[];
    };
    assert.deepEqual([start_url, scope], ["../scan", "../scan"]);
    assert.equal((await fetchPath(`/scan/${icons[0]?.src}`)).status, 200);
  });

  it("308 and 404: a slash too much leads to the page, another file to nothing", async () => {
    const slash = await fetch(`${api().application.url}/scan/`, { redirect: "manual" });
    assert.deepEqual([slash.status, slash.headers.get("location")], [308, "../scan"]);
    const hash = await readHash();
    for (const name of ["worker.js", "index.html", "../scanner.files.ts", "%2e%2e/module.ts"]) {
      assert.equal((await fetchPath(`/scan/assets/${hash}/${name}`)).status, 404, name);
    }
    assert.equal((await fetchPath("/scan/assets/0123456789abcdef/page.js")).status, 404);
  });

  it("says the same in every language, with the same places to fill", async () => {
    const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join();
    const load = async (file: string) => {
      const { words } = (await import(new URL(file, WORDS).href)) as {
        words: Record<string, string>;
      };
      return Object.entries(words).map(([name, text]) => {
        assert.notEqual(text.trim(), "", `${file} ${name}`);
        return `${name} ${placesOf(text)}`;
      });
    };
    const files = readdirSync(WORDS);
    assert.deepEqual(files.sort(), "de.js en.js es.js fr.js it.js nl.js pt.js".split(" "));
    const english = await load("en.js");
    for (const file of files) assert.deepEqual(await load(file), english, file);
  });
});
