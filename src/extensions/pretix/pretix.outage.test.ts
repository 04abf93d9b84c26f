import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createBreakableLink } from "#test/support/breakable-link.ts";
import { createDatabase, toUrl } from "#test/support/server.ts";
import { startApi } from "#test/support/start-api.ts";
import { openPretix, openTito, startTicketVendors } from "#test/support/ticket-stage.ts";

const ground = await startTicketVendors({ after });
const { pretix, tito } = ground.vendors;
const HOUR_MS = 3_600_000;

describe("vendors of tickets while our own database is away", () => {
  it("503: and never 410, so they send again, and nothing is lost", async (t) => {
    const database = await createDatabase();
    const link = await createBreakableLink(database.connection);
    const api = await startApi(t, { database: { ...database, url: toUrl(link.connection) } });
    t.after(() => link.close());
    t.after(() => database.drop());
    const shop = await openPretix(api, ground, "away-1");
    const fair = await openTito(api, ground, "away-2");
    await link.cut();
    const { code } = shop.sell(["Ada"]);
    const { slug } = fair.sell("Bob");
    await ground.vendors.idle();
    await link.restore();
    const sent = [...pretix.outbox.deliveries, ...tito.outbox.deliveries];
    assert.equal(sent.length, 4);
    for (const { attempts } of sent) assert.equal(attempts[0]?.status, 503);
    for (let hours = 0; hours < 6; hours += 1) {
      if (sent.every(({ state }) => state === "delivered")) break;
      await ground.vendors.advance(HOUR_MS);
    }
    assert.ok(sent.every(({ state }) => state === "delivered"));
    await shop.settled();
    await fair.settled();
    await shop.hasten();
    await fair.hasten();
    assert.deepEqual(
      (await shop.passes())[0]?.identifiers["pretix.orderCode"],
      `${shop.event}/${code}`,
    );
    assert.deepEqual((await fair.passes())[0]?.data, { holder: "Bob", barcode: slug });
  });
});
