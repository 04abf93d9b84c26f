import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBreakableLink } from "#test/support/breakable-link.ts";
import { createDatabase, toUrl } from "#test/support/server.ts";
import { customer, openShop } from "#test/support/shop-stage.ts";
import { startApi } from "#test/support/start-api.ts";

describe("an inbox whose database is away", () => {
  it("503: with Retry-After and never 410, and takes the same delivery afterwards", async (t) => {
    const database = await createDatabase();
    const link = await createBreakableLink(database.connection);
    const reached = { ...database, url: toUrl(link.connection) };
    const api = await startApi(t, { database: reached });
    t.after(() => link.close());
    t.after(() => database.drop());
    const shop = await openShop(api, "acme");
    const delivery = { body: customer(7), id: "w-1" };
    await link.cut();
    for (const sent of [delivery, { ...delivery, signature: "x" }]) {
      const { status, headers, text } = await shop.send(sent);
      assert.ok(status === 503 || status === 401, text);
      if (status === 503) assert.match(headers.get("retry-after") ?? "", /^\d+$/);
    }
    const { status } = await shop.send(delivery);
    assert.equal(status, 503);
    await link.restore();
    let again = await shop.send(delivery);
    for (let tries = 0; again.status === 503 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      again = await shop.send(delivery);
    }
    assert.equal(again.status, 200);
    await shop.settled();
    assert.notEqual(await shop.pass("7"), undefined);
  });
});
