import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import {
  accessToken,
  createFirstAdministrator,
  implicitUrl,
  openBrowser,
  PASSWORD,
} from "#test/support/people.ts";
import { startApi } from "#test/support/start-api.ts";

const BASE_URL = "http://passes.example.com:8080";
const api = await startApi({ after }, { env: { BASE_URL } });
const key = api.operatorKey;
await api.seed.tenant("acme");
await api.seed.tenant("rival");

/** For a `describe`: a hook of the file would run before the tests of other files, too. */
function startWithoutAnyone(): void {
  beforeEach(async () => {
    await api.sql("delete from administrator");
  });
}

async function invite(email: string, more: Record<string, unknown> = {}) {
  const body = { email, name: "Bob", role: "global", ...more };
  const answer = await api.post("/api/administrators", { key, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Creates an administrator, sets the password by the invitation, and gets a token. */
async function join(email: string, more: Record<string, unknown> = {}) {
  const { id, invitation } = await invite(email, more);
  const browser = openBrowser(api);
  const page = await browser.open(invitation.url);
  await browser.submit(page, { password: PASSWORD, repeat: PASSWORD }, `${BASE_URL}/docs`);
  return { id, browser, bearer: await accessToken(api, browser) };
}

describe("POST /api/administrators (administrator.create)", () => {
  startWithoutAnyone();

  it("201: answers a one-time link and never a hash", async () => {
    const created = await invite("bob@example.com", { role: "tenant", tenants: ["acme"] });
    assert.match(created.id, /^adm_/);
    assert.equal(created.invited, true);
    assert.match(
      created.invitation.url,
      /^http:\/\/passes\.example\.com:8080\/sign-in\/[\w-]{43}$/,
    );
    const [audit] = await api.sql(
      "select * from audit where op = 'administrator.create' order by id desc limit 1",
    );
    assert.equal(audit?.actor_id, "operator");
    assert.ok(!JSON.stringify(audit).includes("sign-in"));
  });

  it("409: the same address in another case", async () => {
    await invite("bob@example.com");
    const body = { email: "BOB@example.com", name: "Bob", role: "global" };
    const answer = await api.post("/api/administrators", { key, body });
    assert.equal(answer.status, 409);
    assert.equal(answer.body.code, "administrator.email-taken");
  });

  it("400: by field, also when role and tenants contradict each other", async () => {
    const post = (body: unknown) => api.post("/api/administrators", { key, body });
    const bad = await post({ email: "x", name: " ", role: "king", hash: "x" });
    assert.equal(bad.status, 400);
    assert.deepEqual(Object.keys(bad.body.errors).sort(), ["email", "hash", "name", "role"]);
    const person = { email: "a@b.c", name: "A" };
    const none = await post({ ...person, role: "tenant" });
    assert.deepEqual([none.status, Object.keys(none.body.errors)], [400, ["tenants"]]);
    assert.equal((await post({ ...person, role: "global", tenants: ["acme"] })).status, 400);
  });

  it("401, 403: nobody but Global Administrators", async () => {
    const { bearer } = await join("t@example.com", { role: "tenant", tenants: ["acme"] });
    const tenantKey = await api.seed.key("acme", "ApiKey.Write");
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", "/adm_0000000000000000000000"],
      ["PUT", "/adm_0000000000000000000000"],
      ["DELETE", "/adm_0000000000000000000000"],
      ["POST", "/adm_0000000000000000000000/invitation"],
    ] as const) {
      const at = `/api/administrators${path}`;
      assert.equal((await api.request(method, at)).status, 401);
      assert.equal((await api.request(method, at, { bearer })).status, 403);
      assert.equal((await api.request(method, at, { key: tenantKey })).status, 403);
    }
  });
});

describe("GET /api/administrators (administrator.list, administrator.get)", () => {
  startWithoutAnyone();

  it("200: sorted, filtered, paged; one with its ETag; 404 for others", async () => {
    for (const name of ["c", "a", "b"]) await invite(`${name}@example.com`);
    const list = await api.get(
      "/api/administrators?sortBy[0].field=email&sortBy[0].direction=ASC&pageSize=2",
      { key },
    );
    assert.deepEqual(
      list.body.map(({ email }: { email: string }) => email),
      ["a@example.com", "b@example.com"],
    );
    assert.equal(list.headers.get("x-pagination-total"), "3");
    const one = await api.get(`/api/administrators/${list.body[0].id}`, { key });
    assert.equal(one.status, 200);
    assert.deepEqual(one.body, list.body[0]);
    assert.ok(one.headers.get("etag"));
    const missing = await api.get("/api/administrators/adm_0000000000000000000000", { key });
    assert.equal(missing.body.code, "administrator.not-found");
  });

  it("200: never 304, because a sign-in is no new version; the ETag guards a change", async () => {
    const { id } = await join("bob@example.com");
    const at = `/api/administrators/${id}`;
    const first = await api.get(at, { key });
    const etag = first.headers.get("etag") ?? "";
    const again = openBrowser(api);
    const form = await again.open(implicitUrl(api));
    const sent = { email: "bob@example.com", password: PASSWORD };
    await again.submit(form, sent, `${BASE_URL}/docs/callback`);
    const read = await api.get(at, { key, headers: { "if-none-match": etag } });
    assert.equal(read.status, 200);
    assert.notEqual(read.body.lastSignInAt, first.body.lastSignInAt);
    assert.equal(read.headers.get("etag"), etag);
    const change = (name: string) =>
      api.put(at, {
        key,
        body: { email: "bob@example.com", name, role: "global" },
        headers: { "if-match": etag },
      });
    assert.equal((await change("Robert")).status, 200);
    assert.equal((await change("Bobby")).status, 412);
  });
});

describe("PUT /api/administrators/:administratorId (administrator.update)", () => {
  startWithoutAnyone();

  const person = { email: "bob@example.com", name: "Bob", role: "global" };

  it("200: changes, with If-Match; 412 for an old version; 404 for nobody", async () => {
    const { id } = await invite("bob@example.com");
    await invite("ann@example.com");
    const at = `/api/administrators/${id}`;
    const { headers } = await api.get(at, { key });
    const etag = { "if-match": headers.get("etag") ?? "" };
    const body = { ...person, name: "Robert", role: "tenant", tenants: ["acme"] };
    const done = await api.put(at, { key, body, headers: etag });
    assert.equal(done.status, 200);
    assert.deepEqual(
      [done.body.name, done.body.tenants, done.body.version],
      ["Robert", ["acme"], 2],
    );
    assert.equal((await api.put(at, { key, body, headers: etag })).status, 412);
    const nobody = "/api/administrators/adm_0000000000000000000000";
    assert.equal((await api.put(nobody, { key, body })).status, 404);
    const taken = { ...body, email: "ANN@example.com" };
    assert.equal((await api.put(at, { key, body: taken })).status, 409);
  });

  it("409: the last enabled Global Administrator is neither demoted nor disabled", async () => {
    const { id } = await invite("bob@example.com");
    const { id: other } = await invite("ann@example.com");
    const ann = { ...person, email: "ann@example.com", disabled: true };
    await api.put(`/api/administrators/${other}`, { key, body: ann });
    const at = `/api/administrators/${id}`;
    for (const change of [{ role: "tenant", tenants: ["acme"] }, { disabled: true }]) {
      const answer = await api.put(at, { key, body: { ...person, ...change } });
      assert.equal(answer.status, 409);
      assert.equal(answer.body.code, "administrator.is-last");
    }
    assert.equal((await api.put(at, { key, body: { ...person, name: "B" } })).status, 200);
  });

  it("200: a new role and new tenants hold for a token given out before", async () => {
    await invite("root@example.com");
    const { id, bearer } = await join("bob@example.com", { role: "tenant", tenants: ["acme"] });
    assert.equal((await api.get("/api/acme/admin/apiKeys", { bearer })).status, 200);
    const body = { ...person, role: "tenant", tenants: ["rival"] };
    await api.put(`/api/administrators/${id}`, { key, body });
    assert.equal((await api.get("/api/acme/admin/apiKeys", { bearer })).status, 403);
    assert.equal((await api.get("/api/rival/admin/apiKeys", { bearer })).status, 200);
  });

  it("401: a disabled administrator's token stops on every node within a second", async () => {
    await invite("root@example.com");
    const other = await api.node();
    const { id, bearer, browser } = await join("bob@example.com");
    for (const node of [api, other]) {
      assert.equal((await node.get("/api/tenants", { bearer })).status, 200);
    }
    await api.put(`/api/administrators/${id}`, { key, body: { ...person, disabled: true } });
    assert.equal((await api.get("/api/tenants", { bearer })).status, 401);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal((await other.get("/api/tenants", { bearer })).status, 401);
    await assert.rejects(accessToken(api, browser), /Sign in/);
  });
});

describe("DELETE /api/administrators/:administratorId (administrator.delete)", () => {
  startWithoutAnyone();

  it("204: and the token is worth nothing; 404 the second time", async () => {
    await invite("root@example.com");
    const { id, bearer } = await join("bob@example.com");
    const at = `/api/administrators/${id}`;
    assert.equal((await api.delete(at, { key })).status, 204);
    assert.equal((await api.get("/api/tenants", { bearer })).status, 401);
    assert.equal((await api.delete(at, { key })).status, 404);
    const [audit] = await api.sql(
      "select before from audit where op = 'administrator.delete' order by id desc limit 1",
    );
    assert.match(JSON.stringify(audit?.before), /bob@example\.com/);
  });

  it("409: two who remove each other at once leave one", async () => {
    const [bob, ann] = [await invite("bob@example.com"), await invite("ann@example.com")];
    const answers = await Promise.all(
      [bob, ann].map(({ id }) => api.delete(`/api/administrators/${id}`, { key })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
  });
});

describe("POST /api/administrators/:administratorId/invitation (administrator.invite)", () => {
  startWithoutAnyone();

  it("201: tokens from before the new password stop working", async () => {
    const { id, bearer } = await join("bob@example.com");
    const at = `/api/administrators/${id}`;
    const { status, body, headers } = await api.post(`${at}/invitation`, { key });
    assert.deepEqual([status, headers.get("location")], [201, at]);
    assert.equal((await api.get("/api/tenants", { bearer })).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const browser = openBrowser(api);
    const password = "an entirely new password";
    await browser.submit(
      await browser.open(body.url),
      { password, repeat: password },
      `${BASE_URL}/docs`,
    );
    assert.equal((await api.get("/api/tenants", { bearer })).status, 401);
    const fresh = await accessToken(api, browser);
    assert.equal((await api.get("/api/tenants", { bearer: fresh })).status, 200);
  });

  it("404: nobody to invite", async () => {
    const at = "/api/administrators/adm_0000000000000000000000/invitation";
    assert.equal((await api.post(at, { key })).status, 404);
  });
});

describe("tenants", () => {
  startWithoutAnyone();

  it("see nothing of administrators, whatever they ask the database", async () => {
    await createFirstAdministrator(api);
    const { db } = api.runtime;
    const { sql } = await import("#kernel/db/sql.ts");
    for (const table of [
      "administrator",
      "sign_in_link",
      "sign_in_attempt",
      "known_browser",
      "authorization_record",
      "authorization_key",
    ]) {
      const rows = await db.read("acme", sql`select 1 from ${sql.raw(table)}`);
      assert.deepEqual(rows, [], table);
    }
    assert.equal((await db.readAsSystem(sql`select 1 from administrator`)).length, 1);
  });
});
