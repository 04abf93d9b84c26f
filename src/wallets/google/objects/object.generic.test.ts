import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const CARD = `kind: generic
name: Harbour Circle
organization: Harbour Club
description: Card of the Harbour Circle
images: { icon: images/icon.png }
fields:
  primary: [ { key: name, label: Member, value: "{{ data.name }}" } ]
  secondary: [ { key: level, label: Level, value: "{{ data.level }}", change: "You are a %@ now" } ]
`;
const LAYOUT = `object: { state: "{% if data.level == 'Former' %}COMPLETED{% else %}ACTIVE{% endif %}" }
`;

const { google, api, sendPass } = await startGoogleFixture({ after });
await seedGoogleTenant(api, "acme", {
  "server/passes/circle.yml": CARD,
  "layouts/circle.google.yml": LAYOUT,
});
const key = api.operatorKey;

/** A pass that Google has; what can be done to it, and what Google has of it. */
async function savedPass() {
  const made = await api.post("/api/acme/passes?passType=circle", {
    key,
    body: { additionalData: { name: "Camille", level: "Friend" } },
  });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  await sendPass(id);
  const update = async (body: object) => {
    const options = { BypassQueue: true };
    const changed = await api.patch(`/api/acme/passes/${id}`, { key, body: { ...body, options } });
    assert.equal(changed.status, 200, changed.text);
  };
  return { id, update, object: () => google.resource("genericObject", `${ISSUER_ID}.${id}`) };
}

describe("a generic pass with a change message, at Google", () => {
  it("follows a change and becomes inactive when it is disabled here", async () => {
    const { id, update, object } = await savedPass();
    await update({ additionalData: { level: "Patron" } });
    await until(() => JSON.stringify(object().textModulesData).includes("Patron"));
    const explained = await api.get(`/api/acme/passes/${id}/content?explain=true`, { key });
    assert.equal(explained.status, 200, explained.text);
    assert.match(JSON.stringify(explained.body), /no-change-notice/);
    await update({ status: "disabled" });
    await until(() => object().state === "INACTIVE");
  });

  it("has the state of its layout, until it is disabled here", async () => {
    const { update, object } = await savedPass();
    await update({ additionalData: { level: "Former" } });
    await until(() => object().state === "COMPLETED");
    await update({ status: "disabled" });
    await until(() => object().state === "INACTIVE");
    await update({ status: "active" });
    await until(() => object().state === "COMPLETED");
  });

  it("heals after a member that Google does not know, as layouts of former versions had", async () => {
    const { id, update, object } = await savedPass();
    await api.sql("update google_object set members = members || $2::text[] where pass_id = $1", [
      id,
      ["note", "header.note"],
    ]);
    await update({ additionalData: { level: "Patron" } });
    await until(() => JSON.stringify(object().textModulesData).includes("Patron"));
  });
});
