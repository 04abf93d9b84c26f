import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";

const PATH = "/api/oauthClients";
const MISSING = `${PATH}/oac_0000000000000000000000`;
const BODY = { name: "Reporting", redirectUris: ["https://reports.example/callback"] };

describe("OAuth clients", () => {
  const api = shareApi();
  const key = () => api().operatorKey;

  async function create(more: object = {}) {
    const made = await api().post(PATH, { key: key(), body: { ...BODY, ...more } });
    assert.equal(made.status, 201, made.text);
    return made;
  }

  it("201, 200: are registered, read, listed, changed and removed (oauth-client.create)", async () => {
    const made = await create();
    const { clientId, createdAt, updatedAt, ...rest } = made.body;
    assert.match(clientId, /^oac_[0-9A-Za-z]{22}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, { ...BODY, flows: ["authorizationCode"], createdBy: "operator" });
    assert.equal(made.headers.get("location"), `${PATH}/${clientId}`);

    const read = await api().get(`${PATH}/${clientId}`, { key: key() });
    assert.deepEqual([read.status, read.body], [200, made.body], "oauth-client.get");
    assert.equal(read.headers.get("etag"), made.headers.get("etag"));
    const query = "filter[0].field=name&filter[0].operator=equals&filter[0].value=Reporting";
    const list = await api().get(`${PATH}?${query}`, { key: key() });
    assert.deepEqual([list.status, list.body], [200, [made.body]], "oauth-client.list");

    const body = {
      name: "Reports",
      redirectUris: ["http://localhost:9000/cb"],
      flows: ["implicit"],
    };
    const put = await api().put(`${PATH}/${clientId}`, { key: key(), body });
    assert.equal(put.status, 200, "oauth-client.update");
    assert.partialDeepStrictEqual(put.body, { ...body, clientId, createdAt });
    assert.notEqual(put.headers.get("etag"), made.headers.get("etag"));

    const removed = await api().delete(`${PATH}/${clientId}`, { key: key() });
    assert.equal(removed.status, 204, "oauth-client.delete");
    assert.equal((await api().get(`${PATH}/${clientId}`, { key: key() })).status, 404);
  });

  it("412: a change or removal of what has changed meanwhile", async () => {
    const { body, headers } = await create();
    const path = `${PATH}/${body.clientId}`;
    const etag = headers.get("etag") ?? "";
    const change = (match: string, name: string) =>
      api().put(path, { key: key(), body: { ...BODY, name }, headers: { "if-match": match } });
    assert.equal((await change(etag, "first")).status, 200);
    assert.equal((await change(etag, "second")).status, 412);
    const old = { "if-match": etag };
    assert.equal((await api().delete(path, { key: key(), headers: old })).status, 412);
    assert.equal((await api().get(path, { key: key() })).body.name, "first");
  });

  it("404: one that was never registered, to every method", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const body = method === "PUT" ? { body: BODY } : {};
      const sent = await api().request(method, MISSING, { key: key(), ...body });
      assert.deepEqual([sent.status, sent.body.code], [404, "oauth-client.not-found"], method);
    }
  });

  it("401, 403: nobody but Global Administrators", async () => {
    await api().seed.tenant("acme");
    const tenantKey = await api().seed.key("acme", "ApiKey.Write");
    for (const [method, path] of [
      ["GET", PATH],
      ["POST", PATH],
      ["GET", MISSING],
      ["PUT", MISSING],
      ["DELETE", MISSING],
    ] as const) {
      assert.equal((await api().request(method, path)).status, 401);
      const sent = await api().request(method, path, { key: tenantKey });
      assert.deepEqual([sent.status, sent.body.requiredRole], [403, "Global Administrator"]);
    }
  });

  it("400: names each address that people could not safely be sent back to", async () => {
    const wrong = [
      "reports.example/callback",
      "/callback",
      "http://reports.example/callback",
      "http://localhost.example/callback",
      "http://127.0.0.1.example/callback",
      "https://reports.example/callback#part",
      "https://reports.example/callback#",
      "https://user:secret@reports.example/callback",
      "https://*.reports.example/callback",
      "https://reports.example/call back",
      "https://reports.example\\callback",
      "javascript:alert(1)",
      "data:text/html,x",
      "com.example.app:/callback",
      "https:reports.example/callback",
      "https:/reports.example/callback",
      "https:///reports.example/callback",
      "https:\\\\reports.example/callback",
      "https://@reports.example/",
      "https://:@reports.example/",
      "http://localhost:1@reports.example/",
      "http://127.0.0.2/callback",
      "http://127.1/callback",
      "http://0x7f.0.0.1/callback",
      "http://[0:0:0:0:0:0:0:1]/callback",
    ];
    // A client may have at most 20 addresses.
    for (const some of [wrong.slice(0, 13), wrong.slice(13)]) {
      const redirectUris = ["https://good.example/callback", ...some];
      const sent = await api().post(PATH, { key: key(), body: { ...BODY, redirectUris } });
      assert.equal(sent.status, 400);
      assert.deepEqual(
        Object.keys(sent.body.errors),
        some.map((_, index) => `redirectUris[${index + 1}]`),
      );
    }
    const { clientId } = (await create()).body;
    const put = await api().put(`${PATH}/${clientId}`, {
      key: key(),
      body: { ...BODY, redirectUris: ["http://reports.example/"] },
    });
    assert.deepEqual([put.status, Object.keys(put.body.errors)], [400, ["redirectUris[0]"]]);
  });

  it("400: shows the form in which people would be sent there, where another was written", async () => {
    for (const [redirectUri, normal] of [
      ["HTTPS://reports.example/cb", "https://reports.example/cb"],
      ["https://Reports.example/cb", "https://reports.example/cb"],
      ["https://reports.example:443/cb", "https://reports.example/cb"],
      ["https://reports.example/a/../cb", "https://reports.example/cb"],
      ["https://reports.example?from=here", "https://reports.example/?from=here"],
      ["https://münchen.example/cb", "https://xn--mnchen-3ya.example/cb"],
      ["https://reports.example/ü", "https://reports.example/%C3%BC"],
      ["http://LOCALHOST:3000/cb", "http://localhost:3000/cb"],
    ] as const) {
      const body = { ...BODY, redirectUris: [redirectUri] };
      const sent = await api().post(PATH, { key: key(), body });
      assert.equal(sent.status, 400, redirectUri);
      const [problem] = sent.body.errors["redirectUris[0]"];
      assert.ok(problem.endsWith(`sent there: ${normal}`), problem);
      const redirectUris = [normal];
      assert.deepEqual((await create({ redirectUris })).body.redirectUris, redirectUris);
    }
    const origins = ["https://reports.example", "http://localhost:3000"];
    assert.deepEqual((await create({ redirectUris: origins })).body.redirectUris, origins);
  });

  it("200: a change without flows leaves code and PKCE, and widens nothing", async () => {
    const both = ["authorizationCode", "implicit"];
    for (const flows of [["authorizationCode"], ["implicit"], both]) {
      const made = await create({ flows });
      assert.deepEqual(made.body.flows, flows);
      const put = await api().put(`${PATH}/${made.body.clientId}`, { key: key(), body: BODY });
      assert.deepEqual([put.status, put.body.flows], [200, ["authorizationCode"]]);
    }
  });

  it("201: a name has a letter or a digit of any script", async () => {
    for (const name of ["Ω", "報告", "תשלום", "٣"]) await create({ name });
    for (const name of ["!!!", "—", "🚀"]) {
      const sent = await api().post(PATH, { key: key(), body: { ...BODY, name } });
      assert.equal(sent.status, 400, name);
      assert.deepEqual(sent.body.errors.name, ["must be a name with at least one letter or digit"]);
    }
  });

  it("400: bodies of another shape, by field", async () => {
    const long = `https://reports.example/${"x".repeat(2_000)}`;
    for (const [body, field] of [
      [{ redirectUris: BODY.redirectUris }, "name"],
      [{ ...BODY, name: " " }, "name"],
      [{ ...BODY, name: "x".repeat(101) }, "name"],
      [{ ...BODY, redirectUris: [] }, "redirectUris"],
      [{ ...BODY, redirectUris: [long] }, "redirectUris[0]"],
      [{ ...BODY, flows: [] }, "flows"],
      [{ ...BODY, flows: ["password"] }, "flows[0]"],
      [{ ...BODY, secret: "x" }, "secret"],
      [{ ...BODY, clientId: "mine" }, "clientId"],
    ] as const) {
      const sent = await api().post(PATH, { key: key(), body });
      assert.equal(sent.status, 400, field);
      assert.ok(field in sent.body.errors, sent.text);
    }
  });

  it("201: on a person's own computer http is enough", async () => {
    const redirectUris = [
      "http://localhost:3000/cb",
      "http://127.0.0.1/cb",
      "http://[::1]:8000/cb?from=here",
    ];
    assert.deepEqual((await create({ redirectUris })).body.redirectUris, redirectUris);
  });

  it("2xx: every write is in the audit of the platform", async () => {
    const { clientId } = (await create()).body;
    await api().put(`${PATH}/${clientId}`, { key: key(), body: { ...BODY, name: "New" } });
    await api().delete(`${PATH}/${clientId}`, { key: key() });
    const query = `filter[0].field=target&filter[0].operator=equals&filter[0].value=oauth-client:${clientId}`;
    const { body } = await api().get(`/api/audit?${query}`, { key: key() });
    type Row = { op: string; before: { name: string } | null; after: { name: string } | null };
    assert.deepEqual(
      body.map(({ op, before, after }: Row) => [op, before?.name, after?.name]),
      [
        ["oauth-client.delete", "New", undefined],
        ["oauth-client.update", "Reporting", "New"],
        ["oauth-client.create", undefined, "Reporting"],
      ],
    );
  });
});

describe("OAuth clients where people sign in at another issuer", () => {
  const api = shareApi({ env: { AUTH_ISSUER: "https://login.example" } });

  it("409: are not registered or changed here, and the answer says where", async () => {
    const key = api().operatorKey;
    for (const sent of [
      await api().post(PATH, { key, body: BODY }),
      await api().put(MISSING, { key, body: BODY }),
    ]) {
      assert.equal(sent.status, 409, sent.text);
      assert.equal(sent.body.code, "oauth-client.other-issuer");
      assert.match(sent.body.detail, /'https:\/\/login\.example'.*register the client there/);
    }
    const list = await api().get(PATH, { key });
    assert.deepEqual([list.status, list.body], [200, []]);
    assert.equal((await api().delete(MISSING, { key })).status, 404);
  });
});
