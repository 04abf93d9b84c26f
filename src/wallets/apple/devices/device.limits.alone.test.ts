import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type AppleDevice, type HeldPass, openAppleStage } from "#test/support/apple-stage.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { CHANGES_PER_HOUR_MAX, DEVICES_PER_PASS_MAX } from "./device.limits.ts";

type Stage = Awaited<ReturnType<typeof openAppleStage>>;

const HOUR_MS = 3_600_000;
const AT_ONCE = 8;
/** Between two requests of a bystander, who is no flood. */
const LOOK_MS = 25;
/** A visitor who has nothing to do with the flood is answered in this time, on any machine. */
const ANSWERED_MS_MAX = 1_000;

describe("limits of the web service for Apple devices", () => {
  const undos: (() => Promise<void>)[] = [];
  const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };
  let api: TestApi;
  let stage: Stage;
  before(async () => {
    // Without the role `worker`, so that nobody pushes.
    const env = { ROLES: "api", APNS_URL: "https://127.0.0.1:9" };
    const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
    api = await startApi(owner, { clock, env });
    stage = await openAppleStage(api);
  });
  after(async () => {
    for (const undo of undos) await undo();
  });

  const rowsOf = async (passId: string) => {
    const [row] = await api.sql(
      `select (select count(*)::int from apple_registration where pass_id = $1) as registrations,
              (select count(*)::int from apple_delivery where pass_id = $1) as deliveries,
              (select count(*)::int from event where subject = $1) as events`,
      [passId],
    );
    return row;
  };
  const countDevices = async () => (await api.sql("select from apple_device")).length;

  /** Sends all of them, some at a time; the answers by status. Meanwhile others use the API. */
  async function flood(sends: readonly (() => Promise<{ status: number }>)[]) {
    const statuses: Record<number, number> = {};
    const waiting = [...sends];
    let isOver = false;
    const bystander = (async () => {
      let slowest = 0;
      const other = await stage.pass();
      while (!isOver) {
        const elapsedMs = startStopwatch();
        const path = `/api/${stage.tenantId}/passes/${other.id}`;
        const { status } = await api.get(path, { key: api.operatorKey });
        assert.equal(status, 200);
        slowest = Math.max(slowest, elapsedMs());
        await sleep(LOOK_MS);
      }
      return slowest;
    })();
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (let send = waiting.shift(); send !== undefined; send = waiting.shift()) {
        const { status } = await send();
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    });
    await Promise.all(senders);
    isOver = true;
    const slowest = await bystander;
    assert.ok(slowest < ANSWERED_MS_MAX, `a bystander waited for ${slowest} ms`);
    return statuses;
  }

  it("200: the same registration hundreds of times leaves one, and others are served", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    const statuses = await flood(Array.from({ length: 500 }, () => () => phone.register(pass)));
    assert.deepEqual(statuses, { 200: 499, 201: 1 });
    assert.deepEqual(await rowsOf(pass.id), { registrations: 1, deliveries: 0, events: 2 });
  });

  it("400, then 429: a pass takes a thousand devices, and so many changes in an hour", async () => {
    // Changes are counted by the hour of the clock: the test begins with a new one.
    clock.offsetMs += HOUR_MS - (clock.now().getTime() % HOUR_MS);
    const pass = await stage.pass();
    const before = await countDevices();
    const crowd = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => stage.device(`${name}-${at}`));
    const register = (device: AppleDevice) => () => device.register(pass);
    const first = crowd("crowd", DEVICES_PER_PASS_MAX + 50);
    const statuses = await flood(first.map(register));
    assert.deepEqual(statuses, { 201: DEVICES_PER_PASS_MAX, 400: 50 });
    const late = await flood(crowd("late", 200).map(register));
    assert.deepEqual(late, { 400: CHANGES_PER_HOUR_MAX - first.length, 429: 50 });
    const { registrations, events } = (await rowsOf(pass.id)) ?? {};
    assert.deepEqual([registrations, events], [DEVICES_PER_PASS_MAX, 2]);
    assert.equal(await countDevices(), before + DEVICES_PER_PASS_MAX);

    // Whoever is registered is known as ever, and may leave.
    const [known] = first;
    assert.ok(known);
    assert.equal((await known.register(pass)).status, 200);
    assert.equal((await known.unregister(pass)).status, 200);
    const refused = await known.register(pass);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    const told = api.logLines.filter((line) => line.includes("register for a pass too often"));
    assert.equal(told.length, 1);
    assert.ok(told[0]?.includes(pass.id));
    clock.offsetMs += 3_600_000;
    assert.equal((await known.register(pass)).status, 201);
  });

  it("400 or 401: bodies and names that are none, and nothing is written", async () => {
    const pass = await stage.pass();
    const devices = await countDevices();
    const path = `${stage.base}/devices/d/registrations/${stage.passType}/${pass.id}`;
    const headers = {
      authorization: `ApplePass ${pass.token}`,
      "content-type": "application/json",
    };
    const bodies: (string | Buffer)[] = [
      "null",
      '"text"',
      "[1]",
      '{"pushToken":null}',
      '{"pushToken":["aa"]}',
      '{"pushToken":{"a":1}}',
      '{"pushToken":""}',
      '{"pushToken":"a\\u0000b"}',
      '{"pushToken":"a\u0000b"}',
      '{"pushToken":"aa","pushToken":"bb"}',
      '{"pushToken":"../../x"}',
      '{"pushToken":"a\\r\\nb"}',
      '{"__proto__":{"pushToken":"aa"}}',
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      Buffer.from('\ufeff{"pushToken":"aa"}x'),
      "[".repeat(4_000),
    ];
    for (const rawBody of bodies) {
      const { status } = await api.post(path, { headers, rawBody });
      assert.equal(status, 400, String(rawBody));
    }
    const body = { pushToken: "aa" };
    for (const [name, expected] of [
      ["%00", 400],
      ["a%00b", 400],
      ["%ff", 400],
      ["..%2f..", 400],
      ["%F0%9F%93%B1", 400],
      ["d%20d", 400],
    ] as const) {
      const { status } = await api.post(path.replace("/d/", `/${name}/`), { headers, body });
      assert.equal(status, expected, name);
      const serial = await api.post(path.replace(pass.id, name), { headers, body });
      assert.ok([400, 401].includes(serial.status), `${name}: ${serial.status}`);
    }
    for (const authorization of [
      `ApplePass ${pass.token}x`,
      `ApplePass ${pass.token.slice(1)}`,
      `applepass ${pass.token}`,
      `ApplePass  ${pass.token}`,
      `Bearer ${pass.token}`,
      `ApplePass ${"x".repeat(5_000)}`,
    ]) {
      const { status } = await api.post(path, { headers: { ...headers, authorization }, body });
      assert.equal(status, 401, authorization.slice(0, 40));
    }
    assert.equal(await countDevices(), devices);
    assert.deepEqual(await rowsOf(pass.id), { registrations: 0, deliveries: 0, events: 1 });
  });

  it("401: hundreds of wrong tokens write nothing, and others are served", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    const wrong: HeldPass[] = Array.from({ length: 200 }, (_, at) => ({
      id: at % 2 === 0 ? pass.id : `ps_${String(at).padStart(22, "0")}`,
      token: `${pass.token.slice(0, -4)}${String(at).padStart(4, "0")}`,
    }));
    const statuses = await flood(wrong.map((one) => () => phone.register(one)));
    assert.deepEqual(statuses, { 401: 200 });
    assert.deepEqual(await rowsOf(pass.id), { registrations: 0, deliveries: 0, events: 1 });
  });

  it("200: tags in any form; one that was never given out counts as none", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.register(pass);
    const { lastUpdated } = (await phone.ask()).body;
    for (const tag of [
      "",
      "0",
      "-1",
      "1e3",
      "nonsense",
      "%00",
      "%27",
      "9".repeat(18),
      "9".repeat(40),
    ]) {
      const { status, body } = await phone.ask(tag);
      assert.deepEqual([status, body?.serialNumbers], [200, [pass.id]], tag);
    }
    const twice = await phone.ask(`${lastUpdated}&passesUpdatedSince=${lastUpdated}`);
    assert.equal(twice.status, 200);
    assert.equal((await phone.ask(lastUpdated)).status, 204);
    assert.equal((await phone.ask(`00${lastUpdated}`)).status, 204);
  });

  it("200 or 304: a date that is none is as good as none", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    const at = (await phone.fetch(pass)).headers.get("last-modified") ?? "";
    assert.equal((await phone.fetch(pass, at)).status, 304);
    assert.equal((await phone.fetch(pass, at, "HEAD")).status, 304);
    for (const wrong of ["3000", "2999-01-01", "Infinity", "99999999999999", "0", "-1", "\t"]) {
      assert.equal((await phone.fetch(pass, wrong)).status, 200, wrong);
    }
  });
});
