import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { allRoutes } from "#main/modules.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

const TENANT = "harbour";

/** The lists for which the specification has no paging parameters, as far as they exist. */
const WHOLE_LISTS = [
  "api-key.list",
  "device.list",
  "oauth-client.list",
  "privilege.list",
  "privilege.list-by-identifier",
  "secret.list",
  "tenant.list",
  "webhook.list",
];

describe("lists that the specification gives without paging", () => {
  const api = shareApi();
  const get = (path: string) => api().get(path, { key: api().operatorKey });

  before(() => api().seed.tenant(TENANT));

  async function makeWebhooks(count: number): Promise<void> {
    const body = { events: ["pass.*"], endpoint: "https://hooks.harbour.example/" };
    for (let made = 0; made < count; made += 1) {
      const sent = await api().post(`/api/${TENANT}/webhooks`, { key: api().operatorKey, body });
      assert.equal(sent.status, 200, sent.text);
    }
  }

  async function makeSecrets(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) {
      const path = `/api/${TENANT}/secrets/secret-${String(made).padStart(2, "0")}`;
      await api().put(path, { key: api().operatorKey, body: { value: "x" } });
    }
  }

  async function makeKeys(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) await api().seed.key(TENANT, "Pass.Read");
  }

  it("are declared as such, each of them and no other", () => {
    const whole = allRoutes().filter(({ list }) => list?.paging === "when-asked");
    assert.deepEqual(whole.map(({ op }) => op).sort(), WHOLE_LISTS);
  });

  it("200: the 21st webhook, API key and secret are there", async () => {
    await Promise.all([makeWebhooks(21), makeKeys(21), makeSecrets(21)]);
    for (const path of ["webhooks", "admin/apiKeys", "secrets"]) {
      const { status, body, headers } = await get(`/api/${TENANT}/${path}`);
      assert.equal(status, 200);
      assert.equal(body.length, 21, path);
      assert.equal(headers.get("x-pagination-total"), "21");
      assert.equal(headers.get("link"), null);
    }
  });

  it("200: filters and orders do not ask for a page", async () => {
    const { body } = await get(
      `/api/${TENANT}/secrets?sortBy[0].field=key&sortBy[0].direction=DESC`,
    );
    assert.equal(body.length, 21);
    assert.equal(body[0].key, "secret-20");
  });

  it("200: a page is given when one is asked for", async () => {
    const sizes = [
      ["pageSize=5", 5],
      ["pageIndex=0", 20],
      ["pageIndex=1", 1],
      ["pageIndex=1&pageSize=20", 1],
    ] as const;
    for (const [query, size] of sizes) {
      const { body } = await get(`/api/${TENANT}/secrets?${query}`);
      assert.equal(body.length, size, query);
    }
  });

  it("200: up to 1,000, and then a link to the others", async () => {
    await api().sql(
      `insert into tenant (id, name, version, settings, created_at, updated_at)
       select 'many-' || lpad(n::text, 4, '0'), 'Many', 1, '{}', now(), now()
         from generate_series(1, 1004) as n`,
    );
    const first = await get("/api/tenants");
    assert.equal(first.body.length, 1000);
    assert.equal(first.headers.get("x-pagination-total"), "1005");
    const [, next = ""] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await get(next);
    assert.equal(second.body.length, 5);
    assert.equal(second.headers.get("link"), null);
    const ids = [...first.body, ...second.body].map(({ tenantId }) => tenantId);
    assert.equal(new Set(ids).size, 1005);
  });

  it("200: other lists go on page by page", async () => {
    assert.equal((await get(`/api/${TENANT}/admin/audit`)).body.length, 20);
  });
});

describe("filters and orders of a list", () => {
  const api = shareApi();
  const ids: string[] = [];
  const list = (query: string) =>
    api().get(`/api/${TENANT}/passes?${query}`, { key: api().operatorKey });
  const filter = (field: string, operator: string, value?: string) =>
    `filter[0].field=${field}&filter[0].operator=${operator}${value === undefined ? "" : `&filter[0].value=${value}`}`;

  before(async () => {
    await seedPassTenant(api(), TENANT);
    for (const tier of ["Deck", "Bridge"]) {
      const { id } = await seedPass(api(), TENANT, { additionalData: { tier } });
      ids.push(id);
    }
    const bare = await seedPass(api(), TENANT);
    ids.push(bare.id);
  });

  it("400: a value that the field can never have, with those it can", async () => {
    const { status, body } = await list(filter("status", "equals", "Active"));
    assert.equal(status, 400);
    assert.deepEqual(body.errors, {
      "filter[0].value": ["must be one of 'active', 'disabled', 'expired'"],
    });
  });

  it("400: the same for every field with a fixed set of values, in every list", async () => {
    const fields = [
      [`/api/${TENANT}/passes`, "status", "active"],
      [`/api/${TENANT}/passes`, "installationStatus", "none"],
      [`/api/${TENANT}/passes`, "apple", "installed"],
      [`/api/${TENANT}/passes`, "google", "uninstalled"],
      [`/api/${TENANT}/jobs`, "state", "completed"],
      [`/api/${TENANT}/devices`, "status", "connected"],
      [`/api/${TENANT}/admin/audit`, "actorKind", "api-key"],
      ["/api/audit", "actorKind", "operator"],
      ["/api/administrators", "role", "global"],
    ] as const;
    for (const [path, field, known] of fields) {
      for (const operator of ["equals", "notEquals"]) {
        const key = api().operatorKey;
        const wrong = await api().get(`${path}?${filter(field, operator, "Nonsense")}`, { key });
        assert.equal(wrong.status, 400, `${path} ${field}`);
        assert.match(wrong.body.errors["filter[0].value"][0], new RegExp(`one of .*'${known}'`));
        const right = await api().get(`${path}?${filter(field, operator, known)}`, { key });
        assert.equal(right.status, 200, right.text);
      }
    }
  });

  it("400: the states of deliveries as well", async () => {
    const key = api().operatorKey;
    const body = { events: ["pass.*"], endpoint: "https://hooks.harbour.example/" };
    const { id } = (await api().post(`/api/${TENANT}/webhooks`, { key, body })).body;
    const path = `/api/${TENANT}/webhooks/${id}/deliveries`;
    const wrong = await api().get(`${path}?${filter("state", "equals", "done")}`, { key });
    assert.match(wrong.body.errors["filter[0].value"][0], /one of 'pending', .*'delivered'/);
    const right = await api().get(`${path}?${filter("state", "equals", "delivered")}`, { key });
    assert.equal(right.status, 200);
  });

  it("400: a field that does not exist, or cannot be sorted by, with those that can", async () => {
    const fields =
      "id, passType, status, creationDate, lastUpdateDate, expirationDate, installationStatus, apple, google, identifiers.*, additionalData.*, metadata.*";
    const filtered = await list(filter("colour", "equals", "red"));
    assert.deepEqual(filtered.body.errors, { "filter[0].field": [`must be one of ${fields}`] });
    const sorted = await list("sortBy[0].field=colour");
    assert.deepEqual(sorted.body.errors, { "sortBy[0].field": [`must be one of ${fields}`] });
    const stores = await api().get(`/api/${TENANT}/stores?sortBy[0].field=address`, {
      key: api().operatorKey,
    });
    assert.deepEqual(stores.body.errors, {
      "sortBy[0].field": ["must be one of id, name, location.latitude, location.longitude"],
    });
  });

  it("400: a part that no value has; 200: one that some have", async () => {
    assert.equal((await list(filter("status", "startsWith", "act"))).body.length, 3);
    assert.equal((await list(filter("status", "contains", "tiv"))).body.length, 3);
    const { status, body } = await list(filter("status", "startsWith", "Act"));
    assert.equal(status, 400);
    assert.deepEqual(body.errors, {
      "filter[0].value": ["must be the beginning of one of 'active', 'disabled', 'expired'"],
    });
  });

  it("400: the same filter in the body of PATCH /passes", async () => {
    const { status, body } = await api().patch(`/api/${TENANT}/passes`, {
      key: api().operatorKey,
      body: {
        filter: [{ field: "status", operator: "equals", value: "Active" }],
        additionalData: { tier: "Deck" },
      },
    });
    assert.equal(status, 400);
    assert.deepEqual(body.errors, {
      "filter[0].value": ["must be one of 'active', 'disabled', 'expired'"],
    });
  });

  it("200: an order without a direction goes upwards", async () => {
    const { body } = await list("sortBy[0].field=id");
    assert.deepEqual(
      body.map(({ id }: { id: string }) => id),
      ids.toSorted(),
    );
    const next = await list("sortBy[0].field=id&pageSize=2");
    assert.match(next.headers.get("link") ?? "", /rel="next"/);
  });

  it("200: exists without a value finds those that have one", async () => {
    const found = await list(filter("additionalData.tier", "exists"));
    assert.equal(found.body.length, 2);
    const others = await list(filter("additionalData.tier", "exists", "false"));
    assert.equal(others.body.length, 1);
    const { status, body } = await api().patch(`/api/${TENANT}/passes`, {
      key: api().operatorKey,
      body: {
        filter: [{ field: "additionalData.tier", operator: "exists" }],
        additionalData: { tier: "Bridge" },
      },
    });
    assert.equal(status, 202);
    assert.equal(body.matched, 2);
  });

  it("400: other operators need a value, in the body too", async () => {
    const { body } = await list(filter("additionalData.tier", "equals"));
    assert.deepEqual(body.errors, { "filter[0].value": ["is required"] });
    const sent = await api().patch(`/api/${TENANT}/passes`, {
      key: api().operatorKey,
      body: {
        filter: [{ field: "additionalData.tier", operator: "equals" }],
        additionalData: { tier: "Bridge" },
      },
    });
    assert.deepEqual(sent.body.errors, { "filter[0].value": ["is required"] });
  });
});
