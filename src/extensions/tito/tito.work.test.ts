import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openTito, startTicketVendors } from "#test/support/ticket-stage.ts";

const ground = await startTicketVendors({ after });
const { tito } = ground.vendors;

let count = 0;
const nextTenant = () => {
  count += 1;
  return `tito-${count}`;
};

describe("what Tito sends", () => {
  const api = shareApi();
  const open = (settings: object = {}) => openTito(api(), ground, nextTenant(), settings);

  it("a ticket becomes a pass, and changes with it", async () => {
    const stage = await open();
    const { slug } = stage.sell("Ada", { last_name: "Lovelace" });
    await stage.settled();
    const [made] = await stage.passes();
    assert.deepEqual(made?.data, { holder: "Ada Lovelace", barcode: slug });
    tito.updateTicket(slug, { last_name: "King" });
    tito.updateTicket(slug, { first_name: "Grace" }, "ticket.reassigned");
    await stage.settled();
    const passes = await stage.passes();
    assert.equal(passes.length, 1);
    assert.deepEqual(passes[0]?.data, { holder: "Grace King", barcode: slug });
    assert.deepEqual(await stage.statuses(), ["done", "done", "done", "done"]);
  });

  it("a void ticket is disabled, and good again when that is taken back", async () => {
    const stage = await open();
    const { slug } = stage.sell("Ada");
    tito.voidTicket(slug);
    await stage.settled();
    assert.deepEqual((await stage.passes())[0]?.status, "disabled");
    tito.unvoidTicket(slug);
    await stage.settled();
    assert.deepEqual((await stage.passes())[0]?.status, "active");
  });

  it("a pass that somebody disabled here stays disabled, whatever becomes of its ticket", async () => {
    const stage = await open();
    const { slug } = stage.sell("Ada");
    await stage.settled();
    const [pass] = await stage.passes();
    await api().patch(`/api/${stage.tenantId}/passes/${pass?.id}`, {
      key: api().operatorKey,
      body: { status: "disabled", options: { BypassQueue: true } },
    });
    tito.updateTicket(slug, { first_name: "Grace" });
    tito.voidTicket(slug);
    tito.unvoidTicket(slug);
    await stage.settled();
    const [known] = await stage.passes();
    assert.deepEqual(
      [known?.status, known?.data],
      ["disabled", { holder: "Grace", barcode: slug }],
    );
  });

  it("what is sent twice is done once", async (t) => {
    const stage = await open();
    t.after(() => tito.outbox.setFault(undefined));
    tito.outbox.setFault({ kind: "duplicate" });
    const { slug } = stage.sell("Ada");
    tito.checkIn(slug);
    await stage.settled();
    assert.deepEqual(await stage.statuses(), ["done", "done", "done"]);
    assert.equal((await stage.passes()).length, 1);
    assert.equal((await stage.scans()).length, 1);
    const [first] = await stage.deliveries();
    const replayed = await api().post(`${stage.path}/inbox/${first?.id}/replay`, {
      key: api().operatorKey,
    });
    assert.equal(replayed.status, 202);
    await stage.settled();
    assert.equal((await stage.scans()).length, 1);
  });

  it("an old update after a newer one is passed over", async (t) => {
    const stage = await open();
    const { slug } = stage.sell("Ada");
    await stage.settled();
    t.after(() => tito.outbox.setFault(undefined));
    tito.outbox.setFault({ kind: "reorder", times: 2 });
    tito.updateTicket(slug, { first_name: "Old" });
    tito.updateTicket(slug, { first_name: "New" });
    await stage.settled();
    assert.deepEqual((await stage.passes())[0]?.data, { holder: "New", barcode: slug });
    const rows = await stage.deliveries();
    assert.equal(rows.at(-1)?.status, "ignored");
    assert.match(String(rows.at(-1)?.problem), /newer/);
  });

  it("a ticket that was voided before it was told of gets no pass", async (t) => {
    const stage = await open();
    t.after(() => tito.outbox.setFault(undefined));
    tito.outbox.setFault({ kind: "reorder", times: 3 });
    const { slug } = stage.sell("Ada");
    tito.voidTicket(slug);
    await stage.settled();
    assert.deepEqual(await stage.passes(), []);
    assert.deepEqual(await stage.statuses(), ["done", "ignored", "ignored"]);
    tito.unvoidTicket(slug);
    await stage.settled();
    assert.equal((await stage.passes())[0]?.status, "active");
  });

  it("voided and taken back the other way round is good", async (t) => {
    const stage = await open();
    const { slug } = stage.sell("Ada");
    await stage.settled();
    t.after(() => tito.outbox.setFault(undefined));
    tito.outbox.setFault({ kind: "reorder", times: 2 });
    tito.voidTicket(slug);
    tito.unvoidTicket(slug);
    await stage.settled();
    assert.equal((await stage.passes())[0]?.status, "active");
  });

  it("voided after it was good again in the same second, it is void", async () => {
    const stage = await open();
    const { id, slug } = stage.sell("Ada");
    await stage.settled();
    const second = new Date(Math.ceil(Date.now() / 1_000) * 1_000).toISOString();
    const tell = (topic: string, state_name: string, at: string) => {
      const about = { id, slug, name: "Ada", state_name, event: { slug: stage.tenantId } };
      tito.deliver(stage.tenantId, topic, JSON.stringify({ ...about, updated_at: at }));
      return stage.settled();
    };
    await tell("ticket.unvoided", "complete", second);
    await tell("ticket.voided", "void", second);
    assert.equal((await stage.passes())[0]?.status, "disabled");
    const later = new Date(Date.parse(second) + 1_000).toISOString();
    await tell("ticket.unvoided", "complete", later);
    assert.equal((await stage.passes())[0]?.status, "active");
  });

  it("a check-in is a scan and shows on the pass, until it is taken back", async () => {
    const stage = await open();
    const { slug } = stage.sell("Ada");
    tito.checkIn(slug);
    await stage.settled();
    const [scan, ...others] = await stage.scans();
    assert.equal(others.length, 0);
    assert.deepEqual([scan?.scanner, scan?.decision], ["extension:tito", "accepted"]);
    const shown = async () => {
      return (await stage.passes())[0]?.data.checkedInAt;
    };
    assert.equal(await shown(), scan?.scanned_at.toISOString());
    tito.undoCheckIn(slug);
    await stage.settled();
    assert.equal(await shown(), undefined);
    assert.equal((await stage.scans()).length, 1);
  });

  it("a check-in before its ticket waits for it; one that was taken back before shows nothing", async (t) => {
    const stage = await open();
    t.after(() => tito.outbox.setFault(undefined));
    tito.outbox.setFault({ kind: "reorder", times: 3 });
    const { slug } = stage.sell("Ada");
    tito.checkIn(slug);
    await stage.settled();
    await stage.hasten();
    assert.equal((await stage.scans()).length, 1);
    tito.undoCheckIn(slug);
    await stage.settled();
    tito.outbox.setFault({ kind: "reorder", times: 2 });
    tito.checkIn(slug);
    tito.undoCheckIn(slug);
    await stage.settled();
    assert.deepEqual((await stage.passes())[0]?.data, { holder: "Ada", barcode: slug });
  });

  it("one that cannot be done fails with a sentence, and holds up nobody", async () => {
    const stage = await open();
    stage.sell("A".repeat(60));
    stage.sell("Ada");
    await stage.settled();
    const rows = await stage.deliveries();
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["failed", "failed", "done", "done"],
    );
    assert.match(String(rows[0]?.problem), /holder/);
    const events = await api().sql(
      "select data from event where tenant_id = $1 and name = 'extension.delivery-failed'",
      [stage.tenantId],
    );
    assert.equal(events.length, 2);
    assert.equal((await stage.passes()).length, 1);
  });

  it("401: forged and unsigned ones are refused, and come again signed", async (t) => {
    const stage = await open();
    t.after(() => tito.outbox.setFault(undefined));
    for (const kind of ["wrong-signature", "no-signature"] as const) {
      tito.outbox.setFault({ kind, times: 1 });
      const { slug } = stage.sell("Ada");
      await stage.settled();
      const sent = tito.outbox.deliveries.find(({ body }) => body.includes(slug));
      assert.equal(sent?.attempts[0]?.status, 401);
      await ground.vendors.advance(60_000);
      await stage.settled();
    }
    assert.equal((await stage.passes()).length, 2);
  });

  it("an erased ticket does not come back by what was sent before", async (t) => {
    const stage = await open();
    t.after(() => tito.outbox.setFault(undefined));
    const { slug } = stage.sell("Canary");
    await stage.settled();
    const [pass] = await stage.passes();
    tito.outbox.setFault({ kind: "no-signature" });
    tito.updateTicket(slug, { last_name: "Canary" });
    await stage.settled();
    const gone = await api().delete(`/api/${stage.tenantId}/passes/${pass?.id}`, {
      key: api().operatorKey,
    });
    assert.equal(gone.status, 204);
    tito.outbox.setFault(undefined);
    await ground.vendors.advance(60_000);
    await stage.settled();
    assert.deepEqual(await stage.passes(), []);
    for (const table of ["inbound_delivery", "event", "audit", "pass", "connector_ticket"]) {
      const rows = await api().sql(
        `select x::text as row from ${table} as x where tenant_id = $1`,
        [stage.tenantId],
      );
      assert.deepEqual(
        rows.filter(({ row }) => /canary/i.test(String(row))),
        [],
        table,
      );
    }
  });

  it("a phone sees the ticket, the check-in and the end of it", async () => {
    const stage = await open();
    const { slug } = stage.sell("Ada");
    await stage.settled();
    const [pass] = await stage.passes();
    const phone = await stage.phoneWith(String(pass?.id));
    assert.deepEqual(await phone.see(), { holder: "Ada", in: "no", barcode: slug, isVoid: false });
    const before = await phone.news();
    tito.updateTicket(slug, { first_name: "Grace" }, "ticket.reassigned");
    tito.checkIn(slug);
    await stage.settled();
    const after = await phone.news(before.tag);
    assert.deepEqual(after.passes, [pass?.id]);
    const seen = await phone.see();
    assert.equal(seen.holder, "Grace");
    assert.notEqual(seen.in, "no");
    tito.voidTicket(slug);
    await stage.settled();
    assert.equal((await phone.see()).isVoid, true);
  });

  it("204, 200, 404: settings are saved, shown without the secret and removed (tito.put, tito.get, tito.delete)", async () => {
    const stage = await open();
    const key = api().operatorKey;
    const shown = await api().get(stage.path, { key });
    assert.deepEqual([shown.status, shown.body.hasSecurityToken], [200, true]);
    assert.ok(!shown.text.includes("-of-"));
    assert.equal((await api().delete(stage.path, { key })).status, 204);
    assert.equal((await api().get(stage.path, { key })).status, 404);
    const { status } = await api().post(new URL(stage.webhookUrl).pathname, { rawBody: "{}" });
    assert.equal(status, 404);
  });
});
