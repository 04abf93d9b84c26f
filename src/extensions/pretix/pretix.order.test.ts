import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OutboundEvent } from "../kit/outbound.ts";
import { accountOf } from "./pretix.account.ts";
import type { PretixSettings } from "./pretix.config.ts";
import { readPretixWebhook } from "./pretix.delivery.ts";
import { goodPositions, isGood, ticketOf } from "./pretix.order.ts";
import { redeemCommand, redeemedBy } from "./pretix.redeem.ts";

const SETTINGS: PretixSettings = {
  baseUrl: "https://pretix.example",
  organizer: "harbour",
  passType: "ticket",
  fields: { holder: "attendee_name", mail: "order.email" },
  checkedInAs: "in",
};
const NAME = { event: "regatta", code: "ABC23" };
const AROUND = { dates: new Map(), products: new Map() };

const position = (more: object = {}) => ({
  id: 1,
  item: 1,
  addon_to: null,
  attendee_name: "Ada",
  checkins: [],
  ...more,
});
const order = (positions: readonly object[], more: object = {}) => ({
  status: "p",
  email: "a@example.com",
  positions,
  ...more,
});

describe("what an order of pretix means", () => {
  it("is good when it is paid, or valid before that and not to be approved", () => {
    const states = [
      [{ status: "p" }, true],
      [{ status: "n" }, false],
      [{ status: "n", valid_if_pending: true }, true],
      [{ status: "n", valid_if_pending: true, require_approval: true }, false],
      [{ status: "c", valid_if_pending: true }, false],
      [{ status: "e" }, false],
      [{}, false],
      ["nonsense", false],
    ] as const;
    for (const [sent, good] of states) assert.equal(isGood(sent), good, JSON.stringify(sent));
  });

  it("has no tickets of what is cancelled, blocked, an add-on, or another product", () => {
    const some = [
      position({ id: 1 }),
      position({ id: 2, canceled: true }),
      position({ id: 3, blocked: ["admin"] }),
      position({ id: 4, blocked: [] }),
      position({ id: 5, addon_to: 1, item: 2 }),
      position({ id: undefined }),
      "nonsense",
    ] as object[];
    const ids = (settings: PretixSettings) =>
      goodPositions(order(some), settings).map((one) => (one as { id: number }).id);
    assert.deepEqual(ids(SETTINGS), [1, 4]);
    assert.deepEqual(ids({ ...SETTINGS, products: [2] }), [5]);
    assert.deepEqual(goodPositions(order(some, { status: "c" }), SETTINGS), []);
  });

  it("gives a ticket its members, its end, and each entry once, the first one shown", () => {
    const checkins = [
      { id: 3, type: "exit", datetime: "2026-05-01T09:00:00Z" },
      { id: 2, type: "entry", datetime: "2026-05-01T11:00:00Z" },
      { list: 7, type: "entry", datetime: "2026-05-01T10:00:00Z" },
    ];
    const one = position({ id: 1, checkins, valid_until: "2026-05-02T00:00:00+02:00" });
    const ticket = ticketOf(SETTINGS, NAME, order([one]), one, AROUND);
    assert.deepEqual(ticket, {
      key: "pretix.example/harbour/1",
      identifiers: { "pretix.orderCode": "regatta/ABC23" },
      additionalData: { holder: "Ada", mail: "a@example.com", in: "2026-05-01T10:00:00.000Z" },
      expirationDate: "2026-05-01T22:00:00.000Z",
      checkIns: [
        {
          key: "checkin:pretix.example/harbour/1:7:2026-05-01T10:00:00Z",
          at: new Date("2026-05-01T10:00:00Z"),
        },
        { key: "checkin:pretix.example/harbour/2", at: new Date("2026-05-01T11:00:00Z") },
      ],
    });
  });
});

describe("the end of a ticket of pretix", () => {
  const end = (more: object) => {
    const one = position(more);
    const ticket = ticketOf(SETTINGS, NAME, order([one]), one, AROUND);
    return "expirationDate" in ticket ? ticket.expirationDate : "as it is";
  };

  it("is taken away by null, and stays as it is where nothing is said", () => {
    assert.equal(end({ valid_until: "2026-05-02T00:00:00Z" }), "2026-05-02T00:00:00.000Z");
    assert.equal(end({ valid_until: null }), null);
    assert.equal(end({}), "as it is");
    assert.equal(end({ valid_until: "soon" }), "as it is");
  });
});

describe("whose ids those of pretix are", () => {
  it("is told by its address and the organizer, however they are written", () => {
    const account = (baseUrl: string, organizer = "harbour") => accountOf({ baseUrl, organizer });
    assert.equal(account("https://pretix.eu"), "pretix.eu/harbour");
    assert.equal(account("https://PRETIX.eu:443/"), "pretix.eu/harbour");
    assert.equal(account("https://fair.example/pretix/"), "fair.example/pretix/harbour");
    assert.notEqual(account("https://pretix.eu", "quay"), account("https://pretix.eu"));
    const long = `https://fair.example/${"x".repeat(400)}`;
    assert.ok(account(long).length <= 150);
    assert.notEqual(account(long), account(`${long}y`));
  });
});

describe("what is read of a webhook of pretix", () => {
  const read = (sent: object) => {
    const told = { notification_id: 9, organizer: "harbour", event: "regatta", code: "ABC23" };
    const json = { ...told, action: "pretix.event.order.paid", ...sent };
    return readPretixWebhook({ json }, { settings: SETTINGS });
  };

  it("leads to one order of the organizer at this address", () => {
    assert.equal(read({})?.subject, "order=pretix.example/harbour/regatta/ABC23");
  });

  it("is a problem in words for names that lead to another address", () => {
    for (const event of ["..", ".", "a/b", "%2e%2e", "a b", ""]) {
      assert.throws(() => read({ event }), /which event/, event);
    }
    for (const code of ["..", ".", "A/B", ""])
      assert.throws(() => read({ code }), /which order/, code);
    assert.throws(() => read({ organizer: ".." }), /another organizer/);
  });
});

describe("what pretix is told of a scan", () => {
  const scan = (data: object = {}, identifiers: object = {}): OutboundEvent => ({
    id: "evt_1",
    name: "scan.recorded",
    occurredAt: new Date(),
    data: {
      passId: "ps_1",
      scanId: "sc_1",
      scannedAt: "2026-05-01T10:00:00.000Z",
      decision: "accepted",
      reference: null,
      ...data,
    },
    identifiers: {
      "pretix.positionId": "5",
      "pretix.orderCode": "regatta/ABC23",
      ...identifiers,
    },
  });

  it("is who was let in, and nothing that pretix itself has told", () => {
    assert.deepEqual(redeemCommand(scan()), {
      passId: "ps_1",
      positionId: "5",
      order: NAME,
      nonce: "sc_1",
      at: "2026-05-01T10:00:00.000Z",
    });
    assert.equal(redeemCommand(scan({ decision: "rejected" })), undefined);
    assert.equal(redeemCommand(scan({ reference: "pretix checkin:7" })), undefined);
    for (const order of ["a/b/c", "../ABC23", "regatta/.."]) {
      assert.equal(redeemCommand(scan({}, { "pretix.orderCode": order })), undefined, order);
    }
    assert.equal(redeemCommand({ ...scan(), identifiers: {} }), undefined);
  });

  it("is taken, refused in words of our own, or to be tried again", () => {
    const read = (status: number, json: unknown) =>
      redeemedBy(SETTINGS, {
        status,
        json,
        isTooLong: false,
        generated: undefined,
        retryAfter: undefined,
      });
    const checkins = [
      { id: 1, datetime: "2026-05-01T10:00:00Z" },
      { id: 2, datetime: "2026-05-01T11:00:00Z" },
    ];
    assert.deepEqual(read(201, { status: "ok", position: { checkins } }), {
      key: "checkin:pretix.example/harbour/2",
    });
    assert.deepEqual(read(200, { status: "error", reason: "already_redeemed" }), {
      key: undefined,
    });
    assert.deepEqual(read(200, { status: "error", reason: "unpaid" }), {
      refused: "pretix refused it: unpaid",
    });
    assert.deepEqual(read(404, { status: "error", reason: "<b>call us</b>" }), {
      refused: "pretix refused it: no reason was given",
    });
    assert.deepEqual(Object.keys(read(400, { status: "incomplete" })), ["refused"]);
    for (const [status, json] of [
      [404, { detail: "Not found." }],
      [401, { status: "error" }],
      [503, "<h1>"],
      [200, ["ok"]],
    ] as const) {
      assert.equal(read(status, json), "problem", String(status));
    }
  });
});
