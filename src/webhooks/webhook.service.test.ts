import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { createWebhook, WEBHOOK_SIGNAL, WEBHOOKS_MAX } from "./webhook.service.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const BODY = { events: ["pass.*"], endpoint: "https://hooks.example.com/in?key=pear-tree-9" };
const HOOKS = "/api/acme/webhooks";
await api.seed.tenant("acme");

const callOf = (tenantId: string) => systemCall(api.runtime, "webhook.test", { tenantId });

async function make(path = HOOKS) {
  const { status, body, text } = await api.post(path, { key, body: BODY });
  assert.equal(status, 200, text);
  return body as { id: string; signatureSecret: string };
}

describe("the secret of a webhook", () => {
  it("stands in no table, no audit row and no line of the log", async () => {
    const headers = { "idempotency-key": "traces" };
    const { body: made } = await api.post(HOOKS, { key, body: BODY, headers });
    const { id, signatureSecret } = made;
    const path = `${HOOKS}/${id}`;
    await api.get(path, { key });
    await api.get(HOOKS, { key });
    await api.put(path, { key, body: { ...made, enabled: true } });
    await api.put(path, { key, body: { ...made, events: ["**"] } });
    await api.put(path, { key, rawBody: `{"signatureSecret":"${signatureSecret}"` });
    await api.patch(path, { key, body: { signatureSecret, other: 1 } });
    await api.delete(path, { key });

    const shapes = [
      signatureSecret,
      Buffer.from(signatureSecret).toString("hex"),
      Buffer.from(signatureSecret, "base64").toString("hex"),
    ];
    const tables = await api.sql(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    assert.ok(tables.length > 10);
    for (const { name } of tables) {
      const rows = await api.sql(`select line::text as text from ${name} as line`);
      for (const { text } of rows) {
        assert.ok(!shapes.some((shape) => String(text).includes(shape)), String(name));
      }
    }
    assert.ok(api.logLines.every((line) => !line.includes(signatureSecret)));
    // The address of an endpoint often contains a key.
    const audits = await api.sql("select before, after from audit where target = $1", [
      `webhook:${id}`,
    ]);
    assert.ok(!JSON.stringify(audits).includes("pear-tree-9"));
    assert.match(JSON.stringify(audits), /hooks\.example\.com\/in\?…/);
  });

  it("409: changed or moved it is refused and named in the log", async () => {
    const [left, right] = [await make(), await make()];
    await api.sql(`update webhook set signature_secret = source.signature_secret
                     from webhook as source where webhook.id = '${left.id}' and source.id = '${right.id}'`);
    for (const path of [HOOKS, `${HOOKS}/${left.id}`]) {
      const res = await api.get(path, { key });
      assert.equal(res.status, 409);
      assert.equal(res.body.code, "webhook.unreadable");
      assert.ok(res.body.detail.includes(left.id));
    }
    const logged = api.logLines.filter((line) => line.includes(`"webhookId":"${left.id}"`));
    assert.equal(logged.length, 2);
    assert.equal((await api.delete(`${HOOKS}/${left.id}`, { key })).status, 200);
    assert.equal((await api.get(HOOKS, { key })).status, 200);
  });
});

describe("the id of a webhook", () => {
  it("is another one when the first is taken", async () => {
    const taken = (await make()).id;
    const ids = [taken, "Fr3e0"];
    const { webhook } = await createWebhook(callOf("acme"), BODY, () => ids.shift() ?? "");
    assert.equal(webhook.id, "Fr3e0");
    await assert.rejects(
      createWebhook(callOf("acme"), BODY, () => taken),
      /random ids/,
    );
  });

  it("may be the same in two tenants", async () => {
    await api.seed.tenant("twin");
    const { id } = await make();
    const { webhook } = await createWebhook(callOf("twin"), BODY, () => id);
    assert.equal(webhook.id, id);
    await api.delete(`/api/twin/webhooks/${id}`, { key });
    assert.equal((await api.get(`${HOOKS}/${id}`, { key })).status, 200);
  });
});

describe("a tenant", () => {
  it(`409: has at most ${WEBHOOKS_MAX} webhooks, however many are made at once`, async () => {
    await api.seed.tenant("full");
    await api.sql(
      `insert into webhook (tenant_id, id, events, endpoint, enabled, signature_secret, created_at, updated_at)
       select 'full', lpad(n::text, 5, '0'), '{*}', 'https://example.com', false, '', now(), now()
         from generate_series(1, ${WEBHOOKS_MAX - 2}) as n`,
    );
    const tries = Array.from({ length: 6 }, () =>
      api.post("/api/full/webhooks", { key, body: BODY }),
    );
    const answers = await Promise.all(tries);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    assert.equal(refused?.body.code, "webhook.too-many");
    await api.delete("/api/full/webhooks/00001", { key });
    await make("/api/full/webhooks");
    // These rows have secrets that no key opens; no other process would start with them.
    await api.sql("delete from webhook where tenant_id = 'full'");
  });

  it("tells of each change, by its name", async () => {
    await api.seed.tenant("told");
    const heard: string[] = [];
    api.runtime.signals.on(WEBHOOK_SIGNAL, (tenantId) => heard.push(tenantId));
    const { id } = await make("/api/told/webhooks");
    const path = `/api/told/webhooks/${id}`;
    await api.patch(path, { key, body: { enabled: true } });
    await api.patch(path, { key, body: { enabled: true } });
    await api.delete(path, { key });
    // One signal each for the creation, a change and the deletion.
    assert.deepEqual(new Set(heard), new Set(["told"]));
    assert.ok(heard.length >= 3);
  });

  it("takes its webhooks along when it is deleted", async () => {
    await api.seed.tenant("leaving");
    await make("/api/leaving/webhooks");
    const res = await api.delete("/api/tenants/leaving", { key });
    assert.ok(res.status < 300, res.text);
    assert.deepEqual(await api.sql("select 1 from webhook where tenant_id = 'leaving'"), []);
  });
});

describe("an endpoint", () => {
  const send = (to: Pick<typeof api, "post">, endpoint: string) =>
    to.post(HOOKS, { key, body: { ...BODY, endpoint } });
  const plain = ["http://hooks.example.com/in", "http://localhost:8080/in", "https://127.0.0.1/"];
  const inside = [
    ...["http://169.254.169.254/latest/meta-data", "https://10.0.0.1/in", "https://[fd00::1]/"],
    ...["https://0x0a000001/", "https://[::ffff:192.168.0.1]/", "https://example.com:25/"],
  ];

  it("200, 400: in staging http and the machine itself, nothing else inside", async () => {
    for (const endpoint of plain) assert.equal((await send(api, endpoint)).status, 200, endpoint);
    for (const endpoint of inside) assert.equal((await send(api, endpoint)).status, 400, endpoint);
  });

  it("200, 400: in production https alone, to the world outside", async (t) => {
    const production = await startApi(t, {
      env: { ENVIRONMENT: "production", BASE_URL: "https://billfold.example" },
    });
    await production.seed.tenant("acme");
    for (const endpoint of [...plain, ...inside]) {
      const refused = await send(production, endpoint);
      assert.equal(refused.status, 400, endpoint);
      assert.deepEqual(Object.keys(refused.body.errors), ["endpoint"]);
    }
    assert.equal((await send(production, BODY.endpoint)).status, 200);
  });
});
