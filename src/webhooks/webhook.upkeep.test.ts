import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { systemCall } from "#kernel/call.ts";
import { newId } from "#kernel/ids.ts";
import type { Hook } from "#test/support/factories.ts";
import { startApi } from "#test/support/start-api.ts";
import { isSignedBy, type Received, until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";
import { purgeDeliveries } from "./deliveries/delivery.jobs.ts";

const api = await startApi({ after });
const { open, happen, get, post, put, settled } = createStage(api);
await api.seed.tenant("rival");

const DAY_MS = 86_400_000;

function isVerified(secret: string, { raw, headers }: Received): boolean {
  try {
    new StandardWebhook(`whsec_${secret}`).verify(raw.toString(), headers);
    return true;
  } catch {
    return false;
  }
}

const rotate = (hook: Hook, body?: unknown) => post(`${hook.path}/secret/rotate`, body);

describe("POST …/secret/rotate (webhook.rotate-secret)", () => {
  it("200: what is delivered then verifies with either secret; the plain signature with the new one", async (t) => {
    const { receiver, hook } = await open(t);
    const { status, body, headers } = await rotate(hook);
    assert.equal(status, 200);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(body.signatureSecret, /^[A-Za-z0-9+/]{64}$/);
    assert.notEqual(body.signatureSecret, hook.signatureSecret);
    const hours = (Date.parse(body.formerValidUntil) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24);
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    assert.ok(got !== undefined);
    assert.ok(isVerified(hook.signatureSecret, got) && isVerified(body.signatureSecret, got));
    assert.ok(isSignedBy(body.signatureSecret, got) && !isSignedBy(hook.signatureSecret, got));
    assert.equal(got.headers["webhook-signature"]?.split(" ").length, 2);
    const now = await get(hook.path);
    assert.equal(now.body.signatureSecret, body.signatureSecret);
    assert.equal(now.headers.get("etag"), headers.get("etag"));
    await post(`${hook.path}/test`);
    const test = receiver.received.at(-1);
    assert.ok(test !== undefined && isVerified(hook.signatureSecret, test));
  });

  it("200: without an overlap no former secret signs, nor after its time", async (t) => {
    const { receiver, hook } = await open(t);
    const first = (await rotate(hook, { overlapHours: 168 })).body.signatureSecret;
    const second = (await rotate(hook, { overlapHours: 0 })).body;
    assert.equal(second.formerValidUntil, null);
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    assert.ok(got !== undefined && isVerified(second.signatureSecret, got));
    assert.ok(!isVerified(first, got) && !isVerified(hook.signatureSecret, got));
    await rotate(hook, { overlapHours: 1 });
    await api.sql("update webhook_former_secret set valid_until = now() where webhook_id = $1", [
      hook.id,
    ]);
    await happen(hook);
    const [, later] = await receiver.waitFor(2);
    assert.ok(later !== undefined && !isVerified(second.signatureSecret, later));
    await purge();
    assert.deepEqual(
      await api.sql("select from webhook_former_secret where webhook_id = $1", [hook.id]),
      [],
    );
  });

  it("200: ten former secrets at most, the oldest goes; none is stored or audited in the clear", async (t) => {
    const { receiver, hook } = await open(t);
    const secrets = [hook.signatureSecret];
    for (let count = 0; count < 11; count += 1) {
      secrets.push((await rotate(hook, { overlapHours: 1 })).body.signatureSecret);
    }
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    assert.ok(got !== undefined);
    assert.deepEqual(
      secrets.map((secret) => isVerified(secret, got)),
      [false, ...Array<boolean>(11).fill(true)],
    );
    const [{ stored } = { stored: "" }] = await api.sql(
      `select string_agg(row::text, ' ') as stored
         from (select a::text as row from audit a where tenant_id = $1
               union all select f::text from webhook_former_secret f where tenant_id = $1
               union all select encode(signature_secret, 'escape') from webhook_former_secret) rows`,
      [hook.tenantId],
    );
    for (const secret of secrets) assert.ok(!String(stored).includes(secret));
  });

  it("400: an overlap out of bounds; 404: none of this tenant; 412: changed meanwhile", async (t) => {
    const { hook } = await open(t);
    for (const overlapHours of [-1, 169, 1.5, "1", null]) {
      const answer = await rotate(hook, { overlapHours });
      assert.equal(answer.status, 400, String(overlapHours));
      assert.deepEqual(Object.keys(answer.body.errors), ["overlapHours"]);
    }
    const foreign = await post(`/api/rival/webhooks/${hook.id}/secret/rotate`, {});
    assert.equal(foreign.status, 404);
    const stale = await post(`${hook.path}/secret/rotate`, {}, { "if-match": '"other"' });
    assert.equal(stale.status, 412);
    assert.equal((await get(hook.path)).body.signatureSecret, hook.signatureSecret);
  });
});

describe("…/settings (webhook.get-settings, webhook.set-settings)", () => {
  it("200: says whether order is kept, and then it is", async (t) => {
    const { receiver, hook } = await open(t);
    assert.deepEqual((await get(`${hook.path}/settings`)).body, { ordered: false });
    const set = await put(`${hook.path}/settings`, { ordered: true });
    assert.equal(set.status, 200);
    assert.deepEqual(set.body, { ordered: true });
    const { body, headers } = await get(`${hook.path}/settings`);
    assert.deepEqual(body, { ordered: true });
    assert.equal(headers.get("etag"), set.headers.get("etag"));
    // The webhook itself keeps its published shape.
    assert.equal("ordered" in (await get(hook.path)).body, false);
    let under = 0;
    let most = 0;
    receiver.answer(async () => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 5));
      under -= 1;
      return 200;
    });
    const ids = await happen(hook, 5);
    await receiver.waitFor(5);
    assert.deepEqual(receiver.ids(), ids);
    assert.equal(most, 1);
  });

  it("400: something else; 404: none of this tenant; 412: changed meanwhile", async (t) => {
    const { hook } = await open(t);
    for (const body of [{}, { ordered: "yes" }, { ordered: true, more: 1 }]) {
      assert.equal((await put(`${hook.path}/settings`, body)).status, 400);
    }
    for (const path of [`/api/rival/webhooks/${hook.id}/settings`]) {
      assert.equal((await get(path)).status, 404);
      assert.equal((await put(path, { ordered: true })).status, 404);
    }
    const stale = await api.put(`${hook.path}/settings`, {
      key: api.operatorKey,
      body: { ordered: true },
      headers: { "if-match": '"other"' },
    });
    assert.equal(stale.status, 412);
  });
});

describe("GET …/health (webhook.get-health)", () => {
  it("200: what waits, since when nothing gets through, and the last success", async (t) => {
    const { receiver, hook } = await open(t);
    const [first = ""] = await happen(hook);
    const { finishedAt } = await settled(hook, first, "delivered");
    assert.deepEqual((await get(`${hook.path}/health`)).body, {
      enabled: true,
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
      pending: 0,
      nextAttemptAt: null,
      lastDeliveredAt: finishedAt,
      unmatchedPatterns: [],
    });
    receiver.answer({ status: 503, headers: { "retry-after": "600" } });
    const [second = ""] = await happen(hook);
    await until(async () => (await get(`${hook.path}/health`)).body.failingSince !== null);
    const { nextAttemptAt } = (await get(`${hook.path}/deliveries/${second}`)).body;
    const { body } = await get(`${hook.path}/health`);
    assert.equal(body.pending, 1);
    assert.equal(body.nextAttemptAt, nextAttemptAt);
    assert.equal(body.lastDeliveredAt, finishedAt);
    receiver.answer(410);
    await happen(hook);
    await until(async () => (await get(`${hook.path}/health`)).body.enabled === false);
    const gone = (await get(`${hook.path}/health`)).body;
    assert.equal(gone.disabledReason, "gone");
    assert.ok(Date.parse(gone.disabledAt) > 0);
    assert.equal((await get(`/api/rival/webhooks/${hook.id}/health`)).status, 404);
  });

  it("200: names the patterns that no event can match, with the nearest name", async (t) => {
    const events = [
      ...["pass*", "pass.*", "PASS:created", "store.berlin.up*", "*"],
      ...["pass.craeted", "passes.*", "store.updated", "pass"],
    ];
    const { hook } = await open(t, { events });
    const { body } = await get(`${hook.path}/health`);
    assert.deepEqual(body.unmatchedPatterns, [
      { pattern: "pass.craeted", nearest: "pass.created" },
      { pattern: "passes.*", nearest: "pass.created" },
      { pattern: "store.updated", nearest: "store.*.updated" },
      { pattern: "pass", nearest: "pass.created" },
    ]);
  });

  it("200: counts no further than ten thousand", async (t) => {
    const { hook } = await open(t, { enabled: false });
    await api.sql(
      `insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
       select $1, $2, 'evt_' || n, 'a.b', 'pending', now(), now() from generate_series(1, 10500) as n`,
      [hook.tenantId, hook.id],
    );
    assert.equal((await get(`${hook.path}/health`)).body.pending, 10_000);
  });
});

/** Runs the job directly. */
async function purge(): Promise<void> {
  const call = systemCall(api.runtime, purgeDeliveries.name);
  await purgeDeliveries.run(call, {}, new AbortController().signal);
}

async function owe(hook: Hook, ageDays: number, state: string, count = 1): Promise<string[]> {
  const at = new Date(Date.now() - ageDays * DAY_MS);
  const stem = newId("evt", 0).slice("evt_00000000".length);
  const time = newIdTime(at);
  const ids = Array.from({ length: count }, (_none, n) => `evt_${time}${stem}${n}`);
  await api.sql(
    `insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
     select $1, $2, id, 'a.b', $3, $4, $4 from unnest($5::text[]) as id`,
    [hook.tenantId, hook.id, state, at, ids],
  );
  return ids;
}

/** The beginning of ids that are made at this time. */
function newIdTime(at: Date): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let [text, rest] = ["", at.getTime()];
  for (; text.length < 8; rest = Math.floor(rest / 62)) text = `${digits[rest % 62]}${text}`;
  return text;
}

async function kept(hook: Hook): Promise<string[]> {
  const rows = await api.sql(
    "select event_id from delivery where webhook_id = $1 order by event_id",
    [hook.id],
  );
  return rows.map((row) => String(row.event_id));
}

describe("the purge of deliveries", () => {
  it("takes those past the retention of their tenant, in any number and state, and no other", async (t) => {
    const { hook } = await open(t, { enabled: false });
    await owe(hook, 31, "delivered", 2_500);
    await owe(hook, 32, "failed");
    await owe(hook, 33, "pending");
    const young = await owe(hook, 29, "delivered");
    // An old event with a young delivery, because it was sent again recently.
    const [again = ""] = await owe(hook, 40, "pending");
    await api.sql("update delivery set due_at = now() where event_id = $1", [again]);
    await purge();
    assert.deepEqual(await kept(hook), [again, ...young].sort());

    const files = { "tenant.yml": "name: short\nretention:\n  deliveryDays: 2\n" };
    await api.seed.tenant(hook.tenantId, files);
    const brief = await owe(hook, 1, "delivered");
    await owe(hook, 3, "delivered");
    await until(async () => {
      await purge();
      return (await kept(hook)).length === 2;
    });
    assert.deepEqual(await kept(hook), [again, ...brief].sort());
  });

  it("takes those of a deleted webhook soon after it", async (t) => {
    const { hook } = await open(t, { enabled: false });
    await owe(hook, 0, "delivered", 10);
    await owe(hook, 0, "pending", 10);
    await api.delete(hook.path, { key: api.operatorKey });
    await until(async () => (await kept(hook)).length === 0);
  });

  it("finds them by an index", async (t) => {
    const { hook } = await open(t, { enabled: false });
    const planBefore = async (id: string) => {
      await api.sql("analyze delivery");
      const rows = await api.sql(
        `explain select event_id from delivery
          where tenant_id = $1 and webhook_id = $2 and event_id > '' and event_id < $3 and due_at < now()
          order by event_id limit 1000`,
        [hook.tenantId, hook.id, id],
      );
      return rows.map((row) => String(row["QUERY PLAN"])).join("\n");
    };
    await owe(hook, 0, "delivered", 5_000);
    const nothingOld = await planBefore("evt_0");
    // As nothing is that old, the index by the event is as good as the one by the webhook.
    assert.match(nothingOld, /Index Scan using delivery_(pkey|event)/);
    assert.doesNotMatch(nothingOld, /Sort/);

    await owe(hook, 9, "delivered", 5_000);
    await owe({ ...hook, id: `${hook.id}-other` }, 9, "delivered", 10_000);
    const amongOthers = await planBefore(`evt_${newIdTime(new Date(Date.now() - 5 * DAY_MS))}`);
    // The index by the event would lead through what other webhooks were sent.
    assert.match(amongOthers, /delivery_pkey/);
    assert.doesNotMatch(amongOthers, /delivery_event/);
  });
});
