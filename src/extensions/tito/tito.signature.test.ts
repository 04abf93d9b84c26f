import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import type { Delivery, Inbound } from "../kit/connector.ts";
import { parseVendorJson } from "../kit/values.ts";
import { tito } from "./tito.connector.ts";
import { planTito } from "./tito.plan.ts";

/** Contains an integer above 2^53: whoever reads and writes it again changes its digits. */
const BODY = '{"id":706405506930370084,"email":"bob@example.com"}';
const SIGNATURE = "oCX3oTCaxtS065G+qQKZ/8qjWkZxBf40JuZrEauP0N0=";
const SECRET = ["site-secret"];

const { verify, read } = tito.inbound as Inbound;

const check = (
  body: string,
  signature: string | undefined,
  secrets: readonly string[] = SECRET,
  name = "tito-signature",
) =>
  verify(
    {
      method: "POST",
      publicUrl: "https://passes.example/x",
      headers: signature === undefined ? {} : { [name]: signature },
      rawBody: Buffer.from(body),
      now: new Date(),
    },
    { settings: {}, secrets: { securityToken: secrets } },
  );

const readingOf = (topic: string, body: object | string, settings: object = {}) => {
  const rawBody = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const arrival = {
    headers: { "x-webhook-name": topic },
    rawBody,
    json: parseVendorJson(rawBody),
  };
  return read(arrival, { settings: settings as never, secrets: {} });
};

describe("the signature of Tito", () => {
  it("is the one of the published formula, also with an integer above 2^53", () => {
    assert.deepEqual(check(BODY, SIGNATURE), { ok: true });
  });

  it("is taken by each of two tokens while one replaces the other", () => {
    assert.equal(check(BODY, SIGNATURE, ["new", "site-secret"]).ok, true);
    assert.equal(check(BODY, SIGNATURE, ["new", "other"]).ok, false);
  });

  const last = SIGNATURE.replace("0N0=", "0N4=");
  for (const [what, body, signature, secrets, name] of [
    ["another byte in the body", BODY.replace("bob", "rob"), SIGNATURE, SECRET],
    ["a body that was read and written again", JSON.stringify(JSON.parse(BODY)), SIGNATURE, SECRET],
    ["a blank after the body", `${BODY} `, SIGNATURE, SECRET],
    ["another signature", BODY, last, SECRET],
    ["a part of the signature", BODY, SIGNATURE.slice(0, 20), SECRET],
    [
      "the signature in hexadecimal",
      BODY,
      Buffer.from(SIGNATURE, "base64").toString("hex"),
      SECRET,
    ],
    ["the header of another platform", BODY, SIGNATURE, SECRET, "x-tito-signature"],
    ["an empty signature", BODY, "", SECRET],
    ["no signature", BODY, undefined, SECRET],
    ["another token", BODY, SIGNATURE, ["site-secret2"]],
    ["the token of another event", BODY, SIGNATURE, ["gala:site-secret"]],
    ["no token at all", BODY, SIGNATURE, []],
    ["nothing but blanks as token", BODY, SIGNATURE, ["  "]],
  ] as const) {
    it(`is refused for ${what}`, () => {
      assert.equal(check(body, signature, secrets, name).ok, false);
    });
  }

  it("is that of the event's own token, of several that are stored", () => {
    const stored = ["regatta:first gala:second"];
    const sign = (event: string, token: string) => {
      const body = JSON.stringify({ id: 1, event: { slug: event } });
      return check(body, createHmac("sha256", token).update(body).digest("base64"), stored).ok;
    };
    assert.deepEqual(
      [sign("regatta", "first"), sign("gala", "second"), sign("gala", "first"), sign("x", "first")],
      [true, true, false, false],
    );
  });
});

describe("what is read of a delivery of Tito", () => {
  it("leads to the ticket with every digit, and to the bytes as its name", () => {
    const one = readingOf("ticket.updated", BODY);
    assert.equal(one?.subject, "ticketId=706405506930370084");
    assert.equal(one?.tells, "state");
    assert.equal(readingOf("ticket.updated", BODY)?.dedupeKey, one?.dedupeKey);
    assert.notEqual(readingOf("ticket.updated", `${BODY} `)?.dedupeKey, one?.dedupeKey);
  });

  it("takes the state from the body, which is signed, and not from the header", () => {
    const tells = (topic: string, state_name: unknown) =>
      readingOf(topic, { id: 1, state_name })?.tells;
    assert.equal(tells("ticket.voided", "complete"), "state");
    assert.equal(tells("ticket.updated", "void"), "gone");
    assert.equal(tells("ticket.voided", null), "gone");
    assert.equal(tells("ticket.created", null), "state");
  });

  it("orders what happened in the same second as a ticket lives", () => {
    const at = (topic: string, updated_at: string) =>
      readingOf(topic, { id: 1, updated_at })?.occurredAt?.getTime() ?? 0;
    const second = "2026-05-01T10:00:00.000Z";
    assert.ok(at("ticket.created", second) < at("ticket.completed", second));
    assert.ok(at("ticket.completed", second) < at("ticket.voided", second));
    const exact = "2026-05-01T10:00:00.250Z";
    assert.equal(at("ticket.voided", exact), Date.parse(exact));
  });

  it("counts as void where it was voided and taken back in the same second", () => {
    const at = (topic: string) =>
      readingOf(topic, { id: 1, updated_at: "2026-05-01T10:00:00Z" })?.occurredAt?.getTime();
    assert.equal(at("ticket.voided"), at("ticket.unvoided"));
  });

  it("takes from the signed body whether a check-in was taken back, where it says", () => {
    const plan = (topic: string, more: object) => {
      const json = { id: 5, ticket_id: 1, created_at: "2026-05-01T10:00:00.250Z", ...more };
      const reading = readingOf(topic, json);
      const delivery = { ...reading, json } as unknown as Delivery;
      const planned = planTito({} as never, delivery, { settings: { passType: "t" } as never });
      return "actions" in planned ? planned.actions.map((action) => action.do) : [];
    };
    assert.deepEqual(plan("checkin.created", {}), ["check-in"]);
    assert.deepEqual(plan("checkin.deleted", {}), []);
    assert.deepEqual(plan("checkin.deleted", { deleted_at: null }), ["check-in"]);
    assert.deepEqual(plan("checkin.created", { deleted_at: "2026-05-01T11:00:00Z" }), []);
  });

  it("is nothing for other topics and for events that the settings leave out", () => {
    for (const topic of ["registration.finished", "constructor", "toString", "__proto__"]) {
      assert.equal(readingOf(topic, { id: 1 }), undefined, topic);
    }
    const ticket = { id: 1, event: { slug: "gala" } };
    assert.equal(readingOf("ticket.created", ticket, { events: ["regatta"] }), undefined);
    assert.notEqual(readingOf("ticket.created", ticket, { events: ["gala"] }), undefined);
  });

  it("is a problem in words for a ticket without a number", () => {
    assert.throws(() => readingOf("ticket.created", { name: "Ada" }), /which ticket/);
    assert.throws(() => readingOf("ticket.created", "{"), /no JSON/);
  });
});
