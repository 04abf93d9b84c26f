import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Clock } from "#kernel/clock.ts";
import { shareApi } from "#test/support/start-api.ts";
import { openVendor } from "#test/support/vendor-stage.ts";
import { startVendors } from "#test/support/vendors.ts";

const KEY = "topsecret";
const BODY = `{
  "action": "createPass",
  "idempotencyKey": "{{campaign.id}}-{{message.id}}",
  "identifiers": { "customerio.id": "{{customer.id}}" },
  "passType": "member",
  "additionalData": { "firstName": "{{customer.first_name}}", "points": "{{customer.points}}" }
}`;

let count = 0;

/** The clock of the vendor, which may be wrong. */
class ManualWall implements Clock {
  at: Date | undefined;

  now(): Date {
    return this.at ?? new Date();
  }
}

describe("webhook actions of Customer.io (customerio.get, customerio.put, customerio.delete)", () => {
  const api = shareApi();

  async function open(t: TestContext, wall?: Clock) {
    count += 1;
    const inPlaceOf = { "http://localhost:0": api().url };
    const vendors = await startVendors(t, { inPlaceOf, ...(wall && { wall }) });
    const { customerio } = vendors;
    const workspace = `workspace-${count}`;
    const tenantId = `io-${count}`;
    const stage = await openVendor(api(), tenantId, {
      connector: "customerio",
      settings: { signingKey: KEY },
      identifier: "customerio.id",
      sign: () => ({}),
    });
    customerio.createWorkspace({ id: workspace, signingKey: KEY, url: stage.shown.webhookUrl });
    const campaign = (body: string) => customerio.createCampaign({ workspace, body }).id;
    const enter = async (id: string, customer: Record<string, string | number>) => {
      const [delivery] = customerio.enter(id, { customer });
      await vendors.idle();
      return delivery;
    };
    return { ...stage, tenantId, vendors, customerio, campaign, enter };
  }

  it("give people who enter a campaign a pass, through the inbox", async (t) => {
    const { campaign, enter, hasten, pass } = await open(t);
    const sent = await enter(campaign(BODY), { id: 7, first_name: 'Ada "A"', points: 12 });
    assert.deepEqual([sent?.state, sent?.attempts.length], ["delivered", 1]);
    await hasten();
    assert.deepEqual((await pass("7"))?.data, { firstName: 'Ada "A"', points: 12 });
  });

  it("happen once, however often one is sent, replayed by hand or repeated by the vendor", async (t) => {
    const { campaign, enter, hasten, deliveries, path, customerio, vendors } = await open(t);
    await enter(campaign(BODY), { id: 7, first_name: "Ada", points: 1 });
    await hasten();
    const told = `{"action":"notifyPass","idempotencyKey":"{{message.id}}",
      "identifiers":{"customerio.id":"{{customer.id}}"},"notification":{"text":"Ready."}}`;
    const sent = await enter(campaign(told), { id: 7 });
    customerio.outbox.again(String(sent?.id));
    await vendors.idle();
    await hasten();
    const rows = await deliveries();
    assert.deepEqual(
      [...new Set(rows.map(({ topic, status }) => `${topic} ${status}`))],
      ["createPass done", "notifyPass done"],
    );
    const replay = `${path}/inbox/${rows[1]?.id}/replay`;
    assert.equal((await api().post(replay, { key: api().operatorKey })).status, 202);
    await hasten();
    const events = await api().sql(
      "select from event where tenant_id = $1 and name = 'pass.notified'",
      [String(rows[0]?.tenant_id)],
    );
    assert.equal(events.length, 1);
  });

  it("that cannot be understood or done are taken, so that those behind them are not held up", async (t) => {
    const { campaign, enter, hasten, deliveries, pass } = await open(t);
    const poison = [
      '{"action":',
      "[]",
      '{"action":"explode","identifiers":{"customerio.id":"1"}}',
      '{"action":"createPass"}',
      '{"action":"updatePass","identifiers":{"customerio.id":"404"}}',
      '{"action":"createPass","identifiers":{"customerio.id":"1"},"passType":"nothing"}',
      '{"action":"createPass","identifiers":{"customerio.id":"1"},"options":{"UpdateMetadata":true}}',
    ];
    for (const body of poison) {
      const sent = await enter(campaign(body), { id: 1 });
      assert.equal(sent?.state, "delivered", body);
    }
    await enter(campaign(BODY), { id: 8, first_name: "Grace", points: 2 });
    await hasten();
    assert.notEqual(await pass("8"), undefined);
    const rows = await deliveries();
    assert.equal(rows.filter(({ status }) => status === "failed").length, poison.length);
    for (const { status, problem } of rows) {
      if (status === "failed") assert.ok(String(problem).length > 10, String(problem));
    }
  });

  it("that failed may be sent again with their key", async (t) => {
    const { campaign, enter, hasten, pass, deliveries } = await open(t);
    const change = `{"action":"updatePass","idempotencyKey":"always",
      "identifiers":{"customerio.id":"7"},"additionalData":{"points":"{{customer.points}}"}}`;
    const changes = campaign(change);
    await enter(changes, { id: 7, points: 3 });
    await hasten();
    await enter(campaign(BODY), { id: 7, first_name: "Ada", points: 1 });
    await hasten();
    await enter(changes, { id: 7, points: 4 });
    await hasten();
    assert.deepEqual((await pass("7"))?.data, { firstName: "Ada", points: 4 });
    // What was done by its key is not done again.
    await enter(changes, { id: 7, points: 5 });
    await hasten();
    assert.deepEqual((await pass("7"))?.data, { firstName: "Ada", points: 4 });
    const statuses = (await deliveries()).map(({ status }) => status);
    assert.deepEqual(statuses, ["failed", "done", "done", "done"]);
  });

  it("leave nothing of somebody who is erased, whether they could be read or not", async (t) => {
    const { tenantId, campaign, enter, hasten, deliveries } = await open(t);
    const key = api().operatorKey;
    const identifiers = { "crm.id": "CANARY-7" };
    const call = (more: object) => JSON.stringify({ passType: "member", ...more });
    await enter(campaign(call({ action: "createPass", identifiers })), {});
    await hasten();
    const [made] = await api().sql("select id from pass where tenant_id = $1", [tenantId]);
    const note = "CANARY";
    for (const body of [
      call({ identifiers, note }),
      call({ action: "makePass", "identifiers.crm.id": "CANARY-7" }),
      call({ action: "updatePass", identifiers: { ...identifiers, "crm.no": [1] } }),
      call({ action: "nothing", passId: made?.id, note }),
      `{"action": "createPass", "identifiers": {"crm.id": "CANARY-7",}, "note": "CANARY"}`,
    ]) {
      await enter(campaign(body), {});
    }
    const other = call({ identifiers: { "crm.id": "other" } });
    await enter(campaign(other), {});
    await hasten();
    const gone = await api().delete(`/api/${tenantId}/passes/${made?.id}`, { key });
    assert.ok(gone.status < 300, gone.text);
    const rows = await deliveries();
    assert.deepEqual(
      rows.map(({ status, subject, body }) => [status, subject === "erased", body !== null]),
      [
        ["done", true, false],
        ...Array.from({ length: 5 }, () => ["failed", true, false]),
        ["failed", false, true],
      ],
    );
    for (const table of ["inbound_delivery", "inbound_trace"]) {
      const found = await api().sql(
        `select x::text as row from ${table} as x where tenant_id = $1`,
        [tenantId],
      );
      assert.deepEqual(
        found.filter(({ row }) => /CANARY/.test(String(row))),
        [],
        table,
      );
    }
  });

  it("that wait do not bring somebody back who is erased, by whatever identifier they are known", async (t) => {
    const { tenantId, campaign, enter, hasten, deliveries } = await open(t);
    const key = api().operatorKey;
    const known = (identifiers: object) =>
      JSON.stringify({ action: "createPass", passType: "member", identifiers });
    const ids = { "customerio.id": "7", "crm.customerId": "C-7" };
    await enter(campaign(known(ids)), {});
    await hasten();
    const [made] = await api().sql("select id from pass where tenant_id = $1", [tenantId]);
    // These wait for an hour, as after a failed attempt.
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject,
                                     occurred_at, received_at, headers, body, next_attempt_at)
       select $1, 'inb_' || name, 'customerio', name, 'createPass', subject, now(), now(), '{}',
              convert_to($2, 'UTF8'), now() + interval '1 hour'
         from (values ('own', 'id=7'), ('crm', 'crm.customerId=C-7'), ('pass', $3),
                      ('traced', 'id=8'), ('other', 'id=9')) as waiting (name, subject)`,
      [tenantId, known(ids), `passId=${made?.id}`],
    );
    await api().sql(
      `insert into inbound_trace (tenant_id, term, delivery_id)
       values ($1, 'customerio.crm.customerId=C-7', 'inb_traced')`,
      [tenantId],
    );
    const gone = await api().delete(`/api/${tenantId}/passes/${made?.id}`, { key });
    assert.ok(gone.status < 300, gone.text);
    const rows = await deliveries();
    assert.deepEqual(
      rows.map(({ dedupe_key: name, status, body }) => [name, status, body !== null]).slice(1),
      [
        ["crm", "ignored", false],
        ["other", "waiting", true],
        ["own", "ignored", false],
        ["pass", "ignored", false],
        ["traced", "ignored", false],
      ],
    );
    const kept = await api().sql(
      "select subject from connector_subject where tenant_id = $1 and subject like 'crm.%'",
      [tenantId],
    );
    assert.deepEqual(kept, [], "identifiers of other systems are not kept");
  });

  it("with several identifiers are found by each of them while they wait", async (t) => {
    const { tenantId, campaign, enter } = await open(t);
    const body = JSON.stringify({
      action: "createPass",
      identifiers: { "customerio.id": "7", "crm.customerId": "C-7" },
    });
    await enter(campaign(body), {});
    const terms = await api().sql(
      "select term from inbound_trace where tenant_id = $1 order by term",
      [tenantId],
    );
    assert.deepEqual(
      terms.map(({ term }) => term).filter((term) => String(term).startsWith("customerio.")),
      ["customerio.crm.customerId=C-7", "customerio.id=7"],
    );
  });

  it("are refused if they are not signed, are signed by others, or are older than five minutes", async (t) => {
    // One after the other would wait: what is refused holds back those behind it.
    for (const wrong of ["no-signature", "wrong-signature", "too old"] as const) {
      const wall = new ManualWall();
      const { campaign, enter, deliveries, customerio } = await open(t, wall);
      if (wrong === "too old") wall.at = new Date(Date.now() - 301_000);
      else customerio.outbox.setFault({ kind: wrong, times: 1 });
      const sent = await enter(campaign(BODY), { id: 7 });
      assert.equal(sent?.attempts[0]?.status, 401, wrong);
      assert.equal((await deliveries()).length, 0, wrong);
    }
  });

  it("are tried again by the vendor after an outage, and none is lost", async (t) => {
    const { campaign, enter, hasten, pass, path, vendors } = await open(t);
    const key = api().operatorKey;
    await api().put(path, { key, body: { passType: "member", enabled: false } });
    const sent = await enter(campaign(BODY), { id: 9, first_name: "Ada", points: 3 });
    assert.equal(sent?.attempts[0]?.status, 404);
    await api().put(path, { key, body: { passType: "member", enabled: true } });
    await vendors.advance(120_000);
    assert.equal(sent?.state, "delivered");
    await hasten();
    assert.notEqual(await pass("9"), undefined);
  });
});
