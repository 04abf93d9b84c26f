import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type FilterWords as Filter, listWords } from "#test/support/list-words.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
await seedPassTenant(api, "acme");
await seedPassTenant(api, "rival");
const key = await api.seed.key("acme", "Pass.Read");
const writer = await api.seed.key("acme", "Pass.Read", "Pass.Write");

/** Passes in the order of their creation; tests refer to them by letter. */
const seeded = new Map<string, Awaited<ReturnType<typeof seedPass>>>();
for (const [letter, points, tier] of [
  ["a", 5, "Deck"],
  ["b", 10, "Bridge"],
  ["c", 100, "Deck"],
] as const) {
  const crm = { "crm.id": `C-${letter}_%` };
  const additionalData = { points, tier, firstName: `Name ${letter}` };
  seeded.set(letter, await seedPass(api, "acme", { identifiers: crm, additionalData }));
}
const coupon = await api.post("/api/acme/passes?passType=coupon", {
  key: writer,
  body: {
    additionalData: {
      vip: true,
      points: "9",
      address: { city: "Brest" },
      "a.b": "x",
      list: ["one", "two"],
      tag: "[new]",
    },
  },
});
seeded.set("d", coupon.body);
await seedPass(api, "rival", { additionalData: { tier: "Deck" } });

function idOf(letter: string): string {
  return seeded.get(letter)?.id ?? "";
}

function query(filters: readonly Filter[], more: Record<string, string> = {}): string {
  return `/api/acme/passes?${new URLSearchParams({ ...listWords(filters), ...more })}`;
}

/** The letters of the passes in a list, in its order. */
async function list(filters: readonly Filter[], more: Record<string, string> = {}) {
  const res = await api.get(query(filters, more), { key });
  assert.equal(res.status, 200, res.text);
  const letters = new Map([...seeded].map(([letter, { id }]) => [id, letter]));
  const found = res.body.map(({ id }: { id: string }) => letters.get(id) ?? "?").join("");
  if (more.cursor === undefined && more.pageSize === undefined) {
    assert.equal(res.headers.get("x-pagination-total"), String(found.length));
    assert.equal(res.headers.get("x-pagination-total-is"), "exact");
  }
  return { found, next: /cursor=([\w-]+)/.exec(res.headers.get("link") ?? "")?.[1], res };
}

describe("GET /api/:tenantId/passes (pass.list)", () => {
  it("200: the newest first, and only the own ones", async () => {
    assert.equal((await list([])).found, "dcba");
  });

  it("200: the secret and the links only for those who may write", async () => {
    const { res } = await list([]);
    assert.ok(res.body.every((pass: object) => !("secret" in pass || "links" in pass)));
    const written = await api.get("/api/acme/passes", { key: writer });
    const { secret, links } = written.body.at(-1);
    const known = seeded.get("a");
    assert.deepEqual([secret, links], [known?.secret, known?.links]);
  });

  it("200: every kind of field by every operator", async () => {
    const state = { installedAt: null, uninstalledAt: null, devices: 0 };
    await api.sql(
      `update pass set providers = $2, metadata = '{"segment": "gold", "score": 7}',
              expires_at = '2030-01-01T00:00:00Z' where id = $1`,
      [idOf("a"), { apple: { ...state, status: "installed" } }],
    );
    await api.sql("update pass set providers = $2, status = 'disabled' where id = $1", [
      idOf("b"),
      { google: { ...state, status: "uninstalled" } },
    ]);
    const created = (await api.get(`/api/acme/passes/${idOf("b")}`, { key })).body.creationDate;
    const cases: readonly [string, ...Filter[]][] = [
      ["b", ["id", "equals", idOf("b")]],
      ["dca", ["id", "notEquals", idOf("b")]],
      ["dc", ["id", "greaterThan", idOf("b")]],
      ["a", ["id", "lessThan", idOf("b")]],
      ["dcba", ["id", "startsWith", "ps_"]],
      ["d", ["passType", "equals", "coupon"]],
      ["cba", ["passType", "contains", "oyal"]],
      ["", ["passType", "equals", "nothing"]],
      ["b", ["status", "equals", "disabled"]],
      ["ca", ["status", "equals", "active"], ["passType", "equals", "loyalty"]],
      ["b", ["creationDate", "equals", created]],
      ["dc", ["creationDate", "greaterThan", created]],
      ["a", ["lastUpdateDate", "lessThan", created]],
      ["", ["creationDate", "greaterThan", "2999-01-01"]],
      ["a", ["expirationDate", "greaterThan", "2029-12-31"]],
      ["d", ["expirationDate", "exists", "false"]],
      ["b", ["identifiers.crm.id", "equals", "C-b_%"]],
      ["dca", ["identifiers.crm.id", "notEquals", "C-b_%"]],
      ["cba", ["identifiers.crm.id", "exists", "true"]],
      ["c", ["identifiers.crm.id", "contains", "c_%"]],
      ["cba", ["identifiers.crm.id", "startsWith", "C-"]],
      ["ca", ["additionalData.tier", "equals", "Deck"]],
      ["db", ["additionalData.tier", "notEquals", "Deck"]],
      ["b", ["additionalData.points", "equals", "10"]],
      // One of the values is the text "9", which comes after "50".
      ["dc", ["additionalData.points", "greaterThan", "50"]],
      ["ba", ["additionalData.points", "lessThan", "50"]],
      ["d", ["additionalData.points", "equals", "9"]],
      ["d", ["additionalData.vip", "equals", "true"]],
      ["d", ["additionalData.address.city", "equals", "Brest"]],
      ["d", ["additionalData.address.city", "startsWith", "Br"]],
      ["d", ["additionalData.a.b", "equals", "x"]],
      ["", ["additionalData.address", "equals", "Brest"]],
      ["d", ["additionalData.vip", "exists", "true"]],
      ["d", ["additionalData.list.0", "equals", "one"]],
      ["d", ["additionalData.list. -1", "equals", "two"]],
      ["cba", ["additionalData.list. 0", "notEquals", "one"]],
      ["d", ["additionalData.list", "exists", "true"]],
      ["d", ["additionalData.tag", "equals", "[new]"]],
      ["a", ["metadata.segment", "equals", "gold"]],
      ["a", ["metadata.score", "greaterThan", "6.5"]],
      ["a", ["installationStatus", "equals", "installed"]],
      ["dc", ["installationStatus", "equals", "none"]],
      ["a", ["apple", "equals", "installed"]],
      ["dcb", ["apple", "equals", "none"]],
      ["b", ["google", "equals", "uninstalled"]],
      ["dca", ["google", "notEquals", "uninstalled"]],
    ];
    for (const [expected, ...filters] of cases) {
      assert.equal((await list(filters)).found, expected, JSON.stringify(filters));
    }
  });

  it("200: sorted by any field, numbers as numbers", async () => {
    const sorted = (field: string, direction: string) =>
      list([], { "sortBy[0].field": field, "sortBy[0].direction": direction });
    assert.equal((await sorted("creationDate", "ASC")).found, "abcd");
    assert.equal((await sorted("id", "ASC")).found, "abcd");
    assert.equal((await sorted("additionalData.points", "ASC")).found, "dabc");
    assert.equal((await sorted("additionalData.tier", "ASC")).found, "bacd");
    assert.equal((await sorted("passType", "ASC")).found, "dabc");
    assert.equal((await sorted("identifiers.crm.id", "DESC")).found, "cbad");
    assert.equal((await sorted("apple", "ASC")).found, "abcd");
    assert.equal((await sorted("additionalData.list. 0", "ASC")).found, "dabc");
    assert.equal((await sorted("additionalData.list", "DESC")).found, "dcba");
  });

  it("200: a walk by cursor meets each pass once, in whatever order", async () => {
    for (const field of ["lastUpdateDate", "additionalData.points", "metadata.segment", "google"]) {
      for (const direction of ["ASC", "DESC"]) {
        const order = { "sortBy[0].field": field, "sortBy[0].direction": direction };
        const whole = (await list([], order)).found;
        let walked = "";
        let cursor: string | undefined;
        do {
          const more = cursor === undefined ? { pageSize: "1" } : { pageSize: "1", cursor };
          const page = await list([], { ...order, ...more });
          walked += page.found;
          cursor = page.next;
        } while (cursor !== undefined);
        assert.equal(walked, whole, `${field} ${direction}`);
      }
    }
    assert.equal((await list([], { pageSize: "2", pageIndex: "1" })).found, "ba");
  });

  it("400: names the field of a filter, sort or page that does not exist", async () => {
    const cases: readonly [string, string][] = [
      [query([["secret", "equals", "x"]]), "filter[0].field"],
      [query([["identifiers.", "equals", "x"]]), "filter[0].field"],
      [query([["status", "like", "x"]]), "filter[0].operator"],
      [query([["creationDate", "contains", "2026"]]), "filter[0].operator"],
      [query([["creationDate", "equals", "yesterday"]]), "filter[0].value"],
      [
        query([], { "sortBy[0].field": "version", "sortBy[0].direction": "ASC" }),
        "sortBy[0].field",
      ],
      [query([], { "sortBy[0].field": "id", "sortBy[0].direction": "up" }), "sortBy[0].direction"],
      [query([], { pageSize: "501" }), "pageSize"],
      [query([], { cursor: "WyJ4Il0" }), "cursor"],
      [query([], { colour: "red" }), "colour"],
    ];
    for (const [url, field] of cases) {
      const res = await api.get(url, { key });
      assert.equal(res.status, 400, url);
      assert.deepEqual(Object.keys(res.body.errors), [field], url);
    }
  });

  it("403: a key that may not read passes", async () => {
    const other = await api.seed.key("acme", "Pass.Write");
    assert.equal((await api.get("/api/acme/passes", { key: other })).status, 403);
  });
});

describe("the total of a list", () => {
  it("follows creates, changes and erasures at once, also of what the counters tell", async () => {
    const total = async (...filters: Filter[]) => {
      const res = await api.get(query(filters), { key });
      return Number(res.headers.get("x-pagination-total"));
    };
    const active: Filter = ["status", "equals", "active"];
    const [all, before] = [await total(), await total(active)];
    const made = await seedPass(api, "acme", { additionalData: { tier: "Bridge" } });
    assert.deepEqual([await total(), await total(active)], [all + 1, before + 1]);
    await api.sql(
      "update pass set status = 'disabled', data = data || '{\"tier\": \"Deck\"}' where id = $1",
      [made.id],
    );
    assert.deepEqual([await total(), await total(active)], [all + 1, before]);
    assert.equal(
      await total(["id", "equals", made.id], ["additionalData.tier", "equals", "Deck"]),
      1,
    );
    assert.equal(
      await total(["id", "equals", made.id], ["additionalData.tier", "equals", "Bridge"]),
      0,
    );
    const gone = await api.delete(`/api/acme/passes/${made.id}`, { key: writer });
    assert.equal(gone.status, 204);
    assert.deepEqual([await total(), await total(active)], [all, before]);
    const [left] = await api.sql("select count(*)::int as n from pass_term where pass_id = $1", [
      made.id,
    ]);
    assert.equal(left?.n, 0);
  });
});
