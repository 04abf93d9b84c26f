import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const DEMO = join(import.meta.dirname, "../../demo");

/** As the API takes them; drawings from which the pictures are made are not published. */
const files = Object.fromEntries(
  readdirSync(DEMO, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("artwork"))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [
      path.slice(DEMO.length + 1).replaceAll("\\", "/"),
      path.endsWith(".png")
        ? { base64: readFileSync(path).toString("base64") }
        : readFileSync(path, "utf8"),
    ]),
);

type Sample = {
  readonly identifiers: Record<string, string>;
  readonly additionalData: Record<string, unknown>;
  readonly change: Record<string, unknown>;
};
const SAMPLES: Readonly<Record<string, Sample>> = {
  loyalty: {
    identifiers: { "loyalty.number": "L1" },
    additionalData: { firstName: "Camille", lastName: "Moreau" },
    change: { tier: "Full Moon" },
  },
  coupon: {
    identifiers: { "coupon.code": "C1" },
    additionalData: { offer: "A croissant", validUntil: "2099-01-01T00:00:00Z" },
    change: { validUntil: "2099-02-01T00:00:00Z" },
  },
  "event-ticket": {
    identifiers: { "ticket.number": "T1" },
    additionalData: {
      holder: "Camille Moreau",
      eventName: "Moonlight Jazz",
      doors: "2099-03-05T18:30:00Z",
      start: "2099-03-05T19:30:00Z",
      seat: "B",
    },
    change: { seat: "C" },
  },
  membership: {
    identifiers: { "member.number": "M1" },
    additionalData: {
      name: "Camille Moreau",
      since: "2024-10-01",
      renewal: "2099-09-30T22:00:00Z",
    },
    change: { level: "Patron" },
  },
};

describe("passes of the demo at Google", () => {
  const api = shareApi();
  const tenant = "/api/cafe-lune";
  let key: string;

  before(async () => {
    key = api().operatorKey;
    const put = await api().put("/api/tenants/cafe-lune", { key, body: { files } });
    assert.equal(put.status, 201, put.text);
  });

  for (const [passType, { identifiers, additionalData, change }] of Object.entries(SAMPLES)) {
    it(`${passType}: is saved, changed, notified and disabled`, async () => {
      const made = await api().post(`${tenant}/passes?passType=${passType}`, {
        key,
        body: { identifiers, additionalData },
      });
      assert.equal(made.status, 201, made.text);
      const { id, links } = made.body;
      const pass = `${tenant}/passes/${id}`;
      const bought = await api().post("/simulator/api/phones", { body: { kind: "android" } });
      assert.equal(bought.status, 201, bought.text);
      const phone = bought.body.id;
      const added = await api().post(`/simulator/api/phones/${phone}/passes`, {
        body: { url: links.landing },
      });
      assert.equal(added.status, 201, added.text);
      const update = async (body: object) => {
        const options = { BypassQueue: true };
        const changed = await api().patch(pass, { key, body: { ...body, options } });
        assert.equal(changed.status, 200, changed.text);
        assert.equal(changed.body.delivery.google.state, "sent", changed.text);
      };
      const seen = async () => (await api().get(`/simulator/api/phones/${phone}`)).body;

      // The simulated Google calls back about a save after the phone has shown the pass.
      await until(async () => {
        const { providers } = (await api().get(pass, { key })).body;
        return providers.google.status === "installed";
      });
      await update({ additionalData: change });
      const notified = await api().put(`${pass}/notification`, {
        key,
        body: { content: "Come in." },
      });
      assert.equal(notified.status, 202, notified.text);
      await until(async () => JSON.stringify((await seen()).notices).includes("Come in."));
      await update({ status: "disabled" });
      assert.equal((await seen()).cards[0].status, "inactive");
    });
  }
});
