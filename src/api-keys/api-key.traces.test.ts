import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { hashToken, TOKEN_PATTERN } from "./api-key.token.ts";
import { issueDeviceKey, recordKeyUse, revokeDeviceKey } from "./public.ts";

const api = await startApi({ after });
await api.seed.tenant("acme");
const key = api.operatorKey;
const KEYS = "/api/acme/admin/apiKeys";

describe("the traces of an API key", () => {
  it("every write leaves one audit row and one event, with before and after", async () => {
    const headers = { "x-request-id": "trace-1" };
    await api.post(KEYS, { key, headers, body: { name: "traced", scopes: ["Pass.Read"] } });
    await api.put(`${KEYS}/traced`, { key, headers, body: { scopes: ["Pass.Write"] } });
    await api.delete(`${KEYS}/traced`, { key, headers });

    const rows = await api.sql(
      `select op, actor_kind, actor_id, request_id, ip, before, after
         from audit where tenant_id = 'acme' and target = 'api-key:traced' order by at, id`,
    );
    const scopes = (view: unknown) => (view as { scopes: string[] } | null)?.scopes ?? null;
    assert.deepEqual(
      rows.map((row) => [row.op, scopes(row.before), scopes(row.after)]),
      [
        ["api-key.create", null, ["Pass.Read"]],
        ["api-key.update", ["Pass.Read"], ["Pass.Write"]],
        ["api-key.delete", ["Pass.Write"], null],
      ],
    );
    for (const row of rows) {
      assert.equal(row.actor_kind, "operator");
      assert.equal(row.request_id, "trace-1");
      assert.equal(row.ip, "127.0.0.1");
    }

    const events = await api.sql(
      `select name, data, previous from event
        where tenant_id = 'acme' and data ->> 'name' = 'traced' order by xact, sequence`,
    );
    assert.deepEqual(
      events.map((event) => [event.name, scopes(event.data), scopes(event.previous)]),
      [
        ["api-key.created", ["Pass.Read"], null],
        ["api-key.updated", ["Pass.Write"], ["Pass.Read"]],
        ["api-key.deleted", ["Pass.Write"], null],
      ],
    );
  });

  it("a refused write leaves none", async () => {
    const limited = await api.seed.key("acme", "ApiKey.Write");
    const body = { name: "refused", scopes: ["Secret.Read"] };
    assert.equal((await api.post(KEYS, { key: limited, body })).status, 403);
    const rows = await api.sql("select from audit where target = 'api-key:refused'");
    assert.equal(rows.length, 0);
  });

  it("neither token nor hash is anywhere but in the first answer", async () => {
    const headers = { "idempotency-key": "no-traces" };
    const body = { name: "silent", scopes: ["ApiKey.Read", "ApiKey.Write"] };
    const made = await api.post(KEYS, { key, headers, body });
    const token: string = made.body.token;
    await api.put(`${KEYS}/silent`, { key: token, body: { expiresAt: "2099-01-01T00:00:00Z" } });
    const list = await api.get(KEYS, { key: token });
    const one = await api.get(`${KEYS}/silent`, { key: token });
    await api.get(KEYS, { key: `${token}x` });

    const hash = hashToken(token);
    const secrets = [token, token.slice(8), hash.toString("hex"), hash.toString("base64")];
    const places = {
      list: list.text,
      record: one.text,
      audit: JSON.stringify(await api.sql("select audit::text from audit")),
      events: JSON.stringify(await api.sql("select event::text from event")),
      answers: JSON.stringify(
        await api.sql("select encode(answer, 'escape') from idempotent_answer"),
      ),
      log: api.logLines.join("\n"),
    };
    for (const [place, text] of Object.entries(places)) {
      assert.notEqual(text.length, 0, place);
      for (const secret of secrets) assert.ok(!text.includes(secret), `found in ${place}`);
      assert.doesNotMatch(text, TOKEN_PATTERN, place);
    }
    const [row] = await api.sql("select api_key::text as text from api_key where name = 'silent'");
    assert.ok(!String(row?.text).includes(token.slice(12)));
  });
});

describe("the last use of an API key", () => {
  it("is written when the node stops, and only ever moves forward", async () => {
    const token = await api.seed.key("acme", "ApiKey.Read");
    const [made] = await api.sql("select id, last_used_at from api_key where hash = $1", [
      hashToken(token),
    ]);
    assert.equal(made?.last_used_at, null);

    const node = await api.node();
    const startedAt = Date.now();
    assert.equal((await node.get(KEYS, { key: token })).status, 200);
    await node.application.stop();
    const used = async () => {
      const [row] = await api.sql("select last_used_at from api_key where id = $1", [made?.id]);
      return row?.last_used_at as Date;
    };
    const at = await used();
    assert.ok(at.getTime() >= startedAt && at.getTime() <= Date.now());

    const use = { tenantId: "acme", keyId: String(made?.id) };
    await recordKeyUse(api.runtime, [{ ...use, at: new Date(startedAt - 60_000) }]);
    assert.deepEqual(await used(), at);
    const later = new Date(at.getTime() + 1);
    await recordKeyUse(api.runtime, [{ ...use, at: later }]);
    assert.deepEqual(await used(), later);
  });

  it("survives two nodes that write the same keys in opposite orders", async () => {
    const rows = await api.sql("select id from api_key where tenant_id = 'acme' order by id");
    const uses = rows.map((row) => ({ tenantId: "acme", keyId: String(row.id) }));
    assert.ok(uses.length > 1, "one key alone is always in order");
    const firstAt = Date.now() + 60_000;
    const rounds = Array.from({ length: 40 }, (_, round) => {
      const all = uses.map((use) => ({ ...use, at: new Date(firstAt + round) }));
      return recordKeyUse(api.runtime, round % 2 === 0 ? all : all.reverse());
    });
    await Promise.all(rounds);
    const last = await api.sql(
      "select distinct last_used_at as at from api_key where tenant_id = 'acme'",
    );
    assert.deepEqual(last, [{ at: new Date(firstAt + 39) }], "no write was lost");
  });
});

describe("the key of a device", () => {
  const call = () => systemCall(api.runtime, "device.connect", { tenantId: "acme" });

  it("holds two scopes, is not among the API keys, and may share its name with one", async () => {
    const token = await call().transaction((tx) => issueDeviceKey(tx, "staging", "scanner-1"));
    assert.match(token, /^bf_dev_test_[0-9A-Za-z]{49}$/);
    const [row] = await api.sql("select scopes from api_key where kind = 'device'");
    assert.deepEqual(row?.scopes, ["Pass.Read", "PassScan.Scan"]);

    assert.equal((await api.get(KEYS, { key: token })).status, 403);
    assert.equal((await api.get(`${KEYS}/scanner-1`, { key })).status, 404);
    assert.equal((await api.delete(`${KEYS}/scanner-1`, { key })).status, 404);
    const body = { name: "scanner-1", scopes: ["Pass.Read"] };
    assert.equal((await api.post(KEYS, { key, body })).status, 201);
    const list = await api.get(`${KEYS}?pageSize=500`, { key });
    const named = list.body.filter((entry: { name: string }) => entry.name === "scanner-1");
    assert.equal(named.length, 1);
  });

  it("ends when the device gets a new one, and when it is removed", async () => {
    const issue = () => call().transaction((tx) => issueDeviceKey(tx, "staging", "scanner-2"));
    const first = await issue();
    assert.equal((await api.get(KEYS, { key: first })).status, 403);
    const second = await issue();
    assert.equal((await api.get(KEYS, { key: first })).status, 401);
    assert.equal((await api.get(KEYS, { key: second })).status, 403);
    await call().transaction((tx) => revokeDeviceKey(tx, "scanner-2"));
    assert.equal((await api.get(KEYS, { key: second })).status, 401);
  });
});
