import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Clock, systemClock } from "#kernel/clock.ts";
import { startVendors } from "#test/support/vendors.ts";
import { startReceiver } from "#test/support/webhook-receiver.ts";

/** JSON of any shape. */
type Answer = ReturnType<typeof JSON.parse>;
type Owner = { after(undo: () => Promise<void>): void };

const HOUR_MS = 3_600_000;
const EVENT = "/organizers/harbour/events/regatta";

async function openEvent(owner: Owner, wall: Clock = systemClock) {
  const [receiver, vendors] = await Promise.all([
    startReceiver(owner),
    startVendors(owner, { wall }),
  ]);
  const { pretix } = vendors;
  pretix.createOrganizer({ slug: "harbour", token: "team-token" });
  pretix.createEvent({ slug: "regatta", items: ["Deck", "Bridge"] });
  pretix.createWebhook({ target_url: receiver.url });
  const get = async (path: string, token = "team-token") => {
    const url = path.startsWith("http") ? path : `${pretix.url}/api/v1${path}`;
    const response = await fetch(url, { headers: { authorization: `Token ${token}` } });
    const body: Answer = await response.json();
    return { status: response.status, headers: response.headers, body };
  };
  const actions = () =>
    receiver.received.map(({ body }) => String(body.action).replace("pretix.event.", ""));
  const sell = (paid = true) =>
    pretix.placeOrder({
      event: "regatta",
      email: "ada@example.com",
      positions: [{ attendee_name: "Ada" }, { attendee_name: "Bob", item: 2 }],
      paid,
    });
  return { receiver, vendors, pretix, get, actions, sell };
}

describe("pretix", () => {
  it("tells of an order by a webhook without a signature, and shows it to who asks back", async (t) => {
    const { receiver, vendors, get, actions, sell } = await openEvent(t);
    const { code } = sell();
    await vendors.idle();
    assert.deepEqual(actions(), ["order.placed", "order.paid"]);
    const [placed] = receiver.received;
    assert.deepEqual(Object.keys(placed?.body ?? {}), [
      "notification_id",
      "organizer",
      "event",
      "code",
      "action",
    ]);
    assert.ok(!Object.keys(placed?.headers ?? {}).some((name) => name.includes("signature")));
    const { status, body } = await get(`${EVENT}/orders/${code}/`);
    assert.equal(status, 200);
    assert.deepEqual([body.code, body.status, body.total], [code, "p", "20.00"]);
    assert.deepEqual(
      body.positions.map((one: Answer) => [one.positionid, one.item, one.attendee_name]),
      [
        [1, 1, "Ada"],
        [2, 2, "Bob"],
      ],
    );
    assert.match(body.positions[0].secret, /^[0-9a-f]{32}$/);
  });

  it("leaves out positions that are canceled, and changes barcodes and names", async (t) => {
    const { pretix, vendors, get, actions, sell } = await openEvent(t);
    const { code, positions } = sell();
    pretix.changePosition(code, 1, { attendee_name: "Ada L." });
    pretix.changeSecret(code, 1);
    pretix.cancelPosition(code, 2);
    pretix.checkIn(code, 1);
    pretix.revertCheckIn(code, 1);
    pretix.cancelOrder(code);
    pretix.reactivateOrder(code);
    await vendors.idle();
    assert.deepEqual(actions().slice(2), [
      "order.modified",
      "order.changed.secret",
      "order.changed.cancel",
      "checkin",
      "checkin.reverted",
      "order.canceled",
      "order.reactivated",
    ]);
    const { body } = await get(`${EVENT}/orders/${code}/`);
    assert.equal(body.positions.length, 1);
    assert.equal(body.positions[0].attendee_name, "Ada L.");
    assert.notEqual(body.positions[0].secret, positions[0]?.secret);
    const all = await get(`${EVENT}/orders/${code}/?include_canceled_positions=true`);
    assert.equal(all.body.positions.length, 2);
  });

  it("says which position was checked in", async (t) => {
    const { receiver, pretix, vendors, sell } = await openEvent(t);
    const { code, positions } = sell();
    pretix.checkIn(code, 2, { list: 7 });
    await vendors.idle();
    const { notification_id: _, ...told } = receiver.received.at(-1)?.body ?? {};
    assert.deepEqual(told, {
      organizer: "harbour",
      event: "regatta",
      code,
      action: "pretix.event.checkin",
      orderposition_id: positions[1]?.id,
      orderposition_positionid: 2,
      checkin_list: 7,
      type: "entry",
      first_checkin: true,
    });
  });

  it("lists what changed since a time, page by page, with the time to ask from next", async (t) => {
    let now = Date.parse("2027-03-01T12:00:00Z");
    const { pretix, get, sell } = await openEvent(t, { now: () => new Date(now) });
    for (let count = 0; count < 60; count += 1) sell(false);
    const first = await get(`${EVENT}/orders/`);
    assert.deepEqual([first.body.count, first.body.results.length], [60, 50]);
    const second = await get(first.body.next);
    assert.equal(second.body.results.length, 10);
    assert.equal(second.body.next, null);
    const since = first.headers.get("x-page-generated") ?? "";
    assert.equal(since, "2027-03-01T12:00:00.000Z");

    now += 60_000;
    const from = new Date(now).toISOString();
    const code = first.body.results[3].code;
    pretix.outbox.setFault({ kind: "lost" });
    pretix.payOrder(code);
    const changed = await get(`${EVENT}/orders/?modified_since=${encodeURIComponent(from)}`);
    assert.deepEqual(
      changed.body.results.map((one: Answer) => [one.code, one.status]),
      [[code, "p"]],
    );
    assert.equal((await get(`${EVENT}/orders/?modified_since=soon`)).status, 400);
  });

  it("checks in by the secret of a ticket: once for a nonce, and never twice on a list", async (t) => {
    const { pretix, sell } = await openEvent(t);
    const { code, positions } = sell();
    const redeem = async (secret: string | undefined, nonce: string) => {
      const response = await fetch(`${pretix.url}/api/v1/organizers/harbour/checkinrpc/redeem/`, {
        method: "POST",
        headers: { authorization: "Token team-token", "content-type": "application/json" },
        body: JSON.stringify({ secret, lists: [7], nonce }),
      });
      const body: Answer = await response.json();
      return [response.status, body.status, body.reason];
    };
    const [ada, bob] = positions;
    assert.deepEqual(await redeem(ada?.secret, "n1"), [201, "ok", undefined]);
    assert.deepEqual(await redeem(ada?.secret, "n1"), [201, "ok", undefined]);
    assert.deepEqual(await redeem(ada?.secret, "n2"), [200, "error", "already_redeemed"]);
    assert.deepEqual(await redeem("unknown", "n3"), [404, "error", "invalid"]);
    pretix.cancelOrder(code);
    assert.deepEqual(await redeem(bob?.secret, "n4"), [200, "error", "canceled"]);
    assert.equal(pretix.orders.get(code).positions[0]?.checkins.length, 1);
  });

  it("refuses wrong tokens, foreign organizers and unknown orders", async (t) => {
    const { pretix, get } = await openEvent(t);
    pretix.createOrganizer({ slug: "other", token: "other-token" });
    assert.equal((await get("/organizers/harbour/")).body.slug, "harbour");
    const wrong = await get("/organizers/harbour/", "x");
    assert.deepEqual([wrong.status, wrong.body.detail], [401, "Invalid token."]);
    assert.equal((await get("/organizers/harbour/", "other-token")).status, 403);
    assert.equal((await get(`${EVENT}/orders/NONE1/`)).status, 404);
    assert.equal((await get("/organizers/harbour/events/none/orders/")).status, 404);
  });

  it("tries again for three days, and takes redirects for failures", async (t) => {
    const { receiver, vendors, pretix, sell } = await openEvent(t);
    receiver.answer({ status: 302, headers: { location: "/" } });
    sell(false);
    await vendors.advance(80 * HOUR_MS);
    assert.equal(receiver.received.length, 12);
    assert.equal(pretix.outbox.deliveries[0]?.state, "failed");
    assert.equal(pretix.outbox.subscriptions[0]?.endedAt, null);
  });

  it("disables a webhook that answers 410", async (t) => {
    const { receiver, vendors, pretix, get, sell } = await openEvent(t);
    receiver.answer(410);
    sell();
    await vendors.advance(80 * HOUR_MS);
    assert.equal(receiver.received.length, 1);
    const { body } = await get("/organizers/harbour/webhooks/");
    assert.equal(body.results[0].enabled, false);
    assert.equal(pretix.outbox.deliveries[1]?.state, "dropped");
  });

  it("lets a webhook be registered for some actions of some events", async (t) => {
    const { receiver, vendors, pretix, sell, actions } = await openEvent(t);
    pretix.outbox.unsubscribe(pretix.outbox.subscriptions[0]?.id ?? "");
    const response = await fetch(`${pretix.url}/api/v1/organizers/harbour/webhooks/`, {
      method: "POST",
      headers: { authorization: "Token team-token", "content-type": "application/json" },
      body: JSON.stringify({
        target_url: receiver.url,
        enabled: true,
        all_events: false,
        limit_events: ["regatta"],
        action_types: ["pretix.event.order.changed.*"],
      }),
    });
    assert.equal(response.status, 201);
    const { code } = sell();
    pretix.changeSecret(code, 1);
    await vendors.idle();
    assert.deepEqual(actions(), ["order.changed.secret"]);
  });
});
