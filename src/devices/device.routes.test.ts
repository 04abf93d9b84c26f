import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { hashToken, TOKEN_PATTERN } from "#src/api-keys/public.ts";
import { readOperations } from "#test/support/operations.ts";
import { startApi } from "#test/support/start-api.ts";

// Refused requests are counted by address, and one test sends hundreds of them.
const api = await startApi({ after }, { env: { TRUST_PROXY: "1" } });
for (const tenantId of ["acme", "rival"]) await api.seed.tenant(tenantId);
const key = api.operatorKey;
const DEVICES = "/api/acme/devices";

async function register(name = "North door", settings?: object): Promise<string> {
  const { status, body, text } = await api.post(DEVICES, { key, body: { name, settings } });
  assert.equal(status, 201, text);
  return body.deviceId;
}

async function connect(deviceId: string): Promise<string> {
  const { status, body, text } = await api.post(`${DEVICES}/${deviceId}/connect`, { key });
  assert.equal(status, 200, text);
  return body.apiKey;
}

async function eventsOf(deviceId: string) {
  return await api.sql(
    `select name, data, previous from event
      where tenant_id = 'acme' and data ->> 'deviceId' = $1 order by xact, sequence`,
    [deviceId],
  );
}

describe("device.register", () => {
  it("201: with its address, its version and its event", async () => {
    const settings = { passTypes: ["loyalty"], sound: false, vendor: { model: "X5", ids: [1] } };
    const made = await api.post(DEVICES, { key, body: { name: "Till 7", settings } });
    assert.equal(made.status, 201);
    const { deviceId, createdAt, updatedAt, ...rest } = made.body;
    assert.match(deviceId, /^dev_[0-9A-Za-z]{22}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      name: "Till 7",
      settings,
      status: "registered",
      lastSeenAt: null,
      version: 1,
    });
    assert.equal(made.headers.get("location"), `${DEVICES}/${deviceId}`);
    const read = await api.get(`${DEVICES}/${deviceId}`, { key });
    assert.deepEqual(read.body, made.body);
    assert.equal(read.headers.get("etag"), made.headers.get("etag"));
    const events = await eventsOf(deviceId);
    assert.deepEqual(
      events.map(({ name, data }) => [name, data]),
      [["device.registered", made.body]],
    );
  });

  it("400: names the field that is wrong", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(9)}1${"}".repeat(9)}`);
    const tries: readonly [unknown, string][] = [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "  " }, "name"],
      [{ name: "x".repeat(101) }, "name"],
      [{ name: 7 }, "name"],
      [{ name: "x", deviceId: "mine" }, "deviceId"],
      [{ name: "x", settings: [] }, "settings"],
      [{ name: "x", settings: { passTypes: [] } }, "settings.passTypes"],
      [{ name: "x", settings: { passTypes: [1] } }, "settings.passTypes[0]"],
      [{ name: "x", settings: { redeem: { amount: 1 } } }, "settings.redeem.privilegeId"],
      [
        { name: "x", settings: { redeem: { privilegeId: "p", amount: 0 } } },
        "settings.redeem.amount",
      ],
      [
        { name: "x", settings: { redeem: { privilegeId: "p", amount: 0.00001 } } },
        "settings.redeem.amount",
      ],
      [{ name: "x", settings: { sound: "loud" } }, "settings.sound"],
      [{ name: "x", settings: { language: "French" } }, "settings.language"],
      [{ name: "x", settings: { location: "" } }, "settings.location"],
      [{ name: "x", settings: { note: "y".repeat(16_384) } }, "settings"],
      [{ name: "x", settings: deep }, "settings"],
    ];
    for (const [body, field] of tries) {
      const { status, body: problem } = await api.post(DEVICES, { key, body });
      assert.equal(status, 400, JSON.stringify(body).slice(0, 80));
      assert.deepEqual(Object.keys(problem.errors), [field]);
    }
  });

  it("400: NUL and half surrogates, without a 500", async () => {
    for (const text of ["\\u0000", "\\ud800"]) {
      for (const rawBody of [`{"name":"${text}"}`, `{"name":"x","settings":{"a":"${text}"}}`]) {
        const headers = { "content-type": "application/json" };
        assert.equal((await api.post(DEVICES, { key, rawBody, headers })).status, 400);
      }
    }
  });

  it("201: names of one character and of a hundred, and amounts to four digits", async () => {
    for (const name of ["é", "x".repeat(100)]) await register(name);
    await register("till", { redeem: { privilegeId: "points", amount: 0.0001 } });
  });
});

describe("device.list and device.get", () => {
  it("200: filters by name and status, by page", async () => {
    const id = await register("Rooftop");
    await connect(id);
    const query = (field: string, value: string) =>
      `filter[0].field=${field}&filter[0].operator=equals&filter[0].value=${value}`;
    const named = await api.get(`${DEVICES}?${query("name", "Rooftop")}`, { key });
    assert.deepEqual(
      named.body.map((device: { deviceId: string }) => device.deviceId),
      [id],
    );
    const connected = await api.get(`${DEVICES}?${query("status", "connected")}`, { key });
    for (const device of connected.body) assert.equal(device.status, "connected");
    const page = await api.get(`${DEVICES}?pageSize=1`, { key });
    assert.equal(page.body.length, 1);
    assert.match(page.headers.get("link") ?? "", /rel="next"/);
  });

  it("404: a device of another tenant, and one that never was, alike", async () => {
    const id = await register();
    for (const path of [id, "dev_0000000000000000000000", "nope", "x".repeat(200)]) {
      const { status, body } = await api.get(`/api/rival/devices/${path}`, { key });
      assert.equal(status, 404);
      assert.equal(body.code, "device.not-found");
    }
    for (const [method, path] of [
      ["PUT", id],
      ["DELETE", id],
      ["POST", `${id}/connect`],
      ["POST", `${id}/connections/reset`],
      ["POST", `${id}/pairing`],
    ] as const) {
      const body = method === "PUT" ? { body: { name: "stolen" } } : {};
      const answer = await api.request(method, `/api/rival/devices/${path}`, { key, ...body });
      assert.equal(answer.status, 404, method);
    }
    assert.equal((await api.get(`${DEVICES}/${id}`, { key })).body.name, "North door");
  });

  it("200: never 304, because being seen is no new version; the ETag guards a change", async () => {
    const at = `${DEVICES}/${await register()}`;
    const etag = (await api.get(at, { key })).headers.get("etag") ?? "";
    await api.sql("update device set last_seen_at = now() where $1 like '%' || id", [at]);
    const read = await api.get(at, { key, headers: { "if-none-match": etag } });
    assert.equal(read.status, 200);
    assert.notEqual(read.body.lastSeenAt, null);
    const change = (name: string) =>
      api.put(at, { key, body: { name }, headers: { "if-match": etag } });
    assert.equal((await change("Gate C")).status, 200);
    assert.equal((await change("Gate D")).status, 412);
  });
});

describe("device.update", () => {
  it("200: what is left out stays; settings are replaced as a whole", async () => {
    const id = await register("Gate", { sound: true, location: "Gate" });
    const named = await api.put(`${DEVICES}/${id}`, { key, body: { name: "Gate B" } });
    assert.equal(named.status, 200);
    assert.deepEqual(named.body.settings, { sound: true, location: "Gate" });
    const set = await api.put(`${DEVICES}/${id}`, { key, body: { settings: { sound: false } } });
    assert.deepEqual(
      [set.body.name, set.body.settings, set.body.version],
      ["Gate B", { sound: false }, 3],
    );
    const events = await eventsOf(id);
    assert.deepEqual(
      events.map(({ name }) => name),
      ["device.registered", "device.updated", "device.updated"],
    );
  });

  it("200: a change without effect makes no version and no event", async () => {
    const id = await register("Same");
    const same = await api.put(`${DEVICES}/${id}`, { key, body: { name: "Same", settings: {} } });
    assert.equal(same.body.version, 1);
    assert.equal((await eventsOf(id)).length, 1);
  });

  it("412: for a version that is no longer the newest, by every write", async () => {
    const id = await register();
    const headers = { "if-match": '"dev.0"' };
    for (const [method, path] of [
      ["PUT", id],
      ["DELETE", id],
      ["POST", `${id}/connect`],
      ["POST", `${id}/connections/reset`],
      ["POST", `${id}/pairing`],
    ] as const) {
      const body = method === "PUT" ? { body: { name: "late" } } : {};
      const answer = await api.request(method, `${DEVICES}/${path}`, { key, headers, ...body });
      assert.equal(answer.status, 412, `${method} ${path}`);
    }
  });

  it("400: nothing to change", async () => {
    const id = await register();
    assert.equal((await api.put(`${DEVICES}/${id}`, { key, body: {} })).status, 400);
  });
});

describe("device.connect, device.reset and device.delete", () => {
  it("200: gives the key once; 409 afterwards", async () => {
    const id = await register();
    const { status, body, headers } = await api.post(`${DEVICES}/${id}/connect`, { key });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ["apiKey", "deviceId", "environmentUri"]);
    assert.match(body.apiKey, /^bf_dev_test_[0-9A-Za-z]{49}$/);
    assert.equal(body.deviceId, id);
    assert.equal(body.environmentUri, `${api.runtime.baseUrl}/api/acme`);
    assert.equal(headers.get("cache-control"), "no-store");
    const again = await api.post(`${DEVICES}/${id}/connect`, { key });
    assert.equal(again.status, 409);
    assert.equal(again.body.code, "device.already-connected");
    assert.equal((await api.get(`${DEVICES}/current`, { key: body.apiKey })).status, 200);
  });

  it("200: one of two connections at the same moment; 409 for the other", async () => {
    const id = await register();
    const both = await Promise.all([1, 2].map(() => api.post(`${DEVICES}/${id}/connect`, { key })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
  });

  it("200: a reset gives another key and ends the old one; it connects a device without one", async () => {
    const id = await register();
    const first = await api.post(`${DEVICES}/${id}/connections/reset`, { key });
    assert.equal(first.status, 200);
    const second = await api.post(`${DEVICES}/${id}/connections/reset`, { key });
    assert.notEqual(second.body.apiKey, first.body.apiKey);
    assert.equal((await api.get(`${DEVICES}/current`, { key: first.body.apiKey })).status, 401);
    assert.equal((await api.get(`${DEVICES}/current`, { key: second.body.apiKey })).status, 200);
    const events = await eventsOf(id);
    assert.deepEqual(
      events.map(({ name }) => name),
      ["device.registered", "device.connected", "device.reset"],
    );
  });

  it("204: a deleted device is gone, and so is its key", async () => {
    const id = await register();
    const token = await connect(id);
    assert.equal((await api.delete(`${DEVICES}/${id}`, { key })).status, 204);
    assert.equal((await api.get(`${DEVICES}/current`, { key: token })).status, 401);
    assert.equal((await api.get(`${DEVICES}/${id}`, { key })).status, 404);
    assert.equal((await api.delete(`${DEVICES}/${id}`, { key })).status, 404);
    const rows = await api.sql("select from api_key where hash = $1", [hashToken(token)]);
    assert.equal(rows.length, 0);
    assert.equal((await eventsOf(id)).at(-1)?.name, "device.deleted");
  });

  it("the same Idempotency-Key gives the same key of the device, which is stored nowhere in clear", async () => {
    const id = await register();
    const headers = { "idempotency-key": `connect-${id}` };
    const first = await api.post(`${DEVICES}/${id}/connect`, { key, headers });
    const again = await api.post(`${DEVICES}/${id}/connect`, { key, headers });
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.equal(again.text, first.text);
    const token: string = first.body.apiKey;
    const hash = hashToken(token);
    const places = {
      audit: JSON.stringify(await api.sql("select audit::text from audit")),
      events: JSON.stringify(await api.sql("select event::text from event")),
      devices: JSON.stringify(await api.sql("select device::text from device")),
      answers: JSON.stringify(
        await api.sql("select encode(answer, 'escape') from idempotent_answer"),
      ),
      log: api.logLines.join("\n"),
    };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [token, token.slice(12), hash.toString("hex")]) {
        assert.ok(!text.includes(secret), `found in ${place}`);
      }
      assert.doesNotMatch(text, TOKEN_PATTERN, place);
    }
  });
});

describe("the key of a device", () => {
  it("200: reads its own device and settings by device.get-current", async () => {
    const id = await register("Mine", { language: "fr" });
    const token = await connect(id);
    const { status, body, headers } = await api.get(`${DEVICES}/current`, { key: token });
    assert.equal(status, 200);
    assert.deepEqual([body.deviceId, body.settings], [id, { language: "fr" }]);
    assert.equal(typeof headers.get("etag"), "string");
  });

  it("404: for a caller that is no device; 401 in another tenant", async () => {
    const scanning = await api.seed.key("acme", "PassScan.Scan");
    const { status, body } = await api.get(`${DEVICES}/current`, { key: scanning });
    assert.deepEqual([status, body.code], [404, "device.not-calling"]);
    const token = await connect(await register());
    assert.equal((await api.get("/api/rival/devices/current", { key: token })).status, 401);
  });

  it("403: on every operation beyond scanning and reading passes", async () => {
    const id = await register();
    const token = await connect(id);
    const operations = (await readOperations(api)).filter(
      ({ isPublic, needsNoScope, scope }) =>
        !(isPublic || needsNoScope || scope === "Pass.Read" || scope === "PassScan.Scan"),
    );
    assert.ok(operations.length > 50);
    for (const { method, path, op } of operations) {
      const address = path.replace("{tenantId}", "acme").replace(/\{\w+\}/g, id);
      const { status, body } = await api.request(method, address, { key: token });
      assert.deepEqual([status, body?.code], [403, "access.scope-missing"], op);
    }
  });

  it("tells when its device was last seen, without moving the version", async (t) => {
    const id = await register();
    const token = await connect(id);
    const node = await api.node({}, { owner: t });
    const startedAt = Date.now();
    assert.equal((await node.get(`${DEVICES}/current`, { key: token })).status, 200);
    await node.application.stop();
    const { body } = await api.get(`${DEVICES}/${id}`, { key });
    const seenAt = Date.parse(body.lastSeenAt);
    assert.ok(seenAt >= startedAt && seenAt <= Date.now(), body.lastSeenAt);
    assert.equal(body.version, 2);
    const reset = await api.post(`${DEVICES}/${id}/connections/reset`, { key });
    assert.equal(reset.status, 200);
    const after = await api.get(`${DEVICES}/${id}`, { key });
    assert.equal(after.body.lastSeenAt, body.lastSeenAt, "kept beyond the key");
  });
});

describe("a key of a device that ends", () => {
  it("401: every request begun after the answer, on a second node too, by delete, reset and pairing", async (t) => {
    const node = await api.node({}, { owner: t });
    let sent = 0;
    const use = (one: Pick<typeof api, "get">, token: string) => {
      sent += 1;
      const headers = { "x-forwarded-for": `10.3.${sent >> 8}.${sent & 255}` };
      return one.get(`${DEVICES}/current`, { key: token, headers });
    };
    const endings = {
      delete: (id: string) => api.delete(`${DEVICES}/${id}`, { key }),
      reset: (id: string) => api.post(`${DEVICES}/${id}/connections/reset`, { key }),
      pairing: async (id: string) => {
        const { body } = await api.post(`${DEVICES}/${id}/pairing`, { key });
        return await api.post("/.well-known/billfold/pair", { body: { code: body.code } });
      },
    };
    for (const [name, end] of Object.entries(endings)) {
      const id = await register(name);
      const token = await connect(id);
      let endedAt = Number.POSITIVE_INFINITY;
      let served = 0;
      const late: number[] = [];
      // Requests are under way on both nodes all the time, so that anything cached is fresh.
      const load = [api, node, node, node].map(async (one) => {
        for (let refused = 0; refused < 3; ) {
          const startedAt = performance.now();
          const { status } = await use(one, token);
          if (status === 200) served += 1;
          if (status === 200 && startedAt > endedAt) late.push(startedAt - endedAt);
          if (status === 401) refused += 1;
        }
      });
      while (served < 20) await new Promise(setImmediate);
      // Signals between nodes are cut off for half a second: the promise must not depend on them.
      await api.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'billfold signals'`,
      );
      const { status } = await end(id);
      endedAt = performance.now();
      const burst = Array.from({ length: 200 }, () => use(node, token));
      assert.ok(status < 300, name);
      const statuses = (await Promise.all(burst)).map((answer) => answer.status);
      assert.deepEqual(new Set(statuses), new Set([401]), name);
      await Promise.all(load);
      assert.deepEqual(late, [], name);
    }
  });
});
