import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/public.ts";
import { ISSUER_ID, seedGoogleTenant, startGoogle } from "#test/support/google-stand-in.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { issuePassCertificate, pemOf } from "#test/support/wallet-credentials.ts";

const google = await startGoogle({ after });
const segments = { now: "gold" };
const crm = { name: "crm", fetch: async () => ({ segment: segments.now }) };
const api = await startApi(
  { after },
  { env: { GOOGLE_WALLET_URL: google.url }, provides: [provide(metadataSources, crm)] },
);
const key = api.operatorKey;

const scheduleOf = (...kinds: string[]) =>
  `tasks:\n${kinds.map((kind) => `  - { id: ${kind}, kind: ${kind}, cron: "0 0 29 2 *" }\n`).join("")}`;

describe("kinds of tasks", () => {
  afterEach(() => google.heal());

  it("expire-passes expires what is over, of its tenant, with one event each", async () => {
    // Passes are made without a tenant's task first: a job expires them every minute as well.
    await seedPassTenant(api, "acme", { "server/schedule.yml": scheduleOf("expire-passes") });
    const over = await seedPass(api, "acme");
    const valid = await seedPass(api, "acme");
    await api.sql(
      "update pass set expires_at = now() - interval '1 second', has_own_expiry = true where id = $1",
      [over.id],
    );
    const { status, summary } = await finishTask(api, "acme", "expire-passes");
    assert.equal(status, "succeeded");
    assert.match(summary, /^[01] pass(es)? ha(s|ve) expired\.$/);
    const read = async (id: string) => (await api.get(`/api/acme/passes/${id}`, { key })).body;
    assert.deepEqual(
      [(await read(over.id)).status, (await read(valid.id)).status],
      ["expired", "active"],
    );
    const told = await api.sql("select from event where subject = $1 and name = 'pass.expired'", [
      over.id,
    ]);
    assert.equal(told.length, 1);
  });

  it("refresh-metadata asks the sources about all passes, and changes those with news", async () => {
    await seedPassTenant(api, "fresh", { "server/schedule.yml": scheduleOf("refresh-metadata") });
    const { id } = await seedPass(api, "fresh");
    const first = await finishTask(api, "fresh", "refresh-metadata");
    assert.deepEqual(first.counts, { updated: 1, unchanged: 0, failed: 0 });
    assert.match(first.logs[0].data.jobId, /^job_/);
    const read = await api.get(`/api/fresh/passes/${id}`, { key });
    assert.deepEqual(read.body.metadata, { crm: { segment: "gold" } });
    const second = await finishTask(api, "fresh", "refresh-metadata");
    assert.deepEqual(second.counts, { updated: 0, unchanged: 1, failed: 0 });
  });

  it("sync-wallet-classes sends the classes to Google, and fails with its reasons", async () => {
    const file = { "server/schedule.yml": scheduleOf("sync-wallet-classes") };
    await seedGoogleTenant(api, "shop", file);
    const { status, counts } = await finishTask(api, "shop", "sync-wallet-classes");
    assert.equal(status, "succeeded");
    assert.ok(counts.sent >= 1);
    const classId = `${ISSUER_ID}.shop.loyalty`;
    assert.equal(google.resource("loyaltyClass", classId).programName, "Harbour Card");
    google.fail(() => ({ status: 400, body: { error: { message: "Logo is missing." } } }));
    const failed = await finishTask(api, "shop", "sync-wallet-classes");
    assert.deepEqual([failed.status, failed.problem.code], ["failed", "google-class.not-sent"]);
    const errors = failed.logs.filter(({ level }: { level: string }) => level === "error");
    assert.match(errors[0].message, /Logo is missing/);
  });

  it("sync-wallet-classes does not blame Google for a database that is busy", async () => {
    await api.sql(`
      create function refuse_class() returns trigger language plpgsql as
      $$ begin raise exception 'as if' using errcode = '55P03'; end $$`);
    await api.sql(`
      create trigger refuse_class before insert on google_class
         for each row when (new.tenant_id = 'shop') execute function refuse_class()`);
    const { status, problem } = await finishTask(api, "shop", "sync-wallet-classes");
    await api.sql("drop trigger refuse_class on google_class");
    assert.deepEqual([status, problem.code], ["failed", "execution.database-busy"]);
  });

  it("check-credentials says what is wrong with credentials, and shows no part of them", async () => {
    await seedPassTenant(api, "trusting", {
      "server/schedule.yml": scheduleOf("check-credentials"),
    });
    const fine = await finishTask(api, "trusting", "check-credentials");
    assert.deepEqual([fine.status, fine.counts], ["succeeded", { warnings: 0 }]);
    assert.equal(fine.logs[0].data.code, "credential.none");
    const credential = pemOf(issuePassCertificate());
    const stored = await api.put("/api/trusting/admin/wallets/apple/certificate", {
      key,
      body: credential,
    });
    const { files } = stored.body;
    assert.equal((await api.patch("/api/tenants/trusting", { key, body: { files } })).status, 200);
    const body = { value: "not a certificate: hunter2" };
    await api.put("/api/trusting/secrets/APPLE-CERTIFICATE", { key, body });
    const bad = await finishTask(api, "trusting", "check-credentials");
    assert.deepEqual([bad.status, bad.problem.code], ["failed", "credential.unusable"]);
    assert.ok(bad.logs.some(({ level }: { level: string }) => level === "error"));
    assert.equal(JSON.stringify(bad).includes("hunter2"), false);
  });

  it("purge deletes what the retention of the tenant says, and nothing of others", async () => {
    const tenant = (name: string) =>
      `name: ${name}\nretention: { eventDays: 3, auditDays: 3, executionDays: 3 }\n`;
    for (const name of ["brief", "longer"]) {
      await api.seed.tenant(name, {
        "tenant.yml": name === "brief" ? tenant(name) : "name: longer\n",
        "server/schedule.yml": scheduleOf("purge"),
      });
      await api.sql(
        `insert into event (tenant_id, id, name, occurred_at, data)
         values ($1, $2, 'x.happened', now() - interval '5 days', '{}')`,
        [name, `evt_old_${name}`],
      );
      await api.sql(
        `insert into audit (tenant_id, id, at, actor_kind, actor_id, op, target, request_id, ip)
         values ($1, 'old', now() - interval '5 days', 'operator', 'x', 'x.do', 'x', 'x', '')`,
        [name],
      );
    }
    const { counts } = await finishTask(api, "brief", "purge");
    assert.deepEqual([counts.events, counts.auditRows], [1, 1]);
    const other = await finishTask(api, "longer", "purge");
    assert.deepEqual([other.counts.events, other.counts.auditRows], [0, 0]);
  });
});
