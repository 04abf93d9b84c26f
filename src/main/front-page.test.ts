import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { exchange } from "#test/support/raw-http.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });

/** The Accept header that browsers send when a person types an address. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const FRONT_PAGES = { "/": "console", "/api": "docs", "/api/": "docs" };
const PATHS = Object.keys(FRONT_PAGES);

describe("the addresses that people open first", () => {
  it("302: lead a browser to the console, or from the API to its reference", async () => {
    for (const [path, page] of Object.entries(FRONT_PAGES)) {
      const { status, headers } = await api.get(path, { headers: { accept: BROWSER } });
      assert.equal(status, 302, path);
      const target = new URL(headers.get("location") ?? "", `http://proxy.example/prefix${path}`);
      assert.equal(target.href, `http://proxy.example/prefix/${page}`, "behind a prefix as well");
      assert.equal(headers.get("vary"), "accept");
      const opened = await api.get(`/${page}`, { headers: { accept: BROWSER } });
      assert.match(opened.text, /^<!doctype html>/i);
    }
  });

  it("404: tell other callers where the reference is", async () => {
    for (const path of PATHS) {
      for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
        const { status, body } = await api.get(path, { headers: { accept } });
        assert.deepEqual([status, body.code], [404, "route.not-found"], path);
        assert.match(body.detail, /\/docs .*\/openapi\.json/);
      }
    }
  });

  it("404: a tenant's own domain leads nowhere", async () => {
    await api.seed.tenant("acme", {
      "tenant.yml": "name: acme\ncustomDomain: pass.acme.example\n",
    });
    const lines = ["GET / HTTP/1.1", "Host: pass.acme.example", `Accept: ${BROWSER}`];
    const { answers } = await exchange(api.url, [
      [...lines, "Connection: close", "", ""].join("\r\n"),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404],
    );
  });
});
