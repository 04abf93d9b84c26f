import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openPretix, startTicketVendors } from "#test/support/ticket-stage.ts";

const ground = await startTicketVendors({ after });
const { pretix } = ground.vendors;

/** Runs ahead of the real time by as much as a test says. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const HOUR_MS = 3_600_000;

let count = 0;
const nextTenant = () => {
  count += 1;
  return `trouble-${count}`;
};

describe("a pretix that does not do as it should", () => {
  const api = shareApi({ clock });
  const open = (settings: object = {}) => openPretix(api(), ground, nextTenant(), settings);
  const key = () => api().operatorKey;
  type Stage = Awaited<ReturnType<typeof open>>;
  const holders = async (stage: Stage) => (await stage.passes()).map(({ data }) => data.holder);
  const heal = () => pretix.server.setFault(undefined);

  for (const [kind, problem] of [
    ["503", /status 503/],
    ["429", /no more requests/],
    ["redirect", /another address/],
    ["huge", /too long/],
    ["html", /cannot be read/],
    ["not-json", /cannot be read/],
    ["wrong-json", /cannot be read/],
    ["cut", /connection/],
    ["refuse", /connection/],
  ] as const) {
    it(`${kind}: is answered at once all the same, waits in words, and is done afterwards`, async (t) => {
      const stage = await open();
      t.after(heal);
      await pretix.server.setFault({ kind });
      pretix.server.forget();
      stage.sell(["Ada"]);
      await stage.settled();
      const [first, second] = await stage.deliveries();
      assert.deepEqual([first?.status, second?.status], ["waiting", "waiting"]);
      assert.match(String(first?.problem), problem);
      assert.equal(second?.attempts, 0, "the later one of the same order waits for the first");
      const elsewhere = pretix.server.requests.filter(({ path }) => path.includes("elsewhere"));
      assert.deepEqual(elsewhere, []);
      for (const { sentBytes } of stage.requests()) assert.ok(sentBytes < 8_000_000);
      const told = pretix.outbox.deliveries.filter(({ account }) => account === stage.tenantId);
      assert.ok(told.every(({ state }) => state === "delivered"));
      await heal();
      await stage.hasten();
      assert.deepEqual(await holders(stage), ["Ada"]);
      assert.deepEqual(await stage.statuses(), ["done", "done"]);
    });
  }

  it("an order in a state that there is not ends no ticket", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada"]);
    await stage.settled();
    const order = pretix.orders.get(code);
    pretix.orders.put(code, { ...order, status: "x" as never });
    const told = { notification_id: 3, organizer: stage.tenantId, event: stage.event, code };
    const body = { ...told, action: "pretix.event.order.canceled" };
    pretix.deliver(stage.tenantId, body.action, JSON.stringify(body));
    await stage.settled();
    const last = (await stage.deliveries()).at(-1);
    assert.deepEqual(
      [last?.status, String(last?.problem)],
      ["waiting", "pretix gave an answer that cannot be read."],
    );
    assert.equal((await stage.passes())[0]?.status, "active");
  });

  it("an order that says it is of another event is not taken for this one", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada"]);
    await stage.settled();
    // Whoever answers under the name of one event with an order of another.
    const order = pretix.orders.get(code);
    let reads = 0;
    const changed = Object.defineProperty({ ...order, status: "c" as const }, "event", {
      enumerable: true,
      get: () => {
        reads += 1;
        return reads % 2 === 1 ? stage.event : "gala";
      },
    });
    pretix.orders.put(code, changed);
    const told = { notification_id: 4, organizer: stage.tenantId, event: stage.event, code };
    const body = { ...told, action: "pretix.event.order.canceled" };
    pretix.deliver(stage.tenantId, body.action, JSON.stringify(body));
    await stage.settled();
    pretix.orders.put(code, order);
    const last = (await stage.deliveries()).at(-1);
    assert.match(String(last?.problem), /cannot be read/);
    assert.equal((await stage.passes())[0]?.status, "active");
  });

  it("away for an hour: nothing is lost, requests are few, and all is done in order afterwards", async (t) => {
    const stage = await open();
    t.after(heal);
    t.after(() => {
      aheadMs = 0;
    });
    await pretix.server.setFault({ kind: "503" });
    pretix.server.forget();
    const first = stage.sell(["Ada"]);
    const second = stage.sell(["Bob"]);
    pretix.cancelOrder(second.code);
    pretix.changePosition(first.code, 1, { attendee_name: "Grace" });
    await stage.settled();
    for (let minutes = 0; minutes < 60; minutes += 5) {
      aheadMs += 5 * 60_000;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const asked = stage.requests().length;
    assert.ok(asked >= 2 && asked <= 20, `${asked} requests`);
    assert.deepEqual(await stage.passes(), []);
    await heal();
    aheadMs += 5 * HOUR_MS;
    await stage.hasten();
    assert.deepEqual(await holders(stage), ["Grace"]);
    assert.ok((await stage.statuses()).every((status) => status === "done"));
  });

  it("other tenants and other orders do not wait for one whose answer hangs", async (t) => {
    const [slow, quick] = [await open(), await open()];
    t.after(heal);
    const { code } = slow.sell(["Ada"], { paid: false });
    await slow.settled();
    await pretix.server.setFault({ kind: "slow", delayMs: 4_000, path: code });
    pretix.payOrder(code);
    await ground.vendors.idle();
    slow.sell(["Bob"]);
    quick.sell(["Cleo"]);
    await quick.settled();
    assert.deepEqual(await holders(quick), ["Cleo"]);
    await heal();
    await slow.settled();
    assert.deepEqual((await holders(slow)).toSorted(), ["Ada", "Bob"]);
  });

  it("a token that was stored for another address goes to none", async () => {
    const stage = await open();
    const body = {
      files: {
        "server/pretix.yml": `baseUrl: http://localhost:${pretix.server.port}\norganizer: ${stage.tenantId}\npassType: ticket\n`,
      },
    };
    const published = await api().patch(`/api/tenants/${stage.tenantId}`, { key: key(), body });
    assert.ok(published.status < 300, published.text);
    pretix.server.forget();
    stage.sell(["Ada"]);
    await stage.settled();
    assert.deepEqual(stage.requests(), []);
    const [row] = await stage.deliveries();
    assert.match(String(row?.problem), /another address/);
    const list = await api().get(`/api/${stage.tenantId}/admin/extensions`, { key: key() });
    const shown = list.body.find(({ name }: { name: string }) => name === "pretix");
    assert.match(shown.problem, /belongs to/);
  });

  it("a wrong token, organizer or address is told before anything is saved", async (t) => {
    const stage = await open();
    const settings = {
      baseUrl: pretix.url,
      organizer: stage.tenantId,
      passType: "ticket",
      apiToken: `token-of-${stage.tenantId}`,
    };
    const wrong = async (more: object) => {
      const { status, body } = await api().put(stage.path, {
        key: key(),
        body: { ...settings, ...more },
      });
      assert.equal(status, 400);
      return Object.keys(body.errors);
    };
    assert.deepEqual(await wrong({ apiToken: "x" }), ["apiToken"]);
    pretix.createOrganizer({ slug: `${stage.tenantId}-2`, token: `t2-${stage.tenantId}` });
    assert.deepEqual(await wrong({ apiToken: `t2-${stage.tenantId}` }), ["organizer"]);
    assert.deepEqual(await wrong({ baseUrl: "http://127.0.0.1:1" }), ["baseUrl"]);
    assert.deepEqual(await wrong({ organizer: ".." }), ["organizer"]);
    t.after(heal);
    for (const kind of ["redirect", "html", "503", "huge"] as const) {
      await pretix.server.setFault({ kind });
      assert.deepEqual(await wrong({}), ["baseUrl"], kind);
    }
    await heal();
    const tried = await api().post(`${stage.path}/test`, { key: key() });
    assert.deepEqual(tried.body, { ok: true, errors: {} });
  });

  it("what is no webhook of this organizer is kept as failed, and nobody is asked", async () => {
    const stage = await open();
    pretix.server.forget();
    const path = new URL(stage.webhookUrl).pathname;
    const told = { notification_id: 9, organizer: stage.tenantId, event: stage.event };
    const action = "pretix.event.order.paid";
    for (const sent of [
      "{",
      { ...told, organizer: "other", code: "ABC23", action },
      { ...told, code: "../../x", action },
      { ...told, event: "..", code: "ABC23", action },
      { ...told, code: "ABC23", action, notification_id: null },
    ]) {
      const rawBody = typeof sent === "string" ? sent : JSON.stringify(sent);
      const { status } = await api().post(path, { rawBody });
      assert.equal(status, 200);
    }
    const other = { ...told, action: "pretix.event.live.activated" };
    assert.equal((await api().post(path, { rawBody: JSON.stringify(other) })).status, 200);
    await stage.settled();
    assert.deepEqual(await stage.statuses(), Array(5).fill("failed"));
    assert.deepEqual(stage.requests(), []);
    const unknown = await api().post(`${path}x`, { rawBody: "{}" });
    assert.equal(unknown.status, 404);
  });

  it("204, 200, 404: settings are saved, shown without the secret and removed (pretix.put, pretix.get, pretix.delete)", async () => {
    const stage = await open();
    const key = api().operatorKey;
    const shown = await api().get(stage.path, { key });
    assert.deepEqual([shown.status, shown.body.hasApiToken], [200, true]);
    assert.ok(!shown.text.includes("-of-"));
    assert.equal((await api().delete(stage.path, { key })).status, 204);
    assert.equal((await api().get(stage.path, { key })).status, 404);
    const { status } = await api().post(new URL(stage.webhookUrl).pathname, { rawBody: "{}" });
    assert.equal(status, 404);
  });
});
