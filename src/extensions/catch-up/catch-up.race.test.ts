import { after, describe, it } from "node:test";
import { holdPublication, untilTaken } from "#test/support/hold-commit.ts";
import { startApi } from "#test/support/start-api.ts";
import { openPretix, startTicketVendors } from "#test/support/ticket-stage.ts";
import { until } from "#test/support/webhook-receiver.ts";

const ground = await startTicketVendors({ after });
const api = await startApi({ after }, { env: { ROLES: "api" } });
const JOB = "extension.catch-up";

/** As if the minute in which settings settle were over. */
const hasten = () =>
  api.sql(
    "update pgboss.job_common set start_after = now() where name = $1 and state = 'created'",
    [JOB],
  );

describe("the look at a vendor after its settings were saved", () => {
  it("follows settings that are committed while the look by those before them begins", async () => {
    const { pretix } = ground.vendors;
    const stage = await openPretix(api, ground, "settled", { events: ["regatta-settled"] });
    pretix.createEvent({ slug: "second", organizer: "settled", name: "Second", items: ["Deck"] });
    const held = holdPublication(api, "settled");
    const second = stage.put({ events: ["second"] });
    await held.reached;
    pretix.server.forget();
    const asked = () => stage.requests().filter(({ path }) => path.includes("/orders/"));

    await hasten();
    await api.node({ ROLES: "worker" });
    await untilTaken(api, JOB);
    held.release();

    await second;
    await until(async () => {
      await hasten();
      return asked().some(({ path }) => path.includes("/second/orders/"));
    });
  });
});
