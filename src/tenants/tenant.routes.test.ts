import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";

const FILES = { "tenant.yml": "name: Acme\n" };

describe("PUT /api/tenants/:tenantId (tenant.put)", () => {
  const api = shareApi();
  const put = (tenantId: string, body: unknown, more: object = {}) =>
    api().put(`/api/tenants/${tenantId}`, { key: api().operatorKey, body, ...more });

  it("201: creates a tenant, tells what was added and its ETag", async () => {
    const sent = await put("acme", { files: FILES, message: "first" });
    assert.equal(sent.status, 201);
    assert.equal(sent.headers.get("etag"), '"1"');
    assert.equal(sent.headers.get("location"), "/api/tenants/acme");
    assert.deepEqual(sent.body, {
      tenantId: "acme",
      version: 1,
      changes: [{ path: "tenant.yml", change: "added" }],
      warnings: [],
    });
  });

  it("200: replaces the whole set and tells each file's change", async () => {
    await put("shop", { files: { ...FILES, "a.txt": "a", "b.txt": "b" } });
    const sent = await put("shop", {
      files: { "tenant.yml": "name: Shop\n", "a.txt": "a", "c.txt": { base64: "AAEC" } },
    });
    assert.equal(sent.status, 200);
    assert.deepEqual(sent.body.changes, [
      { path: "b.txt", change: "removed" },
      { path: "c.txt", change: "added" },
      { path: "tenant.yml", change: "changed" },
    ]);
  });

  it("writes one event and one audit row per version", async () => {
    await put("traced", { files: FILES, message: "why" });
    const events = await api().sql("select name, data from event where tenant_id = 'traced'");
    assert.equal(events.length, 1);
    assert.equal(events[0]?.name, "configuration.published");
    const audit = await api().sql("select op, target from audit where tenant_id = 'traced'");
    assert.deepEqual(audit, [{ op: "tenant.put", target: "tenant:traced" }]);
  });

  it("409: of ten at once with other content one wins, and history has no gap", async () => {
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        put("race", { files: { "tenant.yml": `name: Racer ${index}\n` } }),
      ),
    );
    assert.equal(sent.filter(({ status }) => status === 201).length, 1);
    assert.ok(sent.every(({ status }) => [200, 201, 409].includes(status)));
    const { body } = await api().get("/api/tenants/race/config/history", {
      key: api().operatorKey,
    });
    const versions = body.map(({ version }: { version: number }) => version);
    assert.deepEqual(
      versions,
      versions.map((_: number, index: number) => versions.length - index),
    );
    const won = sent.filter(({ status }) => status !== 409);
    assert.equal(won.length, versions.length);
  });

  it("412: If-Match of an older version changes nothing", async () => {
    await put("match", { files: FILES });
    await put("match", { files: { "tenant.yml": "name: Two\n" } });
    const stale = await put("match", { files: FILES }, { headers: { "if-match": '"1"' } });
    assert.equal(stale.status, 412);
    const current = await put("match", { files: FILES }, { headers: { "if-match": '"2"' } });
    assert.equal(current.status, 200);
  });

  const refused: [string, unknown, string][] = [
    ["no files", { files: {} }, "files"],
    ["no tenant.yml", { files: { "a.yml": "" } }, "tenant.yml"],
    ["tenant.yml without a name", { files: { "tenant.yml": "locale: en\n" } }, "tenant.yml"],
    ["tenant.yml that is no YAML", { files: { "tenant.yml": "a: [1" } }, "tenant.yml"],
    ["an alias in tenant.yml", { files: { "tenant.yml": "name: &a x\nb: *a\n" } }, "tenant.yml"],
    [
      "a limit of zero",
      { files: { "tenant.yml": "name: x\nrateLimits: {default: {limit: 0, windowSeconds: 1}}" } },
      "tenant.yml",
    ],
    ["a path that climbs", { files: { ...FILES, "../x": "" } }, "../x"],
    ["an absolute path", { files: { ...FILES, "/etc/x": "" } }, "/etc/x"],
    ["a backslash", { files: { ...FILES, "a\\b": "" } }, "a\\b"],
    ["an unknown property", { files: FILES, extra: 1 }, "extra"],
  ];
  for (const [what, body, field] of refused) {
    it(`400: ${what}, naming ${field}`, async () => {
      const sent = await put("bad", body);
      assert.equal(sent.status, 400, sent.text);
      assert.ok(field in sent.body.errors, sent.text);
    });
  }

  it("400: ids of the API itself and ids of another shape", async () => {
    const reserved = await put("warmup", { files: FILES });
    assert.equal(reserved.status, 400);
    assert.equal(reserved.body.code, "tenant.id-reserved");
    assert.deepEqual(reserved.body.errors, { tenantId: ["must not be a word of the API itself"] });
    for (const id of ["a", "Acme", "-x", "x".repeat(64), "a_b"]) {
      const sent = await put(id, { files: FILES });
      assert.equal(sent.status, 400, id);
      assert.ok("tenantId" in sent.body.errors, id);
    }
  });

  it("403: a key without the scope, and 401 for a key of another tenant, existing or not", async () => {
    await api().seed.tenant("owner");
    const reader = await api().seed.key("owner", "TenantConfiguration.Read");
    const writer = await api().seed.key("owner", "TenantConfiguration.Write");
    const body = { files: FILES };
    assert.equal((await put("owner", body, { key: reader })).status, 403);
    assert.equal((await put("owner", body, { key: writer })).status, 200);
    assert.equal((await put("acme", body, { key: writer })).status, 401);
    assert.equal((await put("not-there", body, { key: writer })).status, 401);
    assert.equal((await put("owner", body, { key: undefined })).status, 401);
  });
});

describe("GET /api/tenants (tenant.list)", () => {
  const api = shareApi();

  it("200: lists all with the total, pages and sorts", async () => {
    const { get, operatorKey: key, seed } = api();
    for (const id of ["aa", "bb", "cc", "dd", "ee"]) await seed.tenant(id);
    const first = await get(
      "/api/tenants?pageSize=2&sortBy[0].field=tenantId&sortBy[0].direction=DESC",
      { key },
    );
    assert.equal(first.status, 200);
    assert.equal(first.headers.get("x-pagination-total"), "5");
    assert.deepEqual(
      first.body.map(({ tenantId }: { tenantId: string }) => tenantId),
      ["ee", "dd"],
    );

    const seen = [...first.body];
    for (let link = first.headers.get("link"); link !== null; ) {
      const path = /^<(.+)>; rel="next"$/.exec(link)?.[1] ?? "";
      const next = await get(path, { key });
      assert.equal(next.status, 200, next.text);
      seen.push(...next.body);
      link = next.headers.get("link");
    }
    assert.deepEqual(
      seen.map(({ tenantId }) => tenantId),
      ["ee", "dd", "cc", "bb", "aa"],
    );
  });

  it("200: filters by name", async () => {
    const { get, operatorKey: key, seed } = api();
    await seed.tenant("named", { "tenant.yml": "name: Find me 100%\n" });
    const query = "filter[0].field=name&filter[0].operator=contains&filter[0].value=100%25";
    const found = await get(`/api/tenants?${query}`, { key });
    assert.deepEqual(
      found.body.map(({ name }: { name: string }) => name),
      ["Find me 100%"],
    );
  });

  it("400: a field or operator that does not exist", async () => {
    const { get, operatorKey: key } = api();
    const sent = await get(
      "/api/tenants?filter[0].field=secret&filter[0].operator=equals&filter[0].value=1",
      { key },
    );
    assert.equal(sent.status, 400);
    assert.ok("filter[0].field" in sent.body.errors);
  });

  it("403: for everyone but Global Administrators, 401 without a key", async () => {
    const { get, seed } = api();
    await seed.tenant("tt");
    const key = await seed.key("tt", "TenantConfiguration.Read");
    const sent = await get("/api/tenants", { key });
    assert.equal(sent.status, 403);
    assert.equal(sent.body.requiredRole, "Global Administrator");
    assert.equal((await get("/api/tenants")).status, 401);
  });
});
