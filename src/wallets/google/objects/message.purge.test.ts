import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { abortAfter } from "#test/support/abort-after.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { type Fault, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { purgeMessages } from "./object.jobs.ts";

const { google, api, savedPass, objectOf, rowOf, settled, hurry } = await startGoogleFixture({
  after,
});
await seedGoogleTenant(api, "acme");
const key = api.operatorKey;
const NAME = "pass.notification-failed";
// By its schedule it would run between two steps of a test.
await api.sql("delete from pgboss.schedule where name = $1", [purgeMessages.name]);

const purge = (signal = new AbortController().signal) =>
  purgeMessages.run(systemCall(api.runtime, purgeMessages.name), {}, signal);

/** A message that Google has not taken, because it fails in this way. */
async function unsent(fault: Fault, state = "queued"): Promise<string> {
  const id = await savedPass();
  google.fail(({ body }) => (body.message === undefined ? undefined : fault));
  await notify(id);
  await until(async () => {
    const row = await rowOf(id);
    return Number(row?.attempts) > 0 && row?.state === state && row.claim_token === null;
  });
  // No worker tries it while the test looks.
  await api.sql(
    `update google_object set due_at = now() + interval '1 day'
      where pass_id = $1 and due_at is not null`,
    [id],
  );
  return id;
}

async function notify(id: string): Promise<void> {
  const body = { content: "Your table is ready, Camille." };
  const { status, text } = await api.put(`/api/acme/passes/${id}/notification`, { key, body });
  assert.equal(status, 202, text);
}

const age = (id: string, days: number) =>
  api.sql(
    "update google_message set created_at = created_at - $2 * interval '1 day' where pass_id = $1",
    [id, days],
  );

const messagesOf = (id: string) =>
  api.sql("select id from google_message where pass_id = $1", [id]);

/** What the timeline of the pass says of messages that failed. */
async function failuresOf(id: string) {
  const { body } = await api.get(`/api/acme/passes/${id}/timeline`, { key });
  const entries: { name: string; details: { reason: string } }[] = body;
  return entries.filter(({ name }) => name === NAME).map(({ details }) => details.reason);
}

describe("a message that Google does not take", () => {
  afterEach(async () => {
    google.heal();
    await api.sql("delete from google_halt");
  });

  it("ends after three days with an event that says why, and is not sent later", async () => {
    const id = await unsent(500);
    const [message] = await messagesOf(id);
    await age(id, 2);
    await purge();
    assert.deepEqual(await failuresOf(id), []);
    await age(id, 2);
    await purge();
    await purge();
    assert.deepEqual(await failuresOf(id), ["Google did not take it for 3 days."]);
    const [event] = await api.sql("select data from event where subject = $1 and name = $2", [
      id,
      NAME,
    ]);
    const { notifiedAt, failedAt, ...data } = (event?.data ?? {}) as Record<string, string>;
    assert.ok(Date.parse(String(failedAt)) - Date.parse(String(notifiedAt)) > 3 * 86_400_000);
    assert.deepEqual(data, {
      id,
      passType: "loyalty",
      wallet: "google",
      eventId: message?.id,
      reason: "Google did not take it for 3 days.",
    });
    google.heal();
    await hurry();
    await settled(id);
    assert.deepEqual([objectOf(id).messages ?? [], await messagesOf(id)], [[], []]);
  });

  it("says so if Google refuses the account, or the pass itself", async () => {
    const denied = await unsent(403, "denied");
    await age(denied, 4);
    await purge();
    assert.deepEqual(await failuresOf(denied), ["Google refused the account for 3 days."]);
    await api.sql("delete from google_halt");
    google.heal();
    const refused = await unsent(404, "failed");
    await age(refused, 4);
    await purge();
    assert.deepEqual(await failuresOf(refused), ["Google refused the pass itself for 3 days."]);
  });

  it("is not given up while a worker may be sending it", async () => {
    const id = await unsent(500);
    await age(id, 4);
    await api.sql("update google_object set claim_token = gen_random_uuid() where pass_id = $1", [
      id,
    ]);
    await purge();
    assert.deepEqual([(await messagesOf(id)).length, await failuresOf(id)], [1, []]);
    // The worker has died.
    await api.sql("update google_object set due_at = now() - interval '1 s' where pass_id = $1", [
      id,
    ]);
    await until(async () => {
      await purge();
      return (await failuresOf(id)).length === 1;
    });
  });

  it("ends at once if Google refuses it, in words that quote nothing", async () => {
    const id = await savedPass();
    const quoted = { code: 400, status: "INVALID_ARGUMENT", message: "Bad text: Camille" };
    google.fail(({ body }) =>
      body.message === undefined ? undefined : { status: 400, body: { error: quoted } },
    );
    await notify(id);
    await until(async () => (await failuresOf(id)).length > 0);
    assert.deepEqual(await failuresOf(id), ["Google answered 400 INVALID_ARGUMENT."]);
  });
});

describe("the job google-message.purge", () => {
  /** Messages of passes that exist no more, as they remain after tests and years. */
  const fill = (tenantId: string, count: number, days: number) =>
    api.sql(
      `insert into google_message
              (tenant_id, id, pass_id, localized_content, created_at, sent_at, has_notified)
       select $1, 'evt_' || $3::int || '_' || n, 'ps_' || n, '{}', at, at, true
         from generate_series(1, $2::int) as n, (select now() - $3::int * interval '1 day') as past (at)`,
      [tenantId, count, days],
    );
  const left = async (tenantId: string) =>
    (
      await api.sql(
        `select extract(day from now() - sent_at)::int as days, count(*)::int as count
           from google_message where tenant_id = $1 group by 1 order by 1`,
        [tenantId],
      )
    ).map(({ days, count }) => [days, count]);

  it("takes turns between tenants, in batches, and stops when it is told to", async () => {
    for (const tenantId of ["few", "many"]) await seedGoogleTenant(api, tenantId);
    await api.sql("delete from google_message");
    await fill("many", 3_500, 4);
    await fill("many", 2, 2);
    await fill("few", 3, 4);
    await purge(AbortSignal.abort());
    assert.deepEqual(await left("few"), [[4, 3]]);
    // Once each for what was not sent, then once each for what was.
    await purge(abortAfter(4));
    assert.deepEqual(await left("few"), []);
    assert.deepEqual(await left("many"), [
      [2, 2],
      [4, 2_500],
    ]);
    await purge();
    assert.deepEqual(await left("many"), [[2, 2]]);
  });

  it("finds what is old by index, in a table of many tenants", async () => {
    for (let n = 1; n <= 20; n += 1) await api.seed.tenant(`tenant-${n}`);
    await api.sql(
      `insert into google_message (tenant_id, id, pass_id, localized_content, created_at, sent_at)
       select 'tenant-' || n % 20 + 1, 'evt_plan_' || n, 'ps_' || n, '{}',
              now() - n * interval '1 minute', case when n % 50 > 0 then now() - n * interval '1 minute' end
         from generate_series(1, 20000) as n`,
    );
    await api.sql("analyze google_message");
    const explain = async (condition: string) =>
      JSON.stringify(
        await api.sql(
          `explain select id from google_message
            where tenant_id = 'tenant-7' and ${condition} limit 1000 for update skip locked`,
        ),
      );
    const before = "now() - interval '12 days'";
    assert.match(await explain(`sent_at < ${before} order by sent_at`), /google_message_sent/);
    assert.match(
      await explain(`created_at < ${before} and sent_at is null order by created_at`),
      /google_message_unsent/,
    );
  });
});
