import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

/** Answers whose type follows from `Accept`: what caches and later requests may conclude from them. */

const TENANT = "harbour";

describe("an archive and JSON of the same version", () => {
  const api = shareApi();
  const path = `/api/tenants/${TENANT}`;
  const get = (accept: string, headers: Record<string, string> = {}) =>
    api().get(path, { key: api().operatorKey, headers: { accept, ...headers } });
  const tagOf = async (accept: string) => (await get(accept)).headers.get("etag") ?? "";

  before(() => api().seed.tenant(TENANT));

  it("200: have different ETags, and the one is no copy of the other", async () => {
    const [zip, json] = [await tagOf("application/zip"), await tagOf("application/json")];
    for (const tag of [zip, json]) assert.match(tag, /^"[^"]+"$/);
    assert.notEqual(zip, json);
    assert.equal((await get("application/json", { "if-none-match": zip })).status, 200);
    assert.equal((await get("application/zip", { "if-none-match": json })).status, 200);
  });

  it("304: to a caller with the same representation, with Vary: Accept", async () => {
    for (const accept of ["application/zip", "application/json"]) {
      const tag = await tagOf(accept);
      const again = await get(accept, { "if-none-match": `"other", ${tag}` });
      assert.equal(again.status, 304, accept);
      assert.equal(again.headers.get("etag"), tag);
      assert.match(again.headers.get("vary") ?? "", /^accept(?:,|$)/);
    }
  });

  it("200, 412: the ETag of either guards a change", async () => {
    for (const accept of ["application/zip", "application/json"]) {
      const tag = await tagOf(accept);
      const change = (text: string) =>
        api().patch(path, {
          key: api().operatorKey,
          body: { files: { "images/note.txt": `${text} of ${accept}` } },
          headers: { "if-match": tag },
        });
      assert.equal((await change("first")).status, 200, accept);
      assert.equal((await change("second")).status, 412, accept);
    }
  });
});

describe("Vary: accept", () => {
  const api = shareApi();
  let pass = "";

  before(async () => {
    await seedPassTenant(api(), TENANT);
    pass = `/api/${TENANT}/passes/${(await seedPass(api(), TENANT)).id}`;
  });

  const varyOf = async (path: string, accept: string, more: Record<string, string> = {}) => {
    const options = { key: api().operatorKey, headers: { accept, ...more } };
    const { status, headers } = await api().get(path, options);
    const type = headers.get("content-type")?.split(";")[0];
    return [status, type, headers.get("vary")?.split(", ")[0]];
  };

  it("200: is sent with JSON in each of its types, however short", async () => {
    for (const type of ["application/json", "text/json", "text/plain"]) {
      for (const path of [pass, `/api/${TENANT}/passes`, "/api/me", "/api/warmup"]) {
        assert.deepEqual(await varyOf(path, type), [200, type, "accept"], path);
      }
    }
  });

  it("304: to a caller with the newest version", async () => {
    const { headers } = await api().get(pass, { key: api().operatorKey });
    const tag = { "if-none-match": headers.get("etag") ?? "" };
    assert.deepEqual(await varyOf(pass, "text/plain", tag), [304, undefined, "accept"]);
  });

  it("4xx: is sent with problems", async () => {
    for (const type of ["text/plain", "application/problem+json"]) {
      assert.deepEqual(await varyOf(`${pass}x`, type), [404, type, "accept"]);
      assert.deepEqual(await varyOf("/api/nowhere/at/all", type), [404, type, "accept"]);
    }
  });

  it("200: is not sent where Accept changes nothing", async () => {
    const { headers } = await api().get("/openapi.json", { headers: { accept: "text/plain" } });
    assert.equal(headers.get("vary"), "accept-encoding");
  });
});
