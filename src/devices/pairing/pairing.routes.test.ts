import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { makeCode, readCode } from "./pairing.code.ts";
import { createPairing } from "./pairing.service.ts";
import {
  ATTEMPTS_IN_ALL_MAX,
  WRONG_PER_ADDRESS_MAX,
  WRONG_PER_NETWORK_MAX,
} from "./pairing-throttle.service.ts";

let offsetMs = 0;
const clock = { now: () => new Date(Date.now() + offsetMs) };
const api = await startApi({ after }, { clock, env: { TRUST_PROXY: "1" } });
for (const tenantId of ["acme", "rival"]) await api.seed.tenant(tenantId);
const key = api.operatorKey;
const DEVICES = "/api/acme/devices";
const PAIR = "/.well-known/billfold/pair";

async function register(tenantId = "acme"): Promise<string> {
  const body = { name: "Door" };
  return (await api.post(`/api/${tenantId}/devices`, { key, body })).body.deviceId;
}

async function pairing(deviceId: string): Promise<string> {
  const { status, body, text } = await api.post(`${DEVICES}/${deviceId}/pairing`, { key });
  assert.equal(status, 200, text);
  return body.code;
}

let addresses = 0;
/** Each from a network of its own, unless an address is given, because wrong codes are counted. */
function pair(code: unknown, address = `10.${64 + (addresses >> 8)}.${addresses++ & 255}.1`) {
  return api.post(PAIR, { body: { code }, headers: { "x-forwarded-for": address } });
}

/** The limit of all addresses together is shared by the tests of this file. */
const forgetAttempts = () => api.sql("delete from rate_limit where op = 'pairing.redeem'");

describe("pairing.create", () => {
  it("200: six characters that nobody confuses, for ten minutes, with the page to open", async () => {
    const before = clock.now().getTime();
    const { status, body, headers } = await api.post(`${DEVICES}/${await register()}/pairing`, {
      key,
    });
    assert.equal(status, 200);
    assert.match(body.code, /^[2-9A-HJKMNP-Z]{6}$/);
    assert.equal(body.url, `${api.runtime.baseUrl}/scan#${body.code}`);
    const minutes = (Date.parse(body.expiresAt) - before) / 60_000;
    assert.ok(minutes >= 10 && minutes < 10.5);
    assert.equal(headers.get("cache-control"), "no-store");
  });

  it("is stored as a hash that nobody can turn back, and the code is in no trace", async () => {
    const code = await pairing(await register());
    const [row] = await api.sql("select device_pairing::text as text from device_pairing");
    assert.ok(!String(row?.text).includes(code));
    const audit = JSON.stringify(await api.sql("select audit::text from audit"));
    assert.ok(!audit.includes(code) && !api.logLines.join().includes(code));
  });

  it("takes another code when one is taken, in whatever tenant", async () => {
    const code = makeCode();
    const tenants = ["acme", "rival"];
    const made: string[] = [];
    for (const tenantId of tenants) {
      const deviceId = await register(tenantId);
      const codes = [code, makeCode()];
      const context = systemCall(api.runtime, "test.pair", { tenantId });
      const view = await createPairing(context, deviceId, () => codes.shift() ?? "");
      made.push(view.code);
    }
    assert.equal(made[0], code);
    assert.notEqual(made[1], code);
  });
});

describe("pairing.redeem", () => {
  it("200: gives the answer of connect to a caller without a credential, and an audit row", async () => {
    const id = await register();
    const code = await pairing(id);
    const { status, body, headers } = await pair(code);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ["apiKey", "deviceId", "environmentUri"]);
    assert.equal(body.deviceId, id);
    assert.equal(body.environmentUri, `${api.runtime.baseUrl}/api/acme`);
    assert.equal(headers.get("cache-control"), "no-store");
    const { body: device } = await api.get(`${DEVICES}/current`, { key: body.apiKey });
    assert.equal(device.status, "connected");
    const [row] = await api.sql(
      "select actor_id, after from audit where op = 'pairing.redeem' and target = $1",
      [`device:${id}`],
    );
    assert.equal(row?.actor_id, "anonymous");
    const { pairedBy } = (row?.after ?? {}) as { pairedBy?: string };
    assert.equal(pairedBy, "operator");
  });

  it("404: used, replaced, expired, of a deleted device, mistyped: always the same answer", async () => {
    const used = await pairing(await register());
    assert.equal((await pair(used)).status, 200);
    const id = await register();
    const replaced = await pairing(id);
    const current = await pairing(id);
    const gone = await register();
    const ofGone = await pairing(gone);
    await api.delete(`${DEVICES}/${gone}`, { key });
    const old = await pairing(await register());
    offsetMs += 10 * 60_000 + 1_000;
    const answers = await Promise.all(
      [used, replaced, current, ofGone, old, makeCode(), "short", "O0I1L-", "é", "' or 1=1"].map(
        (code) => pair(code),
      ),
    );
    for (const { status, body } of answers) {
      assert.equal(status, 404);
      const { requestId: _own, instance: _too, ...told } = body;
      assert.deepEqual(told, {
        type: "urn:problem:pairing.code-unknown",
        title: "Code not found",
        status: 404,
        detail:
          "This code is not valid: it is mistyped, used, replaced or older than ten minutes. Ask for a new one.",
        code: "pairing.code-unknown",
      });
    }
  });

  it("404: a code that was made before the device got a key by connect or reset; the key stays", async () => {
    for (const door of ["connect", "connections/reset"]) {
      const id = await register();
      const code = await pairing(id);
      const { status, body } = await api.post(`${DEVICES}/${id}/${door}`, { key });
      assert.equal(status, 200);
      assert.equal((await pair(code)).status, 404, door);
      assert.equal((await api.get(`${DEVICES}/current`, { key: body.apiKey })).status, 200);
    }
  });

  it("404: a code of a tenant that was deleted, also when both happen at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const tenantId = `ended-${round}`;
      await api.seed.tenant(tenantId);
      const deviceId = await register(tenantId);
      const made = await api.post(`/api/${tenantId}/devices/${deviceId}/pairing`, { key });
      const [paired] = await Promise.all([
        pair(made.body.code),
        api.delete(`/api/tenants/${tenantId}`, { key }),
      ]);
      assert.ok([200, 404].includes(paired.status), paired.text);
      assert.equal((await pair(made.body.code)).status, 404);
      const rows = await api.sql("select from api_key where tenant_id = $1", [tenantId]);
      assert.equal(rows.length, 0);
    }
  });

  it("200: one of two devices that send the same code at the same moment", async () => {
    const code = await pairing(await register());
    const both = await Promise.all([pair(code), pair(code)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
  });

  it("200: as people type it; a connected device gets a new key and its old one ends", async () => {
    const id = await register();
    const first = (await pair(await pairing(id))).body.apiKey;
    const code = await pairing(id);
    const typed = ` ${code.slice(0, 3).toLowerCase()}-${code.slice(3)} `;
    const second = (await pair(typed)).body.apiKey;
    assert.equal((await api.get(`${DEVICES}/current`, { key: first })).status, 401);
    assert.equal((await api.get(`${DEVICES}/current`, { key: second })).status, 200);
  });

  it("never gives an answer again: an Idempotency-Key of a stranger is not kept", async () => {
    const code = await pairing(await register());
    const headers = { "idempotency-key": "1", "x-forwarded-for": "10.8.0.1" };
    const send = () => api.post(PAIR, { body: { code }, headers });
    assert.equal((await send()).status, 200);
    assert.equal((await send()).status, 404);
  });

  it("400: what is no code at all; 413: a body that is too large", async () => {
    for (const code of ["", "x".repeat(33), 123_456, null, ["ABCDEF"]]) {
      assert.equal((await pair(code)).status, 400, JSON.stringify(code));
    }
    for (const rawBody of ['{"code":"\\u0000ABCDE"}', '{"code":"\\ud800ABCDE"}', "{"]) {
      const headers = { "content-type": "application/json" };
      assert.equal((await api.post(PAIR, { rawBody, headers })).status, 400, rawBody);
    }
    const large = await api.post(PAIR, { body: { code: "ABCDEF", more: "x".repeat(2_000) } });
    assert.equal(large.status, 413);
  });

  it("429: an address that guesses, also with a right code; others go on", async () => {
    await forgetAttempts();
    const code = await pairing(await register());
    const address = "10.7.0.1";
    const guesses = await Promise.all(
      Array.from({ length: WRONG_PER_ADDRESS_MAX + 5 }, () => pair(makeCode(), address)),
    );
    const statuses = guesses.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 404).length, WRONG_PER_ADDRESS_MAX);
    assert.equal(statuses.filter((status) => status === 429).length, 5);
    const refused = await pair(code, address);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.equal((await pair(code)).status, 200);
  });

  it("429: a network whose addresses guess in turn; it takes nothing from others", async () => {
    await forgetAttempts();
    const code = await pairing(await register());
    const guesses = await Promise.all(
      Array.from({ length: WRONG_PER_NETWORK_MAX + 20 }, (_, at) =>
        pair(makeCode(), `2001:db8:7:${at.toString(16)}::1`),
      ),
    );
    const refused = guesses.filter(({ status }) => status === 429);
    assert.equal(refused.length, 20);
    assert.match(refused[0]?.body.detail, /from this network/);
    const [row] = await api.sql("select taken from rate_limit where op = 'pairing.redeem'");
    assert.ok(
      Number(row?.taken) <= WRONG_PER_NETWORK_MAX,
      "what is refused counts for nobody else",
    );
    assert.equal((await pair(code, "2001:db8:8::1")).status, 200);
  });

  it("429: guesses from many networks, on all nodes together", async () => {
    await forgetAttempts();
    await pair(makeCode());
    // A window later, so that the minute does not end while the guesses are on their way.
    await api.sql(
      `update rate_limit set taken = $1, ends_at = ends_at + interval '60 seconds'
        where op = 'pairing.redeem'`,
      [ATTEMPTS_IN_ALL_MAX - 20],
    );
    const node = await api.node();
    const send = (_: unknown, at: number) =>
      (at % 2 === 0 ? api : node).post(PAIR, {
        body: { code: makeCode() },
        headers: { "x-forwarded-for": `10.6.${at}.1` },
      });
    const answers = await Promise.all(Array.from({ length: 30 }, send));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 10, `${refused.length} refused`);
    await forgetAttempts();
  });
});

describe("a code", () => {
  it("is read as it was made, however it is grouped, and as nothing else", () => {
    for (let made = 0; made < 200; made += 1) {
      const code = makeCode();
      assert.equal(readCode(code), code);
      assert.equal(readCode(`${code.slice(0, 2)} ${code.slice(2)}`.toLowerCase()), code);
      assert.equal(readCode(`${code}2`), undefined);
      assert.equal(readCode(code.slice(1)), undefined);
    }
    for (const text of [
      "",
      "ABCDE0",
      "ABCDE1",
      "ABCDEO",
      "ABCDEI",
      "ABCDEL",
      "ßßß",
      "ＡＢＣＤＥＦ",
    ]) {
      assert.equal(readCode(text), undefined, text);
    }
  });
});
