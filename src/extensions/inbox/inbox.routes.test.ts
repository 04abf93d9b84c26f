import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { customer, openShop, SHOP_SECRET } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

let count = 0;
const nextTenant = () => {
  count += 1;
  return `inbox-${count}`;
};

describe("an inbox (inbox.receive)", () => {
  const api = shareApi({ env: { ROLES: "api" } });

  it("200: a signed delivery is stored as it arrived, without what a vendor signs in with", async () => {
    const shop = await openShop(api(), nextTenant());
    const body = '{ "id": 706405506930370084,\n "email": "bob@example.com" }';
    const headers = { authorization: "Basic c2VjcmV0", "x-api-key": "k", cookie: "a=b" };
    const { status, text } = await shop.send({ body, id: "w-1", headers });
    assert.deepEqual([status, text], [200, ""]);
    const [row, ...others] = await shop.deliveries();
    assert.equal(others.length, 0);
    assert.equal(String(row?.body), body);
    assert.deepEqual(
      [row?.dedupe_key, row?.topic, row?.subject, row?.status],
      ["w-1", "customers/update", "customerId=706405506930370084", "waiting"],
    );
    const stored = JSON.stringify(row?.headers);
    assert.match(stored, /x-shopify-topic/);
    assert.doesNotMatch(stored, /c2VjcmV0|x-api-key|cookie/);
  });

  it("200: the same delivery again is acknowledged and stored once", async () => {
    const shop = await openShop(api(), nextTenant());
    const delivery = { body: customer(1), id: "w-1" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => shop.send(delivery)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal((await shop.deliveries()).length, 1);
  });

  it("200: a topic that asks for nothing is acknowledged and not stored", async () => {
    const shop = await openShop(api(), nextTenant());
    assert.equal((await shop.send({ topic: "themes/publish", body: {} })).status, 200);
    assert.equal((await shop.deliveries()).length, 0);
  });

  it("200: a bad item is acknowledged, and stands in the inbox as failed", async () => {
    const shop = await openShop(api(), nextTenant());
    for (const body of ["{", "[]", '"x"', "", '{"id":null}', '{"id":"\\u0000"}', "\uFEFF{}"]) {
      const { status } = await shop.send({ body });
      assert.equal(status, 200, body);
    }
    const rows = await shop.deliveries();
    assert.deepEqual([...new Set(rows.map(({ status }) => status))], ["failed"]);
    assert.ok(rows.every(({ problem }) => String(problem).length > 10));
    const events = await api().sql(
      "select data from event where tenant_id = $1 and name = 'extension.delivery-failed'",
      [shop.tenantId],
    );
    assert.equal(events.length, rows.length);
  });

  it("200: of bad items, more than anybody looks at is acknowledged and not stored", async () => {
    const shop = await openShop(api(), nextTenant());
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                     occurred_at, received_at, headers, body, next_attempt_at,
                                     status, finished_at)
       select $1, 'inb_' || n, 'shopify', n::text, 'unreadable', 'unreadable=' || n, now(), now(),
              '{}', '\\x7b', now(), 'failed', now()
         from generate_series(1, 999) as n`,
      [shop.tenantId],
    );
    for (const body of ["{1", "{2", "{3"]) assert.equal((await shop.send({ body })).status, 200);
    assert.equal((await shop.deliveries()).length, 1_000);
    assert.equal((await shop.send({ body: customer(1) })).status, 200);
    assert.equal((await shop.deliveries()).length, 1_001, "others need no such room");
  });

  it("401: a wrong signature, and nothing is stored", async () => {
    const shop = await openShop(api(), nextTenant());
    for (const wrong of [{ secret: "other" }, { signature: "" }, { signature: "x" }]) {
      const { status, body } = await shop.send({ body: customer(1), ...wrong });
      assert.deepEqual([status, body.code], [401, "inbox.signature-invalid"]);
      assert.ok(!JSON.stringify(body).includes("secret"));
    }
    assert.equal((await shop.deliveries()).length, 0);
  });

  it("401: without a stored secret nothing is taken", async () => {
    const shop = await openShop(api(), nextTenant());
    const secret = `/api/${shop.tenantId}/secrets/SHOPIFY-CLIENTSECRET`;
    await api().delete(secret, { key: api().operatorKey });
    await api().sql("select pg_sleep(1)");
    assert.equal((await shop.send({ body: customer(1) })).status, 401);
  });

  it("200: after a new secret, the old one holds for a while", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.put({ clientSecret: "hush-2" });
    assert.equal((await shop.send({ body: customer(1), secret: "hush-2" })).status, 200);
    assert.equal((await shop.send({ body: customer(1), secret: SHOP_SECRET })).status, 200);
    assert.equal((await shop.send({ body: customer(1), secret: "hush-3" })).status, 401);
  });

  it("200: after two new secrets in a row, the first one holds for a while", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.put({ clientSecret: "hush-2" });
    await shop.put({ clientSecret: "hush-3" });
    for (const secret of ["hush-3", "hush-2", SHOP_SECRET]) {
      assert.equal((await shop.send({ body: customer(1), secret })).status, 200, secret);
    }
  });

  it("404: no new address (extension.rotate) for a connector that is not configured", async () => {
    const shop = await openShop(api(), nextTenant());
    const path = `/api/${shop.tenantId}/admin/extensions/square/inbox/rotate`;
    const { status, body } = await api().post(path, { key: api().operatorKey });
    assert.deepEqual([status, body.code], [404, "extension.not-configured"]);
  });

  it("404: alike for another token, tenant, vendor, and for one that is switched off", async () => {
    const shop = await openShop(api(), nextTenant());
    const other = await openShop(api(), nextTenant());
    const token = shop.inbox.split("/").at(-1) ?? "";
    const addresses = [
      shop.inbox.slice(0, -1),
      `${shop.inbox}0`,
      shop.inbox.replace(shop.tenantId, other.tenantId),
      shop.inbox.replace(shop.tenantId, "nobody-here"),
      shop.inbox.replace("/shopify/", "/nothing/"),
      shop.inbox.replace(token, "x"),
    ];
    const texts = new Set<string>();
    for (const address of addresses) {
      const { status, body } = await shop.send({ body: customer(1) }, address);
      assert.equal(status, 404, address);
      texts.add(`${body.code} ${body.detail}`);
    }
    await shop.put({ enabled: false });
    const { status, body } = await shop.send({ body: customer(1) });
    assert.equal(status, 404);
    texts.add(`${body.code} ${body.detail}`);
    assert.equal(texts.size, 1);
    assert.equal((await shop.deliveries()).length, 0);
    await shop.put({ enabled: true });
    assert.equal((await shop.send({ body: customer(1) })).status, 200);
  });

  it("404: at once after the settings were removed", async () => {
    const shop = await openShop(api(), nextTenant());
    assert.equal((await shop.send({ body: customer(1) })).status, 200);
    await api().delete(shop.path, { key: api().operatorKey });
    assert.equal((await shop.send({ body: customer(1) })).status, 404);
  });

  it("413: a body above one mebibyte", async () => {
    const shop = await openShop(api(), nextTenant());
    const body = JSON.stringify({ id: 1, note: "x".repeat(1024 * 1024) });
    assert.equal((await shop.send({ body })).status, 413);
  });

  it("200: a new address (extension.rotate) holds at once, and the old one for a day", async () => {
    const shop = await openShop(api(), nextTenant());
    const rotate = () => api().post(`${shop.path}/inbox/rotate`, { key: api().operatorKey });
    const { status, body } = await rotate();
    assert.equal(status, 200);
    const fresh = new URL(body.webhookUrl).pathname;
    assert.notEqual(fresh, shop.inbox);
    assert.equal((await shop.send({ body: customer(1) }, fresh)).status, 200);
    assert.equal((await shop.send({ body: customer(1) })).status, 200);
    await rotate();
    // Whichever of the two the vendor uses by now.
    assert.equal((await shop.send({ body: customer(1) })).status, 200);
    assert.equal((await shop.send({ body: customer(1) }, fresh)).status, 200);
    await api().sql("update connector_inbox set previous_until = now() where tenant_id = $1", [
      shop.tenantId,
    ]);
    await api().sql("select pg_sleep(1)");
    assert.equal((await shop.send({ body: customer(1) }, fresh)).status, 404);
    const token = shop.inbox.split("/").at(-1) ?? "";
    assert.ok(!api().logLines.some((line) => line.includes(token)));
  });

  it("200: administrators read the inbox (inbox.list, inbox.get) and replay (inbox.replay)", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.send({ body: customer(1), id: "w-1" });
    await shop.send({ body: "{", id: "w-2" });
    const key = await api().seed.key(shop.tenantId, "Extension.Read", "Extension.Write");
    const all = await api().get(`${shop.path}/inbox`, { key });
    assert.deepEqual(
      all.body.map(({ topic }: { topic: string }) => topic),
      ["unreadable", "customers/update"],
    );
    const filter = "filter[0].field=status&filter[0].operator=equals&filter[0].value=failed";
    const failed = await api().get(`${shop.path}/inbox?${filter}`, { key });
    assert.deepEqual(failed.body, [all.body[0]]);
    const [bad, good] = all.body;
    const detail = await api().get(`${shop.path}/inbox/${good.deliveryId}`, { key });
    assert.equal(JSON.parse(detail.body.body).id, 1);
    const replay = await api().post(`${shop.path}/inbox/${bad.deliveryId}/replay`, { key });
    assert.equal(replay.status, 202);
    assert.deepEqual([replay.body.status, replay.body.problem], ["waiting", null]);
    const missing = await api().get(`${shop.path}/inbox/inb_nothing`, { key });
    assert.equal(missing.body.code, "inbox.delivery-not-found");
  });
});
