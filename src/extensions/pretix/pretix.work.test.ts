import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openPretix, startTicketVendors, type TicketPass } from "#test/support/ticket-stage.ts";

const ground = await startTicketVendors({ after });
const { pretix } = ground.vendors;

let count = 0;
const nextTenant = () => {
  count += 1;
  return `pretix-${count}`;
};

describe("orders of pretix", () => {
  const api = shareApi();
  const open = (settings: object = {}) => openPretix(api(), ground, nextTenant(), settings);
  const holdersOf = (passes: readonly TicketPass[]) =>
    passes.map(({ data, status }) => [data.holder, status]);

  it("a paid order becomes a pass for each ticket, with its barcode", async () => {
    const stage = await open();
    const { positions, code } = stage.sell(["Ada", "Bob"]);
    await stage.settled();
    const passes = await stage.passes();
    assert.deepEqual(
      passes.map(({ data }) => data),
      [
        { holder: "Ada", barcode: positions[0]?.secret },
        { holder: "Bob", barcode: positions[1]?.secret },
      ],
    );
    assert.deepEqual(passes[0]?.identifiers, {
      "pretix.positionId": `${new URL(pretix.url).host}/${stage.tenantId}/${positions[0]?.id}`,
      "pretix.orderCode": `${stage.event}/${code}`,
    });
    assert.deepEqual(await stage.statuses(), ["done", "done"]);
  });

  it("an order that is not paid yet has no pass, and gets one when it is", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada"], { paid: false });
    await stage.settled();
    assert.deepEqual(await stage.passes(), []);
    pretix.payOrder(code);
    await stage.settled();
    assert.deepEqual(holdersOf(await stage.passes()), [["Ada", "active"]]);
  });

  it("changes, new barcodes and cancelled tickets are followed", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada", "Bob"]);
    await stage.settled();
    pretix.changePosition(code, 1, { attendee_name: "Grace" });
    const { positions } = pretix.changeSecret(code, 1);
    pretix.cancelPosition(code, 2);
    await stage.settled();
    const passes = await stage.passes();
    assert.deepEqual(holdersOf(passes), [
      ["Grace", "active"],
      ["Bob", "disabled"],
    ]);
    assert.equal(passes[0]?.data.barcode, positions[0]?.secret);
  });

  for (const [what, end] of [
    ["cancelled or refunded", (code: string) => pretix.cancelOrder(code)],
    ["expired", (code: string) => pretix.expireOrder(code)],
    ["denied", (code: string) => pretix.denyOrder(code)],
  ] as const) {
    it(`an order that is ${what} disables its passes, and brings them back when it is good again`, async () => {
      const stage = await open();
      const { code } = stage.sell(["Ada", "Bob"]);
      await stage.settled();
      end(code);
      await stage.settled();
      assert.deepEqual(holdersOf(await stage.passes()), [
        ["Ada", "disabled"],
        ["Bob", "disabled"],
      ]);
      pretix.reactivateOrder(code);
      await stage.settled();
      assert.deepEqual(holdersOf(await stage.passes()), [
        ["Ada", "active"],
        ["Bob", "active"],
      ]);
    });
  }

  it("an order that is deleted disables its passes; one that cannot be seen any more does not", async () => {
    const stage = await open();
    const [first, second] = [stage.sell(["Ada"]), stage.sell(["Bob"])];
    await stage.settled();
    pretix.deleteOrder(first.code);
    pretix.orders.remove(second.code);
    const told = { notification_id: 1, organizer: stage.tenantId, event: stage.event };
    const body = { ...told, code: second.code, action: "pretix.event.order.modified" };
    pretix.deliver(stage.tenantId, body.action, JSON.stringify(body));
    await stage.settled();
    assert.deepEqual(holdersOf(await stage.passes()), [
      ["Ada", "disabled"],
      ["Bob", "active"],
    ]);
  });

  it("a check-in is a scan and shows on the pass, until it is taken back", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada", "Bob"]);
    pretix.checkIn(code, 2);
    await stage.settled();
    const [scan, ...others] = await stage.scans();
    const [, bob] = await stage.passes();
    assert.equal(others.length, 0);
    assert.deepEqual(
      [scan?.scanner, scan?.decision, scan?.pass_id],
      ["extension:pretix", "accepted", bob?.id],
    );
    const at = scan?.scanned_at.toISOString();
    assert.equal(bob?.data.checkedInAt, at);
    pretix.revertCheckIn(code, 2);
    await stage.settled();
    const [, after] = await stage.passes();
    assert.equal(after?.data.checkedInAt, undefined);
    assert.equal((await stage.scans()).length, 1);
  });

  it("what belongs to the event and the product is asked for only where it is shown", async () => {
    const stage = await open({
      fields: { holder: "attendee_name", event: "event.name.en", product: "product.name.en" },
    });
    stage.sell(["Ada"]);
    await stage.settled();
    assert.deepEqual((await stage.passes())[0]?.data, {
      holder: "Ada",
      event: "Regatta",
      product: "Deck",
    });
    const plain = await open();
    pretix.server.forget();
    plain.sell(["Ada"]);
    await plain.settled();
    const paths = plain.requests().map(({ path }) => path.replace(/\?.*/, ""));
    assert.ok(paths.length > 0);
    assert.ok(
      paths.every((path) => /\/orders\/[A-Z0-9]+\/$/.test(path)),
      paths.join(),
    );
  });

  it("products and events that the settings leave out get no pass", async () => {
    const stage = await open({ products: [2] });
    stage.sell(["Ada"]);
    await stage.settled();
    assert.deepEqual(await stage.passes(), []);
    const other = await open({ events: ["another"] });
    other.sell(["Ada"]);
    await other.settled();
    assert.deepEqual(await other.deliveries(), []);
  });

  it("what is sent twice is done once, and in another order ends the same", async (t) => {
    const stage = await open();
    t.after(() => pretix.outbox.setFault(undefined));
    pretix.outbox.setFault({ kind: "duplicate" });
    const { code } = stage.sell(["Ada"]);
    pretix.checkIn(code, 1);
    await stage.settled();
    assert.deepEqual(await stage.statuses(), ["done", "done", "done"]);
    pretix.outbox.setFault({ kind: "reorder", times: 3 });
    pretix.cancelOrder(code);
    pretix.reactivateOrder(code);
    pretix.changePosition(code, 1, { attendee_name: "Grace" });
    await stage.settled();
    assert.deepEqual(holdersOf(await stage.passes()), [["Grace", "active"]]);
    assert.equal((await stage.scans()).length, 1);
  });

  it("a ticket that does not fit fails with a sentence; the others of its order are made", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada", "B".repeat(60), "Cleo"]);
    await stage.settled();
    assert.deepEqual(holdersOf(await stage.passes()), [
      ["Ada", "active"],
      ["Cleo", "active"],
    ]);
    const rows = await stage.deliveries();
    assert.deepEqual([rows.at(-1)?.status, rows.at(-1)?.attempts], ["failed", 1]);
    assert.match(String(rows.at(-1)?.problem), /holder/);
    pretix.changePosition(code, 2, { attendee_name: "Bob" });
    await stage.settled();
    assert.equal((await stage.passes()).length, 3);
    assert.equal((await stage.deliveries()).at(-1)?.status, "done");
  });

  it("an erased ticket does not come back with its order, and the others are followed", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada", "Canary"]);
    await stage.settled();
    const [, canary] = await stage.passes();
    const gone = await api().delete(`/api/${stage.tenantId}/passes/${canary?.id}`, {
      key: api().operatorKey,
    });
    assert.equal(gone.status, 204);
    const told = { notification_id: 2, organizer: stage.tenantId, event: stage.event, code };
    const body = { ...told, action: "pretix.event.order.modified" };
    pretix.deliver(stage.tenantId, body.action, JSON.stringify(body));
    await stage.settled();
    assert.deepEqual(holdersOf(await stage.passes()), [["Ada", "active"]]);
    assert.equal((await stage.deliveries()).at(-1)?.status, "done");
    const rows = await api().sql(
      "select x::text as row from connector_ticket as x where tenant_id = $1",
      [stage.tenantId],
    );
    assert.equal(rows.length, 1);
  });

  it("an erased ticket stays away when somebody else of its order changes later", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada", "Canary"]);
    await stage.settled();
    const [, canary] = await stage.passes();
    await api().delete(`/api/${stage.tenantId}/passes/${canary?.id}`, { key: api().operatorKey });
    pretix.changePosition(code, 1, { attendee_name: "Grace" });
    await stage.settled();
    assert.equal((await stage.deliveries()).at(-1)?.status, "done");
    assert.deepEqual(holdersOf(await stage.passes()), [["Grace", "active"]]);
  });

  it("an end that is taken away at pretix is taken away from the pass", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada"]);
    await stage.settled();
    const ends = () =>
      api().sql("select expires_at as at from pass where tenant_id = $1", [stage.tenantId]);
    const [pass] = await stage.passes();
    await api().patch(`/api/${stage.tenantId}/passes/${pass?.id}`, {
      key: api().operatorKey,
      body: { expirationDate: "2030-01-01T00:00:00Z", options: { BypassQueue: true } },
    });
    assert.notEqual((await ends())[0]?.at, null);
    pretix.changePosition(code, 1, { attendee_name: "Grace" });
    await stage.settled();
    assert.deepEqual(await ends(), [{ at: null }]);
  });

  it("a phone sees the ticket, the check-in, the new holder and the end of it", async () => {
    const stage = await open();
    const { code, positions } = stage.sell(["Ada"]);
    await stage.settled();
    const [pass] = await stage.passes();
    const phone = await stage.phoneWith(String(pass?.id));
    const barcode = positions[0]?.secret;
    assert.deepEqual(await phone.see(), { holder: "Ada", in: "no", barcode, isVoid: false });
    const { tag } = await phone.news();
    pretix.changePosition(code, 1, { attendee_name: "Grace" });
    pretix.checkIn(code, 1);
    await stage.settled();
    assert.deepEqual((await phone.news(tag)).passes, [pass?.id]);
    const seen = await phone.see();
    assert.equal(seen.holder, "Grace");
    assert.notEqual(seen.in, "no");
    pretix.cancelOrder(code);
    await stage.settled();
    assert.equal((await phone.see()).isVoid, true);
  });
});
