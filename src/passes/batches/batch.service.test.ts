import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { passTypesOf } from "../pass.types.ts";
import { fulfilWishes } from "./batch.service.ts";
import type { PassWish } from "./batch.wish.ts";

const MISSING = "ps_00000000000000000000000";

describe("a batch of wishes", () => {
  const api = shareApi();
  const key = () => api().operatorKey;
  const seed = (tenantId: string) => seedPassTenant(api(), tenantId);

  async function fulfil(tenantId: string, wishes: readonly PassWish[]) {
    const context = systemCall(api().runtime, "test.batch", { tenantId });
    const types = await passTypesOf(context);
    return await context.transaction((tx) => fulfilWishes(context, tx, types, wishes));
  }
  const card = (number: string, more: Partial<PassWish> = {}): PassWish => ({
    action: "upsert",
    passType: "loyalty",
    identifiers: { "loyalty.number": number },
    additionalData: { firstName: "Camille" },
    ...more,
  });
  const events = async (tenantId: string, passId: string) => {
    const rows = await api().sql(
      "select name from event where tenant_id = $1 and subject = $2 order by sequence",
      [tenantId, passId],
    );
    return rows.map(({ name }) => name);
  };
  const read = async (tenantId: string, passId: string, more = "") =>
    (await api().get(`/api/${tenantId}/passes/${passId}${more}`, { key: key() })).body;
  const messages = (results: Awaited<ReturnType<typeof fulfil>>) =>
    results.map((one) => (one.result === "failed" ? one.problem.message : one.result));

  it("creates passes with all that belongs to them, as the API does", async () => {
    await seed("creating");
    const single = await seedPass(api(), "creating");
    const [first, second] = await fulfil("creating", [card("A-1"), card("A-2")]);
    assert.ok(first?.result === "created" && second?.result === "created");
    const [one, other] = [single.id, first.passId];
    const shapeOf = async (id: string) => {
      const { body } = await api().get(`/api/creating/passes/${id}?expand=privileges`, {
        key: key(),
      });
      const [privilege] = body.privileges;
      return [Object.keys(body), body.status, body.version, privilege.value, privilege.version];
    };
    assert.deepEqual(await shapeOf(other), await shapeOf(one));
    assert.deepEqual(await events("creating", other), await events("creating", one));
    const audits = await api().sql(
      "select count(*)::int as count, after from audit where target in ($1, $2) group by after",
      [`pass:${one}`, `pass:${other}`],
    );
    assert.deepEqual(audits.length, 1, JSON.stringify(audits));
    const scan = await api().post("/api/creating/scans", {
      key: key(),
      body: { data: "A-2", type: "qrcode" },
    });
    assert.equal(scan.body.pass?.id, second.passId);
  });

  it("updates a pass that has a unique identifier, and says when nothing changed", async () => {
    await seed("updating");
    const { id } = await seedPass(api(), "updating", { identifiers: { "loyalty.number": "B1" } });
    const results = await fulfil("updating", [
      card("B1", {
        identifiers: { "loyalty.number": "B1", "crm.id": "C-1" },
        additionalData: { points: 7 },
      }),
      card("B2"),
    ]);
    assert.deepEqual(messages(results), ["updated", "created"]);
    const pass = await read("updating", id);
    assert.deepEqual(pass.identifiers, { "loyalty.number": "B1", "crm.id": "C-1" });
    assert.deepEqual([pass.additionalData.points, pass.version], [7, 2]);
    const again = await fulfil("updating", [card("B1"), card("B2")]);
    assert.deepEqual(messages(again), ["unchanged", "unchanged"]);
    assert.deepEqual(await events("updating", id), ["pass.created", "pass.updated"]);
  });

  it("fulfils wishes for the same pass in their order, by whatever name they call it", async () => {
    await seed("ordering");
    const { id } = await seedPass(api(), "ordering", { identifiers: { "crm.id": "X" } });
    const crm = { passType: "loyalty", identifiers: { "crm.id": "X" } };
    const results = await fulfil("ordering", [
      card("D1", { additionalData: { firstName: "A" } }),
      card("D1", { additionalData: { firstName: "B" } }),
      { action: "update", passId: id, identifiers: { "crm.id": "Y" } },
      { action: "update", ...crm, additionalData: { points: 1 } },
      { action: "update", passType: "loyalty", identifiers: { "crm.id": "Y" }, status: "disabled" },
      card("D1", { action: "delete", additionalData: undefined }),
      card("D1", { additionalData: { firstName: "C" } }),
    ]);
    assert.deepEqual(messages(results), [
      "created",
      "updated",
      "updated",
      "This tenant has no pass with this 'crm.id'.",
      "updated",
      "deleted",
      "created",
    ]);
    const erased = await api().sql(
      "select name, data from event where tenant_id = 'ordering' and subject = $1",
      [results[0]?.passId],
    );
    assert.equal(erased.length, 3, "the facts stay");
    assert.doesNotMatch(JSON.stringify(erased), /firstName/);
    const pass = await read("ordering", id);
    assert.deepEqual([pass.status, pass.version], ["disabled", 3]);
    const list = await api().get("/api/ordering/passes", { key: key() });
    assert.equal(list.headers.get("x-pagination-total"), "2");
  });

  it("refuses what the rules refuse with a sentence for each, and fulfils the rest", async () => {
    await seed("refusing");
    await seedPass(api(), "refusing", { identifiers: { "loyalty.number": "E0", "crm.id": "T" } });
    const results = await fulfil("refusing", [
      card("E1"),
      card("E2", { additionalData: {} }),
      card("E3", { additionalData: { firstName: "A", points: -1 } }),
      card("E4", { passType: "ticket" }),
      card("E5", { passType: undefined }),
      card("E1", { identifiers: { "loyalty.number": "E1", "crm.id": "T" } }),
      { action: "update", passId: MISSING, identifiers: {} },
      { action: "disable", passType: "loyalty", identifiers: {} },
      { action: "notify", passId: MISSING, identifiers: {} },
      card("E9", { expirationDate: "2020-01-01T00:00:00Z", status: "active" }),
      card("E10", { identifiers: { "loyalty.number": "x".repeat(300) } }),
    ]);
    const said = messages(results);
    assert.equal(said[0], "created");
    assert.match(said[1] ?? "", /additionalData\.firstName: is required/);
    assert.match(said[2] ?? "", /additionalData\.points: must/);
    assert.match(said[3] ?? "", /passType: must be a type of this tenant: coupon, loyalty/);
    assert.match(said[4] ?? "", /passType: is required/);
    assert.match(
      said[5] ?? "",
      /Pass '\w+' has the same '[\w.]+', which the template calls unique/,
    );
    assert.match(said[6] ?? "", /This tenant has no pass/);
    assert.match(said[7] ?? "", /identifiers: are needed/);
    assert.match(said[8] ?? "", /notification\.content: is required/);
    assert.match(said[9] ?? "", /status: cannot be active/);
    assert.match(said[10] ?? "", /identifiers\.loyalty\.number: must/);
    const [row] = await api().sql(
      "select count(*)::int as count from pass where tenant_id = 'refusing'",
    );
    assert.equal(row?.count, 2);
  });

  it("sets the values of privileges by the ledger, of new passes too, or does nothing", async () => {
    await seed("valuing");
    const { id } = await seedPass(api(), "valuing", { identifiers: { "loyalty.number": "F1" } });
    const points = (value: string) => ({ privileges: new Map([["points", value]]) });
    const results = await fulfil("valuing", [
      card("F1", { companions: points("120.5") }),
      card("F2", { companions: points("7") }),
      card("F3", { companions: points("-1") }),
      card("F4", { companions: { privileges: new Map([["coffee", "1"]]) } }),
      card("F1", { companions: points("121") }),
      card("F1", { companions: points("121") }),
    ]);
    assert.deepEqual(messages(results), [
      "updated",
      "created",
      "privileges.points: must be at least 0",
      "This pass has no privilege 'coffee'.",
      "updated",
      "unchanged",
    ]);
    const made = results[1]?.passId ?? "";
    for (const [passId, value, moves] of [
      [id, 121, 2],
      [made, 7, 1],
    ] as const) {
      const { privileges } = await read("valuing", passId, "?expand=privileges");
      assert.equal(privileges[0].value, value);
      const path = `/api/valuing/passes/${passId}/privileges/points/movements`;
      const ledger = await api().get(path, { key: key() });
      assert.equal(ledger.headers.get("x-pagination-total"), String(moves));
      const told = (await events("valuing", passId)).filter((name) => name === "privilege.moved");
      assert.equal(told.length, moves);
    }
    const [row] = await api().sql(
      "select count(*)::int as count from pass where tenant_id = 'valuing'",
    );
    assert.equal(row?.count, 2, "a pass whose values are refused is not created");
  });

  it("disables, notifies and deletes by an identifier that is not unique too", async () => {
    await seed("acting");
    const wishes = ["1", "2", "3"].map(
      (seat): PassWish => ({
        action: "upsert",
        passType: "coupon",
        identifiers: { "event.id": "E", "event.seat": seat },
        additionalData: { offer: "Tea" },
      }),
    );
    const made = await fulfil("acting", wishes);
    assert.deepEqual(messages(made), ["created", "created", "created"]);
    assert.deepEqual(
      messages(await fulfil("acting", [...wishes, ...wishes])),
      Array.from({ length: 6 }, () => "unchanged"),
      "without a unique identifier, all of them say which pass is meant",
    );
    const seat = (number: string) => ({ identifiers: { "event.id": "E", "event.seat": number } });
    const notification = { content: "Your table is ready." };
    const results = await fulfil("acting", [
      { action: "disable", ...seat("1") },
      { action: "notify", ...seat("2"), notification },
      { action: "delete", ...seat("3") },
      { action: "disable", identifiers: { "event.id": "E" } },
      { action: "notify", ...seat("1"), notification },
    ]);
    assert.deepEqual(messages(results).slice(0, 3), ["updated", "notified", "deleted"]);
    assert.match(messages(results)[3] ?? "", /More than one pass has this 'event.id'/);
    assert.match(messages(results)[4] ?? "", /is disabled: its holder is told nothing/);
    const ids = made.map(({ passId }) => passId ?? "");
    assert.deepEqual(await events("acting", ids[0] ?? ""), ["pass.created", "pass.disabled"]);
    assert.deepEqual(await events("acting", ids[1] ?? ""), ["pass.created", "pass.notified"]);
    assert.deepEqual(await events("acting", ids[2] ?? ""), ["pass.created", "pass.deleted"]);
    const erased = await api().get(`/api/acting/passes/${ids[2]}`, { key: key() });
    assert.equal(erased.status, 404);
  });

  it("does nothing to a pass that does not have all identifiers of the wish", async () => {
    await seed("differing");
    const passes = await Promise.all(
      ["A", "B"].map((one) => {
        const identifiers = { "loyalty.number": one, "crm.id": `C${one}`, "event.id": "E" };
        return seedPass(api(), "differing", { identifiers });
      }),
    );
    const [first, second] = passes.map(({ id }) => id);
    const notification = { content: "Your table is ready." };
    const named = (identifiers: Record<string, string>) => ({ passType: "loyalty", identifiers });
    const contradictions = [
      named({ "loyalty.number": "A", "crm.id": "CB" }),
      named({ "loyalty.number": "B", "event.id": "other" }),
      { ...named({ "loyalty.number": "B" }), passId: first },
    ];
    for (const action of ["delete", "disable", "notify"] as const) {
      const results = await fulfil(
        "differing",
        contradictions.map((wish) => ({ action, ...wish, notification })),
      );
      const sentence = "The identifiers do not all belong to the same pass, so nothing was done.";
      assert.deepEqual(messages(results), [sentence, sentence, sentence], action);
    }
    const wrongType = { action: "delete", passType: "coupon", passId: first, identifiers: {} };
    const [refused] = messages(await fulfil("differing", [wrongType as PassWish]));
    assert.match(refused ?? "", /passType: must be 'loyalty'/);
    for (const id of [first, second]) {
      assert.deepEqual(await events("differing", id ?? ""), ["pass.created"]);
      assert.equal((await read("differing", id ?? "")).status, "active");
    }
    const whole = named({ "loyalty.number": "B", "crm.id": "CB", "event.id": "E" });
    const done = await fulfil("differing", [{ action: "delete", ...whole, passId: second }]);
    assert.deepEqual(messages(done), ["deleted"]);
  });
});
