import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { known, seedCdpTenant } from "#test/support/cdp-stage.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";
import { until } from "#test/support/webhook-receiver.ts";
import type { RefusedEvent } from "../refusals/refusal.schema.ts";

const { bloomreach } = await startVendors({ after });
const ADA = "ada@harbour.example";

/** Runs ahead of the real time by as much as a test says. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

describe("events told to the customer-data platform", () => {
  const api = shareApi({ clock });

  /** Time goes on while it waits: a failure may be noted after the clock was moved. */
  const inTime = (what: string, holds: () => boolean | Promise<boolean>) =>
    until(async () => {
      aheadMs += 60_000;
      return await holds();
    }, what);
  const told = (token: string) => bloomreach.events(token);
  const typesOf = (token: string) => told(token).map(({ event_type }) => event_type);
  const gallery = async (tenantId: string) => {
    const path = `/api/${tenantId}/admin/extensions`;
    const { body } = await api().get(path, { key: api().operatorKey });
    return body.find(({ name }: { name: string }) => name === "cdp");
  };
  const batches = (token: string) =>
    bloomreach.server.requests
      .filter(({ path }) => path.endsWith(`${token}/batch`))
      .map(({ body }) => JSON.parse(body).commands as { command_id: string }[]);

  it("a scan arrives with its person, its time in seconds and what was decided", async () => {
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach);
    await seedPass(api(), tenantId, known("before@harbour.example"));
    await put();
    const { id } = await seedPass(api(), tenantId, known(ADA));
    await seedPass(api(), tenantId);
    const scan = await api().post(`/api/${tenantId}/scans`, {
      key,
      body: { data: id, type: "qrcode", location: "Gate 4" },
    });
    assert.equal(scan.status, 201, scan.text);
    const moved = await api().post(`/api/${tenantId}/passes/${id}/privileges/points/movements`, {
      key,
      body: { value: 12.5 },
    });
    assert.ok(moved.status < 300, moved.text);
    await until(() => told(project.token).length === 3, "all three");
    const [created, scanned, movement] = told(project.token) as Record<string, never>[];
    assert.deepEqual(typesOf(project.token), ["pass_created", "pass_scanned", "privilege_moved"]);
    assert.deepEqual(created?.customer_ids, { registered: ADA });
    const { pass_id, decision, location } = (scanned?.properties ?? {}) as Record<string, unknown>;
    assert.deepEqual([pass_id, decision, location], [id, "accepted", "Gate 4"]);
    const agoSeconds = clock.now().getTime() / 1_000 - Number(scanned?.timestamp);
    assert.ok(agoSeconds >= 0 && agoSeconds < 60, `${agoSeconds} s ago`);
    assert.equal((movement?.properties as { value?: number } | undefined)?.value, 12.5);
  });

  it("nothing is lost while the platform is away for an hour, and all comes in order", async (t) => {
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put();
    t.after(() => bloomreach.server.setFault(undefined));
    await bloomreach.server.setFault({ kind: "503" });
    const ids: string[] = [];
    for (let made = 0; made < 60; made += 1) {
      ids.push((await seedPass(api(), tenantId, known(`p${made}@harbour.example`))).id);
      if (made % 12 === 0) aheadMs += 12 * 60_000;
    }
    await until(async () => (await gallery(tenantId)).problem !== null, "a try");
    assert.match((await gallery(tenantId)).problem, /status 503/);
    assert.deepEqual(told(project.token), []);
    await bloomreach.server.setFault({ kind: "429", times: 1 });
    await inTime("the dropped one", () => bloomreach.server.faults.current === undefined);
    await inTime("all", () => told(project.token).length >= 60);
    const passIds = told(project.token).map(
      ({ properties }) => (properties as { pass_id: string }).pass_id,
    );
    assert.deepEqual(passIds, ids);
    assert.ok(batches(project.token).every((commands) => commands.length <= 50));
    assert.equal((await gallery(tenantId)).problem, null);
  });

  it("what is wrong with settings that were saved again meanwhile is not shown, and holds nothing up", async (t) => {
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put();
    t.after(() => bloomreach.server.setFault(undefined));
    await bloomreach.server.setFault({ kind: "slow", delayMs: 2_000, times: 1, path: "batch" });
    await seedPass(api(), tenantId, known(ADA));
    await until(() => bloomreach.server.faults.current === undefined, "a slow answer");
    // The platform refuses the former key from now on, also in the request that it works on.
    const { apiKeyId, apiKeySecret } = bloomreach.createProject({ token: project.token });
    await put({ apiKeyId, apiKeySecret });
    await until(async () => {
      assert.equal((await gallery(tenantId)).problem, null);
      return told(project.token).length === 1;
    }, "the event");
  });

  it("an answer that is lost means a repetition of one batch, with the same command ids", async (t) => {
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put();
    t.after(() => bloomreach.server.setFault(undefined));
    await bloomreach.server.setFault({ kind: "cut-after", times: 1, path: "batch" });
    await seedPass(api(), tenantId, known(ADA));
    await until(() => told(project.token).length === 1, "the first");
    await inTime("the second", () => told(project.token).length === 2);
    const [first, second] = batches(project.token).map((commands) =>
      commands.map(({ command_id }) => command_id),
    );
    assert.deepEqual(second, first);
    await seedPass(api(), tenantId, known(ADA));
    await until(() => told(project.token).length === 3, "the next");
  });

  it("a refused event is set aside after some tries, the others follow, and the gallery says why", async () => {
    const wish = { forbiddenEvents: ["pass_scanned"] };
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach, wish);
    await put();
    const { id } = await seedPass(api(), tenantId, known(ADA));
    await api().post(`/api/${tenantId}/scans`, { key, body: { data: id, type: "qrcode" } });
    await seedPass(api(), tenantId, known(ADA));
    await until(async () => {
      aheadMs += 15_000;
      return (
        (await api().sql("select from connector_refusal where tenant_id = $1", [tenantId])).length >
        0
      );
    }, "set aside");
    assert.deepEqual(typesOf(project.token), ["pass_created", "pass_created"], "each once");
    assert.match((await gallery(tenantId)).problem, /One event was refused .* scan\.recorded: /);
    await seedPass(api(), tenantId, known(ADA));
    await until(() => told(project.token).length === 3, "the next");
  });

  it("202: what was set aside is listed (refused-event.list) and sent again (refused-event.replay)", async () => {
    const forbiddenEvents = ["pass_scanned"];
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach, {
      forbiddenEvents,
    });
    await put();
    for (const location of ["Gate 1", "Gate 2"]) {
      const { id } = await seedPass(api(), tenantId, known(ADA));
      const body = { data: id, type: "qrcode", location };
      const scan = await api().post(`/api/${tenantId}/scans`, { key, body });
      assert.equal(scan.status, 201, scan.text);
    }
    const path = `/api/${tenantId}/admin/extensions/cdp/refused-events`;
    const list = async () => {
      const { status, body, text } = await api().get(path, { key });
      assert.equal(status, 200, text);
      return body as RefusedEvent[];
    };
    await until(async () => {
      aheadMs += 15_000;
      return (await list()).length === 2;
    }, "both are set aside");
    const [newest, oldest] = await list();
    assert.deepEqual([newest?.event, newest?.isWaiting], ["scan.recorded", false]);
    assert.match(String(newest?.reason), /not authorized/);
    assert.ok(String(newest?.eventId) > String(oldest?.eventId), "the newest first");

    const replay = (eventId: string | undefined) =>
      api().post(`${path}/${eventId}/replay`, { key });
    const refusedAt = async () => (await list())[0]?.refusedAt;
    const before = await refusedAt();
    assert.equal((await replay(newest?.eventId)).status, 202);
    await until(async () => (await refusedAt()) !== before, "it is refused once more");
    assert.equal((await list())[0]?.isWaiting, false);

    const { token, apiKeyId, apiKeySecret } = project;
    bloomreach.createProject({ token, apiKeyId, apiKeySecret });
    for (const one of [newest, oldest]) {
      assert.deepEqual((await replay(one?.eventId)).body.isWaiting, true);
    }
    await until(async () => (await list()).length === 0, "nothing is left");
    assert.deepEqual(typesOf(project.token).toSorted(), [
      "pass_created",
      "pass_created",
      "pass_scanned",
      "pass_scanned",
    ]);
    assert.equal((await gallery(tenantId)).problem, null);
    const missing = await replay(newest?.eventId);
    assert.deepEqual([missing.status, missing.body.code], [404, "refused-event.not-found"]);
    const other = await api().get(path.replace("/cdp/", "/shopify/"), { key });
    assert.deepEqual([other.status, other.body.code], [404, "extension.tells-nothing"]);
  });

  it("who is to be erased there is kept sealed, and told when the platform is back", async (t) => {
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach);
    await put();
    const canary = "canary@harbour.example";
    const { id } = await seedPass(api(), tenantId, known(canary));
    await until(() => told(project.token).length === 1, "it is told");
    t.after(() => bloomreach.server.setFault(undefined));
    await bloomreach.server.setFault({ kind: "503" });
    await api().delete(`/api/${tenantId}/passes/${id}`, { key });
    const rows = () =>
      api().sql(
        `select connector_erasure::text as text, sealed, attempts
           from connector_erasure where tenant_id = $1`,
        [tenantId],
      );
    await until(async () => Number((await rows())[0]?.attempts) > 0, "a try");
    const [row, ...others] = await rows();
    assert.equal(others.length, 0);
    assert.ok(!String(row?.text).includes("canary"));
    assert.ok(Buffer.isBuffer(row?.sealed) && !row.sealed.includes("canary"));
    await until(
      async () => /An erased customer is still known/.test((await gallery(tenantId)).problem ?? ""),
      "the gallery says so",
    );
    await bloomreach.server.setFault(undefined);
    await inTime("nothing is kept", async () => (await rows()).length === 0);
    const anonymized = () =>
      bloomreach.arrivals
        .filter((one) => one.project === project.token && one.name === "customers/anonymize")
        .map(({ data }) => data.customer_ids);
    assert.deepEqual(anonymized(), [{ registered: canary }]);

    // A row of before the sealing is told as well; one that no key opens is told of, and stays.
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: { registered: "old@x.example" },
    });
    await api().sql(
      `insert into connector_erasure (tenant_id, connector, person, sealed, requested_at, next_attempt_at)
       values ($1, 'cdp', '{"cdp.registered":"old@x.example"}', null, now(), now()),
              ($1, 'cdp', null, decode('00', 'hex'), now(), now())`,
      [tenantId],
    );
    await inTime("the older one is told", () => anonymized().length === 2);
    await inTime("the other is told of", async () =>
      /still known to the vendor/.test((await gallery(tenantId)).problem ?? ""),
    );
    assert.equal((await rows()).length, 1);
  });

  it("who is to be erased there is told after the file was away, and forgotten by DELETE", async (t) => {
    const { tenantId, put, project, key, settings } = await seedCdpTenant(api(), bloomreach);
    await put();
    const waiting = async () =>
      (await api().sql("select from connector_erasure where tenant_id = $1", [tenantId])).length;
    const publish = async (file: object | null) => {
      const files = { "server/cdp.yml": file && `${JSON.stringify(file)}\n` };
      const done = await api().patch(`/api/tenants/${tenantId}`, { key, body: { files } });
      assert.ok(done.status < 300, done.text);
    };
    t.after(() => bloomreach.server.setFault(undefined));
    const leave = async (registered: string) => {
      const { id } = await seedPass(api(), tenantId, known(registered));
      await until(
        () =>
          told(project.token).some(
            ({ customer_ids: ids }) => (ids as { registered: string }).registered === registered,
          ),
        "it is told",
      );
      await bloomreach.server.setFault({ kind: "503" });
      await api().delete(`/api/${tenantId}/passes/${id}`, { key });
      assert.equal(await waiting(), 1);
    };
    await leave("gone@harbour.example");
    await publish(null);
    assert.equal(await waiting(), 1);
    await bloomreach.server.setFault(undefined);
    await publish(settings);
    await inTime("the platform was told", async () => (await waiting()) === 0);
    await leave("also@harbour.example");
    const path = `/api/${tenantId}/admin/extensions/cdp`;
    assert.equal((await api().delete(path, { key })).status, 204);
    assert.equal(await waiting(), 0);
  });

  it("an event is told at once, whatever other feeds the tenant has", async () => {
    const { tenantId, put, project } = await seedCdpTenant(api(), bloomreach);
    await put();
    await seedPass(api(), tenantId, known(ADA));
    await until(() => told(project.token).length === 1, "the first");
    const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000);
    await until(async () => {
      const rows = await api().sql(
        `update connector_feed set next_attempt_at = $2
          where tenant_id = $1 and claim is null and attempts = 0 returning connector`,
        [tenantId, inMinutes(120)],
      );
      return rows.length === 1;
    }, "it rests");
    await api().sql(
      `insert into connector_feed (tenant_id, connector, started_at, xact, sequence, next_attempt_at)
       select tenant_id, 'pretix', started_at, xact, sequence, $2
         from connector_feed where tenant_id = $1`,
      [tenantId, inMinutes(60)],
    );
    await seedPass(api(), tenantId, known(ADA));
    await until(() => told(project.token).length === 2, "the second");
  });

  it("whoever is erased here is anonymized there, when their last pass goes", async () => {
    const { tenantId, put, project, key } = await seedCdpTenant(api(), bloomreach);
    await put();
    const [first, second] = [
      await seedPass(api(), tenantId, known(ADA)),
      await seedPass(api(), tenantId, known(ADA)),
    ];
    await until(() => told(project.token).length === 2, "both are told");
    const waiting = async () =>
      (await api().sql("select from connector_erasure where tenant_id = $1", [tenantId])).length;
    const anonymized = () =>
      bloomreach.arrivals.filter(
        (one) => one.project === project.token && one.name === "customers/anonymize",
      );
    await api().delete(`/api/${tenantId}/passes/${first.id}`, { key });
    await until(async () => (await waiting()) === 0, "the first is done");
    assert.deepEqual(anonymized(), [], "another pass has the same identifier");
    await api().delete(`/api/${tenantId}/passes/${second.id}`, { key });
    await until(() => anonymized().length === 1, "the person is gone");
    assert.deepEqual(anonymized()[0]?.data.customer_ids, { registered: ADA });
    await until(async () => (await waiting()) === 0, "nothing is kept");

    const made = await api().post(`/api/${tenantId}/customers`, {
      key,
      body: { identifiers: { "cdp.registered": "bo@harbour.example" } },
    });
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: { registered: "bo@harbour.example" },
    });
    await api().delete(`/api/${tenantId}/customers/${made.body.customerId}`, { key });
    await until(() => anonymized().length === 2, "the customer is gone");
  });

  it("switched off it waits and goes on from its place; removed it begins anew", async () => {
    const { tenantId, put, project, key, settings } = await seedCdpTenant(api(), bloomreach);
    await put();
    const publish = (files: object) =>
      api().patch(`/api/tenants/${tenantId}`, { key, body: { files } });
    await publish({ "server/cdp.yml": `${JSON.stringify({ ...settings, enabled: false })}\n` });
    await seedPass(api(), tenantId, known(ADA));
    await until(async () => {
      const [row] = await api().sql("select attempts from connector_feed where tenant_id = $1", [
        tenantId,
      ]);
      return Number(row?.attempts) > 0;
    }, "it rests");
    assert.deepEqual(told(project.token), []);
    await publish({ "server/cdp.yml": `${JSON.stringify(settings)}\n` });
    await until(() => told(project.token).length === 1, "what happened meanwhile");
    await publish({ "server/cdp.yml": null });
    await seedPass(api(), tenantId, known("unseen@harbour.example"));
    await put();
    await seedPass(api(), tenantId, known("seen@harbour.example"));
    await until(() => told(project.token).length === 2, "only what is new");
    assert.deepEqual(told(project.token)[1]?.customer_ids, { registered: "seen@harbour.example" });
  });
});
