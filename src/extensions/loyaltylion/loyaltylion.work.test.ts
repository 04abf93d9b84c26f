import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openVendor } from "#test/support/vendor-stage.ts";
import type { Inbound } from "../kit/connector.ts";
import { loyaltylion } from "./loyaltylion.connector.ts";

const SECRET = "site-secret";
const HEADER = "x-loyaltylion-hmac-sha256";

const SETUP = {
  connector: "loyaltylion",
  identifier: "loyaltylion.customerId",
  settings: {
    points: "points",
    fields: {
      firstName: "properties.first_name",
      tier: "loyalty_tier_membership.loyalty_tier.name",
    },
    signingSecret: SECRET,
  },
  sign: (rawBody: string) => ({
    [HEADER]: createHmac("sha256", SECRET).update(rawBody).digest("base64"),
  }),
};

const update = (points: number, tier: string, updatedAt: string, more: object = {}) => ({
  id: randomUUID(),
  topic: "customers/update",
  created_at: updatedAt,
  customer: {
    id: 1001,
    email: "alice@example.com",
    merchant_id: "5000001",
    guest: false,
    properties: { first_name: "Alice", last_name: "Blue" },
    points_approved: points,
    updated_at: updatedAt,
    loyalty_tier_membership: { loyalty_tier: { name: tier } },
    ...more,
  },
});

describe("the signature of LoyaltyLion", () => {
  const { verify } = loyaltylion.inbound as Inbound;
  const BODY = '{"id":706405506930370084,"email":"bob@example.com"}';
  const SIGNATURE = "oCX3oTCaxtS065G+qQKZ/8qjWkZxBf40JuZrEauP0N0=";
  const check = (rawBody: string, signature: string) =>
    verify(
      {
        method: "POST",
        publicUrl: "https://passes.example/x",
        headers: { [HEADER]: signature },
        rawBody: Buffer.from(rawBody),
        now: new Date(),
      },
      { settings: {}, secrets: { signingSecret: [SECRET] } },
    ).ok;

  it("is the one of the published formula, and no other", () => {
    assert.equal(check(BODY, SIGNATURE), true);
    assert.equal(check(JSON.stringify(JSON.parse(BODY)), SIGNATURE), false);
    assert.equal(check(BODY, SIGNATURE.replace("o", "p")), false);
  });
});

describe("what LoyaltyLion sends", () => {
  const api = shareApi();

  it("a member's pass shows their approved points and tier, the newest whatever the order", async () => {
    const vendor = await openVendor(api(), "lion-a", SETUP);
    await vendor.deliver(update(500, "Bronze", "2026-02-01T00:00:00Z"));
    assert.deepEqual(await vendor.pass("1001"), {
      data: { firstName: "Alice", tier: "Bronze" },
      points: 500,
    });
    await vendor.deliver(update(900, "Silver", "2026-02-03T00:00:00Z"));
    await vendor.deliver(update(700, "Bronze", "2026-02-02T00:00:00Z"));
    assert.deepEqual(await vendor.pass("1001"), {
      data: { firstName: "Alice", tier: "Silver" },
      points: 900,
    });
  });

  it("a guest gets no pass", async () => {
    const vendor = await openVendor(api(), "lion-b", SETUP);
    await vendor.deliver(update(5, "Bronze", "2026-02-01T00:00:00Z", { guest: true }));
    assert.equal(await vendor.pass("1001"), undefined);
    assert.equal((await vendor.deliveries())[0]?.status, "ignored");
  });

  it("200: stored, twice, of no interest or not to be understood; 401: not signed", async () => {
    const vendor = await openVendor(api(), "lion-c", SETUP);
    const first = update(1, "Bronze", "2026-02-01T00:00:00Z");
    const answers = [
      await vendor.send(first),
      await vendor.send(first),
      await vendor.send({ id: "1", topic: "activities/create" }),
      await vendor.send("no json"),
      await vendor.send({ topic: "customers/update" }),
      await vendor.send(first, { [HEADER]: "AAAA" }),
      await vendor.send(first, {}),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 401, 401],
    );
    assert.equal("signingSecret" in vendor.shown, false);
  });

  it("204, 200, 404: settings are saved, shown without the secret and removed (loyaltylion.put, loyaltylion.get, loyaltylion.delete)", async () => {
    const { path, shown } = await openVendor(api(), "lion-d", SETUP);
    assert.deepEqual(["signingSecret" in shown, shown.passType], [false, "member"]);
    const key = api().operatorKey;
    assert.equal((await api().delete(path, { key })).status, 204);
    assert.equal((await api().get(path, { key })).status, 404);
  });
});
