import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startOpenIdIssuer } from "#test/support/openid-issuer.ts";
import { shareApi, startApi } from "#test/support/start-api.ts";

const FIRST_LOAD_BYTES_MAX = 350_000;
/** `import"./a.js"` and `import{a}from"./a.js"`; `import("./a.js")` loads later, so it is no part of it. */
const STATIC_IMPORT = /(?:\bimport|\bfrom)\s*["'`]\.\/([^"'`]+)["'`]/g;
/** Components keep their name in the built files. Only pages show steps. */
const COMPONENT_OF_PAGES = "@mantine/core/StepperStep";

/** The files that the page names. */
const filesOf = (page: string): string[] => [
  ...new Set([...page.matchAll(/"(\/[^"]*\/assets\/[^"]+)"/g)].map(([, path = ""]) => path)),
];

function settingsOf(page: string) {
  const told = /<meta name="console-settings" content="([^"]*)"/.exec(page)?.[1] ?? "";
  return JSON.parse(told.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

describe("GET /console", () => {
  const api = shareApi({ env: { BASE_URL: "https://passes.example/wallet" } });

  it("200: is never kept, and allows scripts from files and styles by a nonce alone", async () => {
    const [first, second] = [await api().get("/console"), await api().get("/console")];
    assert.equal(first.status, 200, first.text);
    assert.equal(first.headers.get("cache-control"), "no-store");
    const policies = [first, second].map(
      ({ headers }) => headers.get("content-security-policy") ?? "",
    );
    for (const [at, policy] of policies.entries()) {
      assert.match(
        policy,
        /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}'/,
      );
      assert.doesNotMatch(policy, /unsafe/);
      const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1] ?? "";
      assert.ok([first, second][at]?.text.includes(`nonce="${nonce}"`));
    }
    assert.notEqual(policies[0], policies[1]);
    assert.doesNotMatch(first.text, /<script(?![^>]* src=)[^>]*>/);
    assert.doesNotMatch(first.text, /\{\{/);
  });

  it("200: answers at every address below it, with absolute addresses of its files", async () => {
    for (const path of [
      "/console/",
      "/console/callback?code=x",
      "/console/demo/settings/api-keys",
      // Not UTF-8, and no percent-encoding at all.
      "/console/%ff?q=%ff",
      "/console/demo/%",
    ]) {
      const { status, text } = await api().get(path);
      assert.equal(status, 200, path);
      assert.ok(
        filesOf(text).every((file) => file.startsWith("/wallet/console/assets/")),
        text,
      );
    }
  });

  it("200: its files are compressed by the build, and kept for ever", async () => {
    const [file = ""] = filesOf((await api().get("/console")).text);
    const path = file.replace("/wallet", "");
    for (const encoding of ["br", "gzip"]) {
      const { status, headers } = await api().get(path, {
        headers: { "accept-encoding": encoding },
      });
      assert.deepEqual([status, headers.get("content-encoding")], [200, encoding]);
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(headers.get("vary"), "accept-encoding");
    }
    const { headers } = await api().get(path);
    assert.equal(headers.get("content-encoding"), null);
  });

  it("404: a file that no build has", async () => {
    assert.equal((await api().get("/console/assets/none-12345678.js")).status, 404);
    assert.equal((await api().get("/console/assets/%ff")).status, 404);
  });

  it(`200: the first load is below ${FIRST_LOAD_BYTES_MAX / 1_000} kB`, async (t) => {
    const { text } = await api().get("/console");
    let bytes = text.length;
    const files = filesOf(text).map((file) => file.replace("/wallet", ""));
    const named: string[] = [];
    for (const file of files) named.push((await api().get(file)).text);
    // Before the overview is there, the app asks for its code and for what pages share.
    const later = named.join().matchAll(/\.\/((shared|overview(\.page)?)-[\w-]{8}\.(js|css))"/g);
    const all = new Set([...files, ...[...later].map(([, name]) => `/console/assets/${name}`)]);
    for (const wanted of ["shared", "overview.page"]) {
      assert.ok([...all].some((path) => path.includes(`/${wanted}-`) && path.endsWith(".js")));
    }
    for (const file of all) {
      const response = await fetch(api().url + file, { headers: { "accept-encoding": "br" } });
      assert.equal(response.status, 200, file);
      bytes += Number(response.headers.get("content-length"));
      await response.body?.cancel();
    }
    t.diagnostic(`${Math.round(bytes / 1_000)} kB`);
    assert.ok(bytes > 50_000 && bytes < FIRST_LOAD_BYTES_MAX, `${bytes} bytes`);
  });

  it("200: the app waits for nothing that only pages use", async () => {
    const { text: page } = await api().get("/console");
    const path = filesOf(page).find((file) => /\/app-[\w-]{8}\.js$/.test(file)) ?? "";
    const { text: app } = await api().get(path.replace("/wallet", ""));
    const [, sharedName = ""] = /\.\/(shared-[\w-]{8}\.js)/.exec(app) ?? [];
    const shared = await api().get(`/console/assets/${sharedName}`);
    assert.equal(shared.status, 200, sharedName);
    const imported = [...app.matchAll(STATIC_IMPORT)].map(([, file]) => file);
    // If this were empty, the pattern would not fit the code.
    assert.ok(imported.some((file) => file?.startsWith("first-")));
    assert.ok(!imported.includes(sharedName), `the app imports ${imported.join(", ")}`);
    assert.ok(shared.text.includes(COMPONENT_OF_PAGES));
    assert.ok(!app.includes(COMPONENT_OF_PAGES), "the app has a component that only pages use");
  });

  it("200: says where people sign in: here, elsewhere, or nowhere", async (t) => {
    const here = settingsOf((await api().get("/console")).text);
    assert.equal(here.signIn.redirectUri, "https://passes.example/wallet/console/callback");
    assert.equal(here.signIn.tokenUrl, "https://passes.example/wallet/token");

    const { url: AUTH_ISSUER } = await startOpenIdIssuer(t);
    const unnamed = await startApi(t, { env: { AUTH_ISSUER } });
    assert.equal(settingsOf((await unnamed.get("/console")).text).signIn, undefined);
  });

  it("200: an address with quotes and brackets stays an address", async (t) => {
    const { url: AUTH_ISSUER } = await startOpenIdIssuer(t);
    const named = await startApi(t, { env: { AUTH_ISSUER, AUTH_CLIENT_ID: `"><script>` } });
    assert.doesNotMatch((await named.get("/console")).text, /"><script>/);
  });
});
