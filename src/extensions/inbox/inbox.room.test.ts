import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { customerText, openSigningVendors } from "#test/support/signing-vendors.ts";
import { shareApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { hasRoom, WAITING_BYTES_MAX, WAITING_MAX } from "./inbox.room.ts";

/** As a shop leaves it whose deliveries nobody has worked on for long. */
const fill = (api: TestApi, tenantId: string, count: number) =>
  api.sql(
    `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject, tells,
                                   occurred_at, received_at, headers, body, next_attempt_at)
     select $1, 'inb_' || n, 'shopify', n::text, 'customers/update', 'customerId=' || n, 'state',
            now(), now(), '{}', '\\x7b7d', now()
       from generate_series(1, $2::integer) as n`,
    [tenantId, count],
  );

describe("an inbox that is full", () => {
  // Without the role `worker`, so that nothing is worked on.
  const api = shareApi({ env: { ROLES: "api" } });

  it("503: the vendor is asked to send it again later, others are served, and nothing is lost", async () => {
    const [busy, calm] = [
      await openSigningVendors(api(), "busy"),
      await openSigningVendors(api(), "calm"),
    ];
    await fill(api(), "busy", 20_000);
    const body = customerText("shopify", "77777");
    const headers = { "x-shopify-webhook-id": "again" };
    const refused = await busy.send("shopify", body, headers);
    assert.deepEqual([refused.status, refused.body.code], [503, "inbox.full"]);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    // Whoever cannot sign learns nothing of it.
    const forged = { "x-shopify-hmac-sha256": "AAAA" };
    assert.equal((await busy.send("shopify", body, forged)).status, 401);
    // Topics that ask for nothing need no room.
    const other = { "x-shopify-topic": "themes/publish" };
    assert.equal((await busy.send("shopify", "{}", other)).status, 200);
    assert.equal((await busy.send("square", customerText("square", "1"))).status, 200);
    assert.equal((await calm.send("shopify", body)).status, 200);

    const gallery = await api().get("/api/busy/admin/extensions", { key: api().operatorKey });
    const [shop] = gallery.body.filter(({ name }: { name: string }) => name === "shopify");
    assert.match(shop.problem, /More than 20000 deliveries wait/);

    await api().sql("delete from inbound_delivery where id in ('inb_1', 'inb_2')");
    await until(async () => {
      return (await busy.send("shopify", body, headers)).status === 200;
    }, "there is room");
    const stored = await api().sql("select from inbound_delivery where dedupe_key = 'again'");
    assert.equal(stored.length, 1);
  });

  it("503: bytes count as well, and the gallery says so", async () => {
    const { send } = await openSigningVendors(api(), "heavy");
    // Smaller on disk, and of the same size to whoever counts.
    await api().sql("alter table inbound_delivery alter column body set storage extended");
    await fill(api(), "heavy", 256);
    await api().sql(
      `update inbound_delivery set body = convert_to(repeat('x', 1024 * 1024), 'UTF8')
        where tenant_id = 'heavy'`,
    );
    const body = customerText("shopify", "77777");
    await until(async () => (await send("shopify", body)).status === 503, "it is full");
    const gallery = await api().get("/api/heavy/admin/extensions", { key: api().operatorKey });
    const [shop] = gallery.body.filter(({ name }: { name: string }) => name === "shopify");
    assert.match(shop.problem, /too large together/);
  });

  it("503: a process counts what it stores itself", async () => {
    const { send, deliveries } = await openSigningVendors(api(), "flooded");
    await fill(api(), "flooded", 19_990);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => send("shopify", customerText("shopify", `${at}`))),
    );
    const taken = answers.filter(({ status }) => status === 200).length;
    assert.equal(taken, 10);
    assert.equal((await deliveries()).length, 20_000);
  });
});

describe("hasRoom", () => {
  it("counts deliveries and bytes", () => {
    assert.ok(hasRoom({ deliveries: WAITING_MAX - 1, sizeBytes: 0 }, 10));
    assert.ok(!hasRoom({ deliveries: WAITING_MAX, sizeBytes: 0 }, 10));
    assert.ok(hasRoom({ deliveries: 1, sizeBytes: WAITING_BYTES_MAX - 10 }, 10));
    assert.ok(!hasRoom({ deliveries: 1, sizeBytes: WAITING_BYTES_MAX - 10 }, 11));
  });
});
