import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openPretix, startTicketVendors } from "#test/support/ticket-stage.ts";
import { until } from "#test/support/webhook-receiver.ts";

const ground = await startTicketVendors({ after });
const { pretix } = ground.vendors;

/** Runs ahead of the real time by as much as a test says. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

let count = 0;
const nextTenant = () => {
  count += 1;
  return `gate-${count}`;
};

describe("scans at our gate, told to pretix", () => {
  const api = shareApi({ clock });
  const key = () => api().operatorKey;
  const open = (settings: object = { checkInLists: [7] }) =>
    openPretix(api(), ground, nextTenant(), settings);
  type Stage = Awaited<ReturnType<typeof open>>;
  const scan = async ({ tenantId }: Stage, data: string) => {
    const body = { data, type: "qrcode" };
    const { status, body: answer } = await api().post(`/api/${tenantId}/scans`, {
      key: key(),
      body,
    });
    assert.equal(status, 201);
    return answer;
  };
  const checkInsOf = (code: string) =>
    pretix.orders.get(code).positions.flatMap(({ checkins }) => checkins);
  const redemptionsOf = (stage: Stage) =>
    stage.requests().filter(({ path }) => path.includes("checkinrpc/redeem"));
  const problem = async ({ tenantId }: Stage): Promise<string | null> => {
    const { body } = await api().get(`/api/${tenantId}/admin/extensions`, { key: key() });
    return body.find(({ name }: { name: string }) => name === "pretix").problem;
  };

  it("whoever is let in here is checked in there, and shown so on their phone, with one scan", async () => {
    const stage = await open();
    const { code, positions } = stage.sell(["Ada"]);
    await stage.settled();
    const [pass] = await stage.passes();
    const phone = await stage.phoneWith(pass?.id ?? "");
    assert.equal((await phone.see()).in, "no");
    const answer = await scan(stage, positions[0]?.secret ?? "");
    assert.equal(answer.decision, "accepted");
    await until(() => checkInsOf(code).length === 1, "the check-in");
    assert.equal(checkInsOf(code)[0]?.list, 7);
    await until(async () => {
      await stage.settled();
      return (await phone.see()).in !== "no";
    }, "the phone");
    assert.equal((await stage.scans()).length, 1);
    assert.equal(checkInsOf(code).length, 1);
  });

  it("any code of the pass will do, and scans that let nobody in are not told", async () => {
    const stage = await open();
    const [good, bad] = [stage.sell(["Ada"]), stage.sell(["Bob"])];
    await stage.settled();
    const [ada, bob] = await stage.passes();
    pretix.cancelOrder(bad.code);
    await stage.settled();
    pretix.server.forget();
    assert.equal((await scan(stage, bob?.id ?? "")).decision, "rejected");
    await scan(stage, "nobody");
    await scan(stage, ada?.id ?? "");
    await until(() => checkInsOf(good.code).length === 1, "the check-in");
    assert.equal(redemptionsOf(stage).length, 1);
  });

  it("a check-in at pretix is not told back to it", async () => {
    const stage = await open();
    const { code } = stage.sell(["Ada"]);
    await stage.settled();
    pretix.server.forget();
    pretix.checkIn(code, 1, { list: 7 });
    await stage.settled();
    assert.equal((await stage.scans()).length, 1);
    const other = stage.sell(["Bob"]);
    await stage.settled();
    const [, bob] = await stage.passes();
    await scan(stage, bob?.id ?? "");
    await until(() => checkInsOf(other.code).length === 1, "the later one");
    assert.equal(redemptionsOf(stage).length, 1);
  });

  it("while pretix is away nothing is lost, and an answer that was lost makes no second check-in", async (t) => {
    const stage = await open();
    t.after(() => pretix.server.setFault(undefined));
    const { code, positions } = stage.sell(["Ada"]);
    await stage.settled();
    await pretix.server.setFault({ kind: "503" });
    await scan(stage, positions[0]?.secret ?? "");
    await until(async () => /503/.test((await problem(stage)) ?? ""), "a try");
    await pretix.server.setFault({ kind: "cut-after", times: 1, path: "checkinrpc" });
    aheadMs += 10 * 60_000;
    await until(() => checkInsOf(code).length === 1, "the lost answer");
    await until(async () => /reached/.test((await problem(stage)) ?? ""), "the problem is told");
    aheadMs += 60 * 60_000;
    await until(async () => (await problem(stage)) === null, "it goes on");
    assert.equal(checkInsOf(code).length, 1);
    assert.ok(redemptionsOf(stage).length >= 2);
  });

  it("what pretix refuses is set aside with its reason, and others go on", async (t) => {
    const stage = await open();
    t.after(() => pretix.outbox.setFault(undefined));
    const [gone, good] = [stage.sell(["Ada"]), stage.sell(["Bob"])];
    await stage.settled();
    const [ada, bob] = await stage.passes();
    pretix.outbox.setFault({ kind: "lost" });
    pretix.expireOrder(gone.code);
    assert.equal((await scan(stage, ada?.id ?? "")).decision, "accepted");
    await scan(stage, bob?.id ?? "");
    await until(() => checkInsOf(good.code).length === 1, "the other one");
    await until(async () => {
      aheadMs += 60 * 60_000;
      return /set aside.*canceled/.test((await problem(stage)) ?? "");
    }, "it is set aside");
    assert.deepEqual(checkInsOf(gone.code), []);
  });

  it("without a list nothing is told", async () => {
    const stage = await open({});
    const { positions } = stage.sell(["Ada"]);
    await stage.settled();
    pretix.server.forget();
    await scan(stage, positions[0]?.secret ?? "");
    const feed = () =>
      api().sql("select last_sent_at from connector_feed where tenant_id = $1", [stage.tenantId]);
    await until(async () => (await feed())[0]?.last_sent_at !== null, "the feed went on");
    assert.deepEqual(stage.requests(), []);
  });
});
