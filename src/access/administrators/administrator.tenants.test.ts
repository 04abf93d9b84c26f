import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { accessToken, createFirstAdministrator, joinByInvitation } from "#test/support/people.ts";
import { shareApi, type TestApi } from "#test/support/start-api.ts";

const BASE_URL = "http://passes.example.com:8080";
const ADMINISTRATORS = "/api/administrators";

/** A tenant administrator with a token, and what they are asked for. */
async function joinTenants(api: TestApi, name: string, tenants: readonly string[]) {
  const person = { email: `${name}@example.com`, name, role: "tenant", tenants } as const;
  const { id, browser } = await joinByInvitation(api, person);
  return { id, person, browser, bearer: await accessToken(api, browser) };
}

describe("a tenant that ends takes the rights in it along", () => {
  const api = shareApi({ env: { BASE_URL } });
  const key = () => api().operatorKey;

  before(() => createFirstAdministrator(api()));

  const isErased = async (id: string) =>
    (await api().sql("select from tenant where id = $1", [id])).length === 0;

  /** The id is free when the rows of the tenant are erased. */
  async function replaceTenant(id: string): Promise<void> {
    assert.equal((await api().delete(`/api/tenants/${id}`, { key: key() })).status, 204);
    while (!(await isErased(id))) await new Promise((resolve) => setTimeout(resolve, 20));
    await api().seed.tenant(id);
    const body = { value: "of the new tenant" };
    const put = await api().put(`/api/${id}/secrets/NEW`, { key: key(), body });
    assert.equal(put.status, 201);
  }

  it("403: in a new tenant of the same id, for a token of before, on every node", async () => {
    const other = await api().node();
    for (const id of ["gone", "stays"]) await api().seed.tenant(id);
    const { id, bearer } = await joinTenants(api(), "bob", ["gone", "stays"]);
    for (const node of [api(), other]) {
      assert.equal((await node.get("/api/gone/secrets", { bearer })).status, 200);
    }
    await replaceTenant("gone");
    assert.equal((await api().get("/api/gone/secrets/NEW", { bearer })).status, 403);
    assert.equal((await api().get("/api/stays/secrets", { bearer })).status, 200);
    const read = await api().get(`${ADMINISTRATORS}/${id}`, { key: key() });
    assert.deepEqual([read.body.tenants, read.body.version], [["stays"], 3]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal((await other.get("/api/gone/secrets/NEW", { bearer })).status, 403);
  });

  it("204: is in the audit trail of the installation, with what the administrator had", async () => {
    for (const id of ["noted", "others"]) await api().seed.tenant(id);
    const { id } = await joinTenants(api(), "ann", ["noted", "others"]);
    await replaceTenant("noted");
    const filter = `filter[0].field=target&filter[0].operator=equals&filter[0].value=administrator:${id}`;
    const { body } = await api().get(`/api/audit?${filter}`, { key: key() });
    const entry = body.find(({ op }: { op: string }) => op === "tenant.delete");
    assert.deepEqual(
      [entry.before.tenants, entry.after.tenants],
      [["noted", "others"], ["others"]],
    );
    const tenants = await api().get(`/api/noted/admin/audit?${filter}`, { key: key() });
    assert.deepEqual(tenants.body, []);
  });

  it("200: an administrator without a tenant left signs in, and sees that there is none", async () => {
    await api().seed.tenant("alone");
    const { id, person, bearer, browser } = await joinTenants(api(), "eve", ["alone"]);
    await replaceTenant("alone");
    for (const token of [bearer, await accessToken(api(), browser)]) {
      const me = await api().get("/api/me", { bearer: token });
      assert.equal(me.status, 200);
      assert.deepEqual([me.body.role, me.body.allTenants, me.body.tenants], ["tenant", false, []]);
      assert.equal((await api().get("/api/alone/secrets/NEW", { bearer: token })).status, 403);
      assert.equal((await api().get("/api/tenants", { bearer: token })).status, 403);
    }
    // As the console sends it, to change something else.
    const body = { ...person, tenants: [], disabled: true };
    const disabled = await api().put(`${ADMINISTRATORS}/${id}`, { key: key(), body });
    assert.deepEqual([disabled.status, disabled.body.tenants], [200, []]);
  });

  it("200: rights that are given in the new tenant hold", async () => {
    await api().seed.tenant("again");
    const { id, person, bearer } = await joinTenants(api(), "joe", ["again"]);
    await replaceTenant("again");
    assert.equal((await api().get("/api/again/secrets/NEW", { bearer })).status, 403);
    const given = await api().put(`${ADMINISTRATORS}/${id}`, { key: key(), body: person });
    assert.equal(given.status, 200);
    assert.equal((await api().get("/api/again/secrets/NEW", { bearer })).status, 200);
  });

  it("204: of several that end at once, each is taken from those who have all", async () => {
    const ids = ["end-1", "end-2", "end-3"];
    for (const id of [...ids, "last"]) await api().seed.tenant(id);
    const people = [];
    for (const name of ["p1", "p2", "p3"]) {
      const body = {
        email: `${name}@example.com`,
        name,
        role: "tenant",
        tenants: [...ids, "last"],
      };
      people.push((await api().post(ADMINISTRATORS, { key: key(), body })).body.id);
    }
    const ends = await Promise.all(
      ids.map((id) => api().delete(`/api/tenants/${id}`, { key: key() })),
    );
    assert.deepEqual(
      ends.map(({ status }) => status),
      [204, 204, 204],
    );
    for (const id of people) {
      const { body } = await api().get(`${ADMINISTRATORS}/${id}`, { key: key() });
      assert.deepEqual(body.tenants, ["last"]);
    }
  });
});

describe("tenants that do not exist", () => {
  const api = shareApi({ env: { BASE_URL } });
  const key = () => api().operatorKey;
  const person = (name: string) => ({ email: `${name}@example.com`, name, role: "tenant" });

  before(async () => {
    for (const id of ["acme", "ended"]) await api().seed.tenant(id);
    await api().delete("/api/tenants/ended", { key: key() });
  });

  it("400: nobody is invited to one, which is named", async () => {
    for (const missing of ["nope", "ended"]) {
      const body = { ...person("bob"), tenants: ["acme", missing] };
      const answer = await api().post(ADMINISTRATORS, { key: key(), body });
      assert.equal(answer.status, 400);
      assert.deepEqual(Object.keys(answer.body.errors), ["tenants"]);
      assert.match(answer.body.errors.tenants[0], new RegExp(`there is no '${missing}'$`));
    }
    const { body } = await api().get(ADMINISTRATORS, { key: key() });
    assert.deepEqual(body, []);
  });

  it("400: nobody is moved to one; what they had before may stay", async () => {
    const body = { ...person("ann"), tenants: ["acme"] };
    const { id } = (await api().post(ADMINISTRATORS, { key: key(), body })).body;
    const put = (tenants: readonly string[]) =>
      api().put(`${ADMINISTRATORS}/${id}`, { key: key(), body: { ...body, tenants } });
    const refused = await put(["acme", "nope"]);
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [400, ["tenants"]]);
    assert.equal((await put([])).status, 400);
    await api().sql("update administrator set tenants = '{acme,before}' where id = $1", [id]);
    assert.deepEqual((await put(["before"])).body.tenants, ["before"]);
    assert.equal((await put(["before", "nope"])).status, 400);
    assert.equal((await put(["acme"])).status, 200);
    assert.equal((await put(["acme", "before"])).status, 400);
  });

  it("400 or 204: an invitation beside the end of its tenant leaves no right behind", async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const tenantId = `racing-${turn}`;
      await api().seed.tenant(tenantId);
      const body = { ...person(`racer-${turn}`), tenants: [tenantId] };
      const [invited, ended] = await Promise.all([
        api().post(ADMINISTRATORS, { key: key(), body }),
        api().delete(`/api/tenants/${tenantId}`, { key: key() }),
      ]);
      assert.equal(ended.status, 204);
      assert.ok([201, 400].includes(invited.status), invited.text);
    }
    const left = await api().sql(
      "select email from administrator where tenants::text like '%racing%'",
    );
    assert.deepEqual(left, []);
  });
});
