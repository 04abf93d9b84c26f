import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { type Fault, ISSUER_ID, quiet, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { PASS_FILES, seedPass } from "#test/support/pass-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { messageContent } from "./message.content.ts";

const { google, api, savedPass, objectOf, rowOf, settled } = await startGoogleFixture({ after });
await seedGoogleTenant(api, "acme");
const key = api.operatorKey;

// biome-ignore lint/suspicious/noExplicitAny: what was sent is looked at as JSON.
const messagesOf = (passId: string): any[] => objectOf(passId).messages;

async function notify(passId: string, body: object): Promise<void> {
  const { status, text } = await api.put(`/api/acme/passes/${passId}/notification`, { key, body });
  assert.equal(status, 202, text);
}

describe("messages to holders at Google", () => {
  afterEach(() => google.heal());

  it("notify, in the languages that were sent", async () => {
    const id = await savedPass();
    await notify(id, { title: "Table", localizedContent: { de: "Bereit.", en: "Ready." } });
    await until(() => messagesOf(id).length === 1);
    const [{ id: messageId, ...message }] = messagesOf(id);
    assert.match(messageId, /^evt_/);
    assert.deepEqual(message, {
      header: "Table",
      body: "Ready.",
      localizedBody: {
        defaultValue: { language: "en", value: "Ready." },
        translatedValues: [{ language: "de", value: "Bereit." }],
      },
      messageType: "TEXT_AND_NOTIFY",
    });
  });

  it("notify three times in a day, and come without a notification beyond that", async () => {
    const id = await savedPass();
    for (const count of [1, 2, 3, 4]) {
      await notify(id, { content: `Message ${count}` });
      await until(() => messagesOf(id).length === count);
    }
    const types = () => messagesOf(id).map(({ messageType }) => messageType);
    const [loud, silent] = ["TEXT_AND_NOTIFY", "TEXT"];
    assert.deepEqual(types(), [loud, loud, loud, silent]);
    assert.equal(messagesOf(id)[0].header, "Harbour Club");
    await api.sql("update google_message set sent_at = sent_at - interval '25 hours'");
    await notify(id, { content: "The next day" });
    await until(() => messagesOf(id).length === 5);
    assert.equal(types().at(-1), loud);
  });

  it("come without a notification when Google counts more than we do", async () => {
    const id = await savedPass();
    const quota = { error: { message: "Quota", errors: [{ reason: "quotaExceeded" }] } };
    google.fail(({ body }) =>
      body.message?.messageType === "TEXT_AND_NOTIFY" ? { status: 403, body: quota } : undefined,
    );
    await notify(id, { content: "Ready." });
    await until(() => messagesOf(id).length === 1);
    assert.equal(messagesOf(id)[0].messageType, "TEXT");
  });

  it("notify later when Google only has too many requests at the moment", async () => {
    const id = await savedPass();
    for (const reason of ["rateLimitExceeded", "userRateLimitExceeded"]) {
      const body = { error: { message: "Too fast", errors: [{ reason }] } };
      google.fail(() => ({ status: 403, body }));
      const before = messagesOf(id).length;
      await notify(id, { content: "Ready." });
      await until(async () => Number((await rowOf(id))?.attempts) > 0);
      google.heal();
      await api.sql("update google_object set due_at = now() where pass_id = $1", [id]);
      await until(() => messagesOf(id).length === before + 1);
      assert.equal(messagesOf(id).at(-1).messageType, "TEXT_AND_NOTIFY");
      await settled(id);
    }
  });

  it("come in order and once, however long Google was away", async () => {
    const id = await savedPass();
    google.fail(() => 500);
    for (const content of ["One", "Two", "Three"]) await notify(id, { content });
    await until(async () => Number((await rowOf(id))?.attempts) > 0);
    google.heal();
    await api.sql("update google_object set due_at = now() where pass_id = $1", [id]);
    await until(() => messagesOf(id).length === 3);
    await quiet();
    assert.deepEqual(
      messagesOf(id).map(({ body }) => body),
      ["One", "Two", "Three"],
    );
  });

  it("are not kept for passes that are not at Google, nor after an erasure", async () => {
    const { id } = await seedPass(api, "acme");
    await notify(id, { content: "Ready." });
    const erased = await savedPass();
    await notify(erased, { content: "Ready." });
    await api.delete(`/api/acme/passes/${erased}`, { key });
    const rows = await api.sql("select from google_message where pass_id = any($1)", [
      [id, erased],
    ]);
    assert.equal(rows.length, 0);
  });

  it("tell of a change that the template announces, and only as often as Google allows", async () => {
    const loyalty = String(PASS_FILES["server/passes/loyalty.yml"]);
    const announced = 'value: "{{ data.firstName }}", change: "You are now %@"';
    await seedGoogleTenant(api, "told", {
      "server/passes/loyalty.yml": loyalty.replace('value: "{{ data.firstName }}"', announced),
    });
    const patches = async (tenantId: string, fault: Fault) => {
      const id = await savedPass(tenantId);
      google.fail(({ body }) => (body.notifyPreference === undefined ? undefined : fault));
      google.calls.length = 0;
      const body = { additionalData: { firstName: "Ada" } };
      await api.patch(`/api/${tenantId}/passes/${id}`, { key, body });
      const name = () => objectOf(id).accountName;
      await until(() => name() === "Ada");
      return google
        .callsTo(`${ISSUER_ID}.${id}`)
        .map(({ method, body: { notifyPreference } }) => [method, notifyPreference]);
    };
    const [loud, silent] = [
      ["PATCH", "NOTIFY_ON_UPDATE"],
      ["PATCH", undefined],
    ];
    assert.deepEqual(await patches("acme", undefined), [silent]);
    assert.deepEqual(await patches("told", undefined), [loud]);
    const quota = { error: { message: "Quota", errors: [{ reason: "quotaExceeded" }] } };
    assert.deepEqual(await patches("told", { status: 403, body: quota }), [loud, silent]);
  });

  it("and changes that Google tells of itself notify three times in a day together", async () => {
    const loyalty = String(PASS_FILES["server/passes/loyalty.yml"]);
    const announced = 'value: "{{ data.firstName }}", change: "You are now %@"';
    await seedGoogleTenant(api, "points", {
      "server/passes/loyalty.yml": loyalty.replace('value: "{{ data.firstName }}"', announced),
      "layouts/loyalty.google.yml":
        'object: { loyaltyPoints: { label: Points, balance: { string: "{{ data.firstName }}" } } }\n',
    });
    const id = await savedPass("points");
    const path = `/api/points/passes/${id}`;
    await api.put(`${path}/notification`, { key, body: { content: "Welcome." } });
    await until(() => messagesOf(id).length === 1);
    google.calls.length = 0;
    const object = () => objectOf(id);
    for (const firstName of ["1", "2", "3"]) {
      const body = { additionalData: { firstName } };
      await api.patch(path, { key, body });
      await until(() => object().loyaltyPoints.balance.string === firstName);
      await settled(id);
    }
    const preferences = google
      .callsTo(`${ISSUER_ID}.${id}`)
      .filter(({ method }) => method === "PATCH")
      .map(({ body }) => body.notifyPreference);
    assert.deepEqual(preferences, ["NOTIFY_ON_UPDATE", "NOTIFY_ON_UPDATE", undefined]);
    await api.put(`${path}/notification`, { key, body: { content: "Once more." } });
    await until(() => messagesOf(id).length === 2);
    assert.equal(messagesOf(id)[1].messageType, "TEXT");
  });

  it("fall back to a language that was sent", () => {
    const sent = { id: "evt_1", passId: "ps_1", title: null, content: null };
    const message = { ...sent, localizedContent: { fr: "Prêt." } };
    const made = messageContent(message, "en", "Harbour Club", "TEXT");
    assert.deepEqual(made, {
      id: "evt_1",
      header: "Harbour Club",
      body: "Prêt.",
      messageType: "TEXT",
    });
  });
});
