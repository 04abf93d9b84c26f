import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBreakableLink } from "#test/support/breakable-link.ts";
import { openJourneys, person } from "#test/support/journey-stage.ts";
import { createDatabase, toUrl } from "#test/support/server.ts";
import { startApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";

describe("journeys while the database is away", () => {
  it("503: vendors try again, nothing is lost, and nobody is told twice", async (t) => {
    const database = await createDatabase();
    const link = await createBreakableLink(database.connection);
    const api = await startApi(t, { database: { ...database, url: toUrl(link.connection) } });
    t.after(() => link.close());
    t.after(() => database.drop());
    const klaviyo = await openJourneys(api);
    const marketing = await openJourneys(api, "sfmc", { jwtSecret: "s" });
    const { body } = await api.get(marketing.path, { key: api.operatorKey });
    const inPlaceOf = { "http://localhost:0": api.url };
    const { sfmc } = await startVendors(t, { inPlaceOf });
    const configUrl = `${body.webhookUrl}/config.json`;
    const { id } = await sfmc.createActivity({ configUrl, jwtSecret: "s" });
    await sfmc.publish(id);
    const wanted = { ...person("C-1"), idempotencyKey: "1", notification: { text: "Welcome." } };
    await klaviyo.call("createPass", person("C-0"));

    await link.cut();
    const away = await klaviyo.call("createPass", wanted);
    assert.equal(away.status, 503, away.text);
    assert.match(away.headers.get("retry-after") ?? "", /^\d+$/);
    const inArguments = [{ action: "createPass", "notification.text": "Welcome." }];
    const entering = sfmc.enter(id, { contactKey: "003-1", inArguments });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await link.restore();

    const call = await entering;
    assert.equal(call.status, 200, call.answer);
    assert.equal(sfmc.activities.get(id).contacts["003-1"]?.status, "created");
    assert.ok(sfmc.activities.get(id).calls.some(({ status }) => (status ?? 0) >= 500));
    let again = await klaviyo.call("createPass", wanted);
    for (let tries = 0; again.status === 503 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      again = await klaviyo.call("createPass", wanted);
    }
    assert.equal(again.body.status, "created", again.text);
    const told = (names: readonly string[]) => names.filter((name) => name === "pass.notified");
    assert.equal(told(await klaviyo.events()).length, 1);
    assert.equal(told(await marketing.events()).length, 1);
  });
});
