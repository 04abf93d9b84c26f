import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await api.seed.tenant("acme");
await api.seed.tenant("rival");

type Store = {
  id: string;
  name: string;
  address?: string;
  text?: string;
  location?: { latitude: number; longitude: number };
};

/** Every JSON text is valid YAML. */
const fileOf = (stores: readonly Store[]) => JSON.stringify({ stores });

async function publish(stores: readonly Store[] | null, more: Record<string, unknown> = {}) {
  const files = { ...more, "server/stores.yml": stores === null ? null : fileOf(stores) };
  const answer = await api.patch("/api/tenants/acme", { key, body: { files } });
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer.body;
}

/** The sequence of the last event that `newEvents` returned. */
let told = 0;
async function newEvents() {
  const rows = await api.sql(
    `select name, data, previous, sequence from event
      where tenant_id = 'acme' and name like 'store.%' and sequence > $1 order by sequence`,
    [told],
  );
  told = Number(rows.at(-1)?.sequence ?? told);
  return rows.map(({ name, data, previous }) => ({ name, data, previous }));
}

const list = async (query = "") => (await api.get(`/api/acme/stores${query}`, { key })).body;

const PARIS: Store = {
  id: "paris",
  name: "Paris",
  address: "1 quai de Seine",
  location: { latitude: 48.85, longitude: 2.35 },
  text: "Come in",
};
const LYON: Store = { id: "lyon.2", name: "Lyon" };
const NICE: Store = { id: "Nice_1", name: "Nice" };

describe("publishing server/stores.yml", () => {
  it("tells which stores are new, changed and gone, with what they were", async () => {
    await publish([PARIS, LYON]);
    assert.deepEqual(await newEvents(), [
      { name: "store.paris.created", data: PARIS, previous: null },
      { name: "store.lyon.2.created", data: LYON, previous: null },
    ]);
    const moved = { ...PARIS, address: "2 quai de Seine" };
    await publish([NICE, moved]);
    assert.deepEqual(await newEvents(), [
      { name: "store.lyon.2.deleted", data: LYON, previous: null },
      { name: "store.paris.updated", data: moved, previous: PARIS },
      { name: "store.Nice_1.created", data: NICE, previous: null },
    ]);
    assert.deepEqual(await list(), [NICE, moved]);
  });

  it("tells nothing where the stores stay as they are, in whatever order and form", async () => {
    await publish([PARIS, NICE]);
    await newEvents();
    await publish([NICE, PARIS]);
    const body = { files: { "images/note.txt": "another file" } };
    assert.equal((await api.patch("/api/tenants/acme", { key, body })).status, 200);
    assert.deepEqual(await newEvents(), []);
  });

  it("tells nothing of drafts before they are published, and of a rollback as of any version", async () => {
    const { version } = await publish([PARIS]);
    await newEvents();
    const body = { files: { "server/stores.yml": fileOf([PARIS, LYON]) } };
    await api.patch("/api/tenants/acme?publish=false", { key, body });
    assert.deepEqual([await newEvents(), await list()], [[], [PARIS]]);
    await api.post("/api/tenants/acme/publish", { key, body: {} });
    assert.deepEqual(
      (await newEvents()).map(({ name }) => name),
      ["store.lyon.2.created"],
    );
    await api.post("/api/tenants/acme/config/rollback", { key, body: { version } });
    assert.deepEqual(
      (await newEvents()).map(({ name }) => name),
      ["store.lyon.2.deleted"],
    );
  });

  it("finds the change among more files than the event of the publication names", async () => {
    await publish([]);
    await newEvents();
    const others = Array.from({ length: 250 }, (_, at) => [`images/a${at}.txt`, "x"]);
    await publish([NICE], Object.fromEntries(others));
    assert.deepEqual(
      (await newEvents()).map(({ name }) => name),
      ["store.Nice_1.created"],
    );
  });

  it("tells of all of them when the file goes", async () => {
    await publish([PARIS, NICE]);
    await newEvents();
    await publish(null);
    assert.deepEqual(
      (await newEvents()).map(({ name }) => name),
      ["store.Nice_1.deleted", "store.paris.deleted"],
    );
    assert.deepEqual(await list(), []);
  });

  it("400: a file that is refused changes nothing", async () => {
    await publish([PARIS]);
    await newEvents();
    const body = { files: { "server/stores.yml": fileOf([LYON, LYON]) } };
    assert.equal((await api.patch("/api/tenants/acme", { key, body })).status, 400);
    assert.deepEqual([await newEvents(), await list()], [[], [PARIS]]);
  });

  it("takes as many as a file holds, each told once", async () => {
    const many = Array.from({ length: 4_000 }, (_, at) => ({ id: `s${at}`, name: "S" }));
    await publish(many);
    assert.equal((await newEvents()).length, 4_001);
    await publish(many.map((store, at) => (at === 7 ? { ...store, name: "Seven" } : store)));
    assert.deepEqual(
      (await newEvents()).map(({ name }) => name),
      ["store.s7.updated"],
    );
    await publish([PARIS]);
    assert.equal((await newEvents()).length, 4_001);
  });
});

describe("GET /api/:tenantId/stores (store.list)", () => {
  it("200: by id, filtered and page by page", async () => {
    await publish([PARIS, LYON, NICE]);
    const page = await api.get("/api/acme/stores?pageSize=2", { key });
    assert.deepEqual([page.status, page.body], [200, [NICE, LYON]]);
    assert.equal(page.headers.get("x-pagination-total"), "3");
    const north =
      "?filter[0].field=location.latitude&filter[0].operator=greaterThan&filter[0].value=48.8";
    assert.deepEqual(await list(north), [PARIS]);
    assert.deepEqual((await api.get("/api/rival/stores", { key })).body, []);
  });
});

describe("GET /api/:tenantId/stores/:storeId (store.get)", () => {
  it("200: with a version that changes when the store does", async () => {
    await publish([PARIS, LYON]);
    const read = () => api.get("/api/acme/stores/paris", { key });
    const first = await read();
    assert.deepEqual([first.status, first.body], [200, PARIS]);
    await publish([PARIS, { ...LYON, name: "Lyon 2" }]);
    assert.equal((await read()).headers.get("etag"), first.headers.get("etag"));
    await publish([{ ...PARIS, name: "Paris 2" }]);
    assert.notEqual((await read()).headers.get("etag"), first.headers.get("etag"));
  });

  it("200: not 304 for a store that was removed and added with other contents", async () => {
    const read = (etag: string) =>
      api.get("/api/acme/stores/s9", { key, headers: { "if-none-match": etag } });
    await publish([{ id: "s9", name: "First" }]);
    const etag = (await read('"none"')).headers.get("etag") ?? "";
    assert.equal((await read(etag)).status, 304);
    await publish([PARIS]);
    await publish([{ id: "s9", name: "Second" }]);
    const second = await read(etag);
    assert.deepEqual([second.status, second.body.name], [200, "Second"]);
    await publish([{ id: "s9", name: "First" }]);
    assert.equal((await read(etag)).status, 304);
  });

  it("404: another tenant's store looks exactly like one that does not exist", async () => {
    await publish([PARIS]);
    const reader = await api.seed.key("rival", "TenantConfiguration.Read");
    for (const id of ["paris", "nowhere"]) {
      const { status, body } = await api.get(`/api/rival/stores/${id}`, { key: reader });
      assert.deepEqual([status, body.code], [404, "store.not-found"]);
    }
  });
});
