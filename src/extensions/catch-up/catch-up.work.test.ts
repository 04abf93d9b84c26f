import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { openPretix, startTicketVendors, TICKET_FILES } from "#test/support/ticket-stage.ts";
import type { CatchUp } from "../kit/catch-up.ts";
import type { Connection } from "../kit/connector.ts";
import { pretix as connector } from "../pretix/pretix.connector.ts";
import { catchUpAll, catchUpTenant } from "./catch-up.jobs.ts";
import { catchUpWith } from "./catch-up.service.ts";
import { SPREAD_MS, spreadMs } from "./catch-up.spread.ts";

const ground = await startTicketVendors({ after });
const { pretix } = ground.vendors;

let count = 0;
const nextTenant = () => {
  count += 1;
  return `night-${count}`;
};

type Look = CatchUp<Connection>;
const look = connector.catchUp as Look;
const noEnd = () => new AbortController().signal;

describe("the turn of a tenant in the night", () => {
  it("is the same every night, within the hour, and not that of its neighbours", () => {
    const turns = Array.from({ length: 100 }, (_, at) => spreadMs(`tenant-${at}`, "pretix"));
    assert.ok(turns.every((ms) => ms >= 0 && ms < SPREAD_MS));
    assert.ok(new Set(turns).size > 95);
    assert.equal(spreadMs("tenant-1", "pretix"), turns[1]);
  });
});

describe("the nightly look at what a vendor did not tell", () => {
  const api = shareApi();
  const open = (settings: object = {}) => openPretix(api(), ground, nextTenant(), settings);
  type Stage = Awaited<ReturnType<typeof open>>;
  const states = async (stage: Stage) =>
    (await stage.passes()).map(({ data, status }) => [data.holder, status]);
  const lose = (t: { after(undo: () => void): void }) => {
    t.after(() => pretix.outbox.setFault(undefined));
    pretix.outbox.setFault({ kind: "lost" });
  };
  const contextOf = ({ tenantId }: Stage) =>
    systemCall(api().runtime, "extension.catch-up", { tenantId });
  const heal = () => pretix.server.setFault(undefined);

  it("finds new, changed and cancelled orders, and leaves alone what is known", async (t) => {
    const stage = await open();
    const known = stage.sell(["Ada"]);
    const cancelled = stage.sell(["Bob"]);
    await stage.settled();
    lose(t);
    pretix.cancelOrder(cancelled.code);
    stage.sell(["Cleo"]);
    await stage.settled();
    assert.deepEqual(await states(stage), [
      ["Ada", "active"],
      ["Bob", "active"],
    ]);
    pretix.server.forget();
    await stage.catchUp();
    assert.deepEqual(await states(stage), [
      ["Ada", "active"],
      ["Bob", "disabled"],
      ["Cleo", "active"],
    ]);
    const asked = pretix.server.requests.filter(({ path }) => path.includes(`/${known.code}/`));
    assert.deepEqual(asked, []);
    const topics = (await stage.deliveries()).map(({ topic }) => topic);
    assert.deepEqual(topics.slice(-2), ["catch-up", "catch-up"]);
  });

  it("goes on the next night from where pretix says, and does nothing twice", async (t) => {
    const stage = await open();
    lose(t);
    stage.sell(["Ada"]);
    await stage.catchUp();
    const before = (await stage.deliveries()).length;
    pretix.server.forget();
    await stage.catchUp();
    const list = stage.requests().find(({ path }) => path.includes("/orders/?"));
    assert.match(String(list?.path), /modified_since=20/);
    assert.equal((await stage.deliveries()).length, before);
    const order = stage.sell(["Bob"]);
    pretix.checkIn(order.code, 1);
    await stage.catchUp();
    assert.deepEqual(await states(stage), [
      ["Ada", "active"],
      ["Bob", "active"],
    ]);
    assert.equal((await stage.scans()).length, 1);
  });

  it("takes all pages, and never the address that a page names", async (t) => {
    const stage = await open();
    lose(t);
    for (let sold = 0; sold < 60; sold += 1) stage.sell([`P${sold}`]);
    pretix.server.forget();
    await stage.catchUp();
    assert.equal((await stage.passes()).length, 60);
    const pages = stage.requests().filter(({ path }) => path.includes("/orders/?"));
    assert.deepEqual(
      pages.map(({ path }) => new URL(path, pretix.url).searchParams.get("page")),
      ["1", "1"],
    );
  });

  it("misses nothing while orders change and others move up in the list", async (t) => {
    const stage = await open();
    lose(t);
    const sold = Array.from({ length: 60 }, (_, at) => stage.sell([`P${at}`]));
    let pages = 0;
    const page: Look["page"] = async (...wish) => {
      const found = await look.page(...wish);
      pages += 1;
      if (pages > 1) return found;
      for (const { code } of sold.slice(0, 10))
        pretix.changePosition(code, 1, { attendee_email: "a@example.com" });
      return found;
    };
    await catchUpWith(contextOf(stage), { ...connector, catchUp: { ...look, page } }, noEnd());
    await stage.settled();
    assert.equal((await stage.passes()).length, 60);
  });

  it("asks for a further page only where a whole page is of the same moment", async (t) => {
    const stage = await open();
    lose(t);
    const at = new Date().toISOString();
    for (let sold = 0; sold < 60; sold += 1) {
      const order = stage.sell([`P${sold}`]);
      pretix.orders.put(order.code, { ...order, last_modified: at });
    }
    pretix.server.forget();
    await stage.catchUp();
    assert.equal((await stage.passes()).length, 60);
    const asked = stage.requests().filter(({ path }) => path.includes("/orders/?"));
    assert.deepEqual(
      asked.map(({ path }) => new URL(path, pretix.url).searchParams.get("page")),
      ["1", "1", "2"],
    );
  });

  it("leaves half of the inbox to what vendors send, keeps its place, and goes on later", async (t) => {
    const stage = await open();
    lose(t);
    stage.sell(["Ada"]);
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                     occurred_at, received_at, headers, body, next_attempt_at, problem)
       select $1, 'inb_' || n, 'pretix', n::text, 'x', 'order=' || n, now(), now(), '{}',
              '\\x7b7d', now() + interval '1 hour', 'waits'
         from generate_series(1, 10000) as n`,
      [stage.tenantId],
    );
    const later = () =>
      api().sql(
        `select data -> 'payload' as payload from pgboss.job
          where name = 'extension.catch-up' and data ->> 'tenantId' = $1 and state = 'created'
            and start_after > now() + interval '5 minutes'
            -- Those of ten minutes have one time, so that many looks leave one rest.
            and extract(epoch from start_after)::bigint % 600 = 0
          order by data -> 'payload' ->> 'part' nulls first`,
        [stage.tenantId],
      );
    await api().sql(
      "delete from pgboss.job where name = 'extension.catch-up' and data ->> 'tenantId' = $1",
      [stage.tenantId],
    );
    await stage.catchUp();
    await stage.catchUp(stage.event);
    assert.deepEqual(
      (await later()).map(({ payload }) => payload),
      [{ connector: "pretix" }, { connector: "pretix", part: stage.event }],
    );
    const places = await api().sql("select from connector_place where tenant_id = $1", [
      stage.tenantId,
    ]);
    assert.equal(places.length, 0);
    assert.equal((await stage.deliveries()).length, 10_000);
    await api().sql("delete from inbound_delivery where tenant_id = $1", [stage.tenantId]);
    await stage.catchUp();
    assert.deepEqual(await states(stage), [["Ada", "active"]]);
  });

  it("comes every night also to a tenant that has published its file and asked for nothing", async () => {
    const tenantId = nextTenant();
    await seedPassTenant(api(), tenantId, {
      ...TICKET_FILES,
      "server/pretix.yml": `baseUrl: ${pretix.url}\norganizer: ${tenantId}\npassType: ticket\n`,
    });
    await catchUpTenant.run(
      systemCall(api().runtime, "extension.catch-up", { tenantId }),
      { connector: "pretix" },
      noEnd(),
    );
    await api().sql(
      "delete from pgboss.job where name = 'extension.catch-up' and data ->> 'tenantId' = $1",
      [tenantId],
    );
    await catchUpAll.run(systemCall(api().runtime, "extension.plan-catch-up"), {}, noEnd());
    const planned = await api().sql(
      "select from pgboss.job where name = 'extension.catch-up' and data ->> 'tenantId' = $1",
      [tenantId],
    );
    assert.equal(planned.length, 1);
  });

  it("keeps its place while the vendor is away, and finds all afterwards", async (t) => {
    const stage = await open();
    t.after(heal);
    lose(t);
    stage.sell(["Ada"]);
    for (const kind of ["503", "redirect", "huge", "wrong-json", "refuse"] as const) {
      await pretix.server.setFault({ kind });
      await assert.rejects(stage.catchUp(), kind);
    }
    const places = await api().sql("select from connector_place where tenant_id = $1", [
      stage.tenantId,
    ]);
    assert.equal(places.length, 0);
    await heal();
    await stage.catchUp();
    assert.deepEqual(await states(stage), [["Ada", "active"]]);
  });

  it("one event that cannot be looked through keeps no other from its turn", async (t) => {
    const stage = await open({ events: ["gone", `regatta-night-${count + 1}`] });
    lose(t);
    stage.sell(["Ada"]);
    await assert.rejects(stage.catchUp(), /no such event/);
    await stage.settled();
    assert.deepEqual(await states(stage), [["Ada", "active"]]);
  });

  it("does nothing for a tenant that has switched the connector off", async (t) => {
    const stage = await open();
    lose(t);
    stage.sell(["Ada"]);
    await stage.put({ enabled: false });
    pretix.server.forget();
    await stage.catchUp();
    assert.deepEqual(stage.requests(), []);
  });

  it("a changed event is shown on all of its tickets, by one look for several changes", async () => {
    const stage = await open({ fields: { holder: "attendee_name", event: "event.name.en" } });
    stage.sell(["Ada"]);
    stage.sell(["Bob"]);
    await stage.settled();
    pretix.changeEvent(stage.tenantId, stage.event, { name: "Night regatta" });
    pretix.changeEvent(stage.tenantId, stage.event, { name: "Late regatta" });
    await stage.settled();
    const jobs = await api().sql(
      `select data -> 'payload' as payload, count(*)::int as count from pgboss.job
        where name = 'extension.catch-up' and data ->> 'tenantId' = $1
          and data -> 'payload' ? 'part'
        group by start_after, data -> 'payload'`,
      [stage.tenantId],
    );
    // A look has a minute, and between the two changes another one may have begun.
    const one = { payload: { connector: "pretix", part: stage.event }, count: 1 };
    assert.deepEqual(jobs, jobs.length === 2 ? [one, one] : [one]);
    await stage.catchUp(stage.event);
    assert.deepEqual(
      (await stage.passes()).map(({ data }) => data.event),
      ["Late regatta", "Late regatta"],
    );
    const plain = await open();
    pretix.changeEvent(plain.tenantId, plain.event, { name: "Late regatta" });
    await plain.settled();
    assert.deepEqual(await plain.deliveries(), [], "nobody is asked where nothing of it is shown");
  });

  it("is planned when the settings are saved, and for every tenant with such a connector, once", async () => {
    const stage = await open();
    const planned = () =>
      api().sql(
        `select start_after > now() + interval '30 seconds' as later from pgboss.job
          where name = 'extension.catch-up' and data ->> 'tenantId' = $1`,
        [stage.tenantId],
      );
    assert.deepEqual(await planned(), [{ later: true }]);
    await api().sql(
      "delete from pgboss.job where name = 'extension.catch-up' and data ->> 'tenantId' = $1",
      [stage.tenantId],
    );
    const plan = () =>
      catchUpAll.run(
        systemCall(api().runtime, "extension.plan-catch-up"),
        {},
        new AbortController().signal,
      );
    await plan();
    await plan();
    assert.equal((await planned()).length, 1);
  });
});
