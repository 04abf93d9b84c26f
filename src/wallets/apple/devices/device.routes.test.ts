import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

type Stage = Awaited<ReturnType<typeof openAppleStage>>;

describe("the web service for Apple devices", () => {
  const api = shareApi({ env: { APNS_URL: "https://127.0.0.1:9" } });
  let stage: Stage;
  let rival: Stage;
  before(async () => {
    stage = await openAppleStage(api());
    rival = await openAppleStage(api());
  });
  const providersOf = async (id: string) => {
    const { body } = await api().get(`/api/${stage.tenantId}/passes/${id}`, {
      key: api().operatorKey,
    });
    return body.providers.apple;
  };

  it("201, then 200: a device registers, and the pass is installed once", async () => {
    const [pass, phone, watch] = [await stage.pass(), stage.device(), stage.device()];
    assert.equal((await phone.register(pass)).status, 201);
    assert.equal((await phone.register(pass)).status, 200);
    assert.equal((await watch.register(pass)).status, 201);
    assert.equal((await providersOf(pass.id)).devices, 2);
    assert.deepEqual(await stage.events(pass), ["pass.created", "pass.installed"]);
  });

  it("200: the last device that unregisters uninstalls the pass; once more does nothing", async () => {
    const [pass, phone, watch] = [await stage.pass(), stage.device(), stage.device()];
    for (const device of [phone, watch]) await device.register(pass);
    for (const device of [phone, watch, watch]) {
      assert.equal((await device.unregister(pass)).status, 200);
    }
    assert.equal((await providersOf(pass.id)).status, "uninstalled");
    const names = ["pass.created", "pass.installed", "pass.uninstalled"];
    assert.deepEqual(await stage.events(pass), names);
    const left = await api().sql("select from apple_device where device_id = $1", [phone.id]);
    assert.equal(left.length, 0);
  });

  it("200: a device unregisters after the pass type changed, and while nothing can sign", async () => {
    const own = await openAppleStage(api());
    const [pass, phone] = [await own.pass(), own.device()];
    assert.equal((await phone.register(pass)).status, 201);
    const key = api().operatorKey;
    const text = `passTypeIdentifier: pass.example.other
teamIdentifier: ABCDE12345
secrets: { certificate: APPLE-CERTIFICATE, key: APPLE-KEY }
`;
    const files = { "server/apple.yml": text };
    const changed = await api().patch(`/api/tenants/${own.tenantId}`, { key, body: { files } });
    assert.equal(changed.status, 200, changed.text);
    const secret = `/api/${own.tenantId}/secrets/APPLE-KEY`;
    assert.ok((await api().put(secret, { key, body: { value: "no key" } })).status < 300);
    assert.equal((await phone.register(pass)).status, 401);
    assert.equal((await phone.unregister(pass)).status, 200);
    assert.deepEqual((await own.events(pass)).slice(0, 3), [
      "pass.created",
      "pass.installed",
      "pass.uninstalled",
    ]);
  });

  it("201: devices that register at the same moment are all counted", async () => {
    const pass = await stage.pass();
    const many = Array.from({ length: 8 }, () => stage.device());
    const answers = await Promise.all(many.map((device) => device.register(pass)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal((await providersOf(pass.id)).devices, 8);
    assert.deepEqual(await stage.events(pass), ["pass.created", "pass.installed"]);
  });

  it("200: another push token replaces the old one", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.register(pass);
    assert.equal((await phone.register(pass, "f00d")).status, 200);
    const rows = await api().sql("select push_token from apple_device where device_id = $1", [
      phone.id,
    ]);
    assert.deepEqual(rows, [{ push_token: "f00d" }]);
  });

  it("401: a wrong token, another tenant's pass, an unknown one: all the same answer", async () => {
    const [pass, theirs, phone] = [await stage.pass(), await rival.pass(), stage.device()];
    const bytes = async (sent: Promise<{ status: number; headers: Headers; text: string }>) => {
      const { status, headers, text } = await sent;
      const kept = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
      return JSON.stringify([status, kept, text]);
    };
    const wrong = await bytes(phone.register({ ...pass, token: theirs.token }));
    assert.match(wrong, /^\[401,.*,""\]$/);
    const unknown = { ...pass, id: "ps_0000000000000000000000" };
    const nowhere = `/.well-known/wallet/no-such-tenant/v1/devices/d/registrations/${stage.passType}/${pass.id}`;
    const otherType = `${stage.base}/devices/d/registrations/pass.example.other/${pass.id}`;
    const headers = { authorization: `ApplePass ${pass.token}` };
    const body = { pushToken: "aa" };
    for (const sent of [
      phone.register(theirs),
      phone.register(unknown),
      phone.unregister(theirs),
      phone.fetch(theirs),
      phone.fetch(unknown),
      phone.fetch({ ...pass, token: "x" }),
      api().post(nowhere, { headers, body }),
      api().post(otherType, { headers, body }),
      api().post(nowhere.replace("no-such-tenant", "*"), { headers, body }),
      api().post(otherType.replace("pass.example.other", "nonsense"), { headers, body }),
      api().post(`${stage.base}/passes/${stage.passType}/${pass.id}/personalize`, { body: {} }),
    ]) {
      assert.equal(await bytes(sent), wrong);
    }
    for (const authorization of ["", pass.token, `AppleOrder ${pass.token}`, "ApplePass "]) {
      const path = `${stage.base}/passes/${stage.passType}/${pass.id}`;
      assert.equal((await api().get(path, { headers: { authorization } })).status, 401);
    }
    assert.deepEqual(await rival.events(theirs), ["pass.created"]);
  });

  it("400: a body that is no JSON, has no token or one that is too long; 413: a large one", async () => {
    const pass = await stage.pass();
    const path = `${stage.base}/devices/d/registrations/${stage.passType}/${pass.id}`;
    const headers = {
      authorization: `ApplePass ${pass.token}`,
      "content-type": "application/json",
    };
    for (const rawBody of ["", "{", "[]", "{}", '{"pushToken":7}', '{"pushToken":"a/b"}']) {
      assert.equal((await api().post(path, { headers, rawBody })).status, 400, rawBody);
    }
    for (const [length, status] of [
      [513, 400],
      [5_000, 413],
    ] as const) {
      const body = { pushToken: "a".repeat(length) };
      assert.equal((await api().post(path, { headers, body })).status, status);
    }
    const long = path.replace("/d/", `/${"d".repeat(129)}/`);
    assert.equal((await api().post(long, { headers, body: { pushToken: "aa" } })).status, 400);
    assert.deepEqual(await stage.events(pass), ["pass.created"]);
  });

  it("400: a pass in a thousand devices takes no more", async () => {
    const pass = await stage.pass();
    await api().sql(
      `insert into apple_registration
       select $1, $2, 'crowd-' || number, $3, now() from generate_series(1, 1000) as number`,
      [stage.tenantId, pass.id, stage.passType],
    );
    assert.equal((await stage.device().register(pass)).status, 400);
  });

  it("200 and 204: lists what changed since a tag, which is a text and always rises", async () => {
    const [first, second, phone] = [await stage.pass(), await stage.pass(), stage.device()];
    assert.equal((await phone.ask()).status, 204);
    await phone.register(first);
    await phone.register(second);
    const { status, body, headers } = await phone.ask();
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(body.serialNumbers.toSorted(), [first.id, second.id].toSorted());
    assert.equal(typeof body.lastUpdated, "string");
    assert.equal((await phone.ask(body.lastUpdated)).status, 204);

    await stage.change(second, "Ada");
    const { body: later } = await phone.ask(body.lastUpdated);
    assert.deepEqual(later.serialNumbers, [second.id]);
    assert.ok(BigInt(later.lastUpdated) > BigInt(body.lastUpdated));
    assert.equal((await phone.ask(later.lastUpdated)).status, 204);
    assert.equal((await phone.ask("nonsense")).body.serialNumbers.length, 2);
    assert.equal((await rival.device(phone.id).ask()).status, 204);
  });

  it("200: whoever follows the tags misses no change, however many are made at once", async () => {
    const phone = stage.device();
    const passes = await Promise.all(Array.from({ length: 6 }, () => stage.pass()));
    for (const pass of passes) await phone.register(pass);
    const seen = new Map<string, number>();
    let tag: string = (await phone.ask()).body.lastUpdated;
    let isOver = false;
    const follow = (async () => {
      for (let last = false; !last; ) {
        last = isOver;
        const { status, body } = await phone.ask(tag);
        if (status === 204) continue;
        assert.ok(BigInt(body.lastUpdated) > BigInt(tag));
        tag = body.lastUpdated;
        for (const id of body.serialNumbers) {
          const pass = passes.find((one) => one.id === id);
          assert.ok(pass);
          seen.set(id, Number((await phone.show(pass)).storeCard.primaryFields[0].value));
        }
      }
    })();
    const rounds = 5;
    await Promise.all(
      passes.map(async (pass) => {
        for (let points = 1; points <= rounds; points += 1)
          await stage.change(pass, String(points));
      }),
    );
    isOver = true;
    await follow;
    assert.deepEqual(
      [...seen.values()],
      passes.map(() => rounds),
    );
  });

  it("200, 304 and HEAD: the pass is sent when its content changed, also within a second", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    const first = await phone.fetch(pass);
    assert.equal(first.status, 200);
    assert.equal(first.headers.get("content-type"), "application/vnd.apple.pkpass");
    const firstAt = first.headers.get("last-modified") ?? "";
    assert.equal((await phone.fetch(pass, firstAt)).status, 304);
    const head = await phone.fetch(pass, undefined, "HEAD");
    assert.deepEqual([head.status, head.text], [200, ""]);
    assert.equal(head.headers.get("last-modified"), firstAt);

    // Within the same second, and although no device is registered.
    const times = [firstAt];
    for (const name of ["Ada", "Grace", "Edith"]) {
      await stage.change(pass, name);
      const next = await phone.fetch(pass, times.at(-1));
      assert.equal(next.status, 200);
      times.push(next.headers.get("last-modified") ?? "");
    }
    const seconds = times.map((at) => Date.parse(at));
    assert.ok(seconds.every((at, place) => place === 0 || at >= (seconds[place - 1] ?? at)));
    await until(async () => {
      const { status, headers } = await phone.fetch(pass, times.at(-1));
      times.push(headers.get("last-modified") ?? "");
      return status === 304;
    });
    assert.equal((await phone.fetch(pass, "nonsense")).status, 200);
  });

  it("201: a pass that changed between download and registration is told of at once", async () => {
    const [pass, phone, late] = [await stage.pass(), stage.device(), stage.device()];
    await phone.fetch(pass);
    await phone.register(pass);
    const queued = () =>
      api().sql("select device_id, revision from apple_delivery where pass_id = $1", [pass.id]);
    assert.deepEqual(await queued(), []);
    await phone.unregister(pass);
    await stage.change(pass, "Ada");
    const { lastUpdated } = (await late.ask()).body ?? { lastUpdated: undefined };
    await late.register(pass);
    assert.deepEqual(await queued(), [{ device_id: late.id, revision: 2 }]);
    assert.deepEqual((await late.ask(lastUpdated)).body.serialNumbers, [pass.id]);
  });

  it("each request stands in the log with its operation", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.register(pass);
    await phone.fetch(pass);
    await phone.ask();
    await phone.unregister(pass);
    await api().get(`/p/${stage.tenantId}/${pass.id}.${pass.secret}`);
    const ops = () =>
      api()
        .logLines.map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === "request")
        .map(({ op }) => op);
    await until(() => ops().includes("landing.open"));
    for (const verb of ["register", "fetch", "list-updatable", "unregister"]) {
      assert.ok(ops().includes(`apple-device.${verb}`), verb);
    }
  });

  it("201: the same for a pass that was downloaded from its public address", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    const address = `/p/${stage.tenantId}/${pass.id}.${pass.secret}/pass.pkpass`;
    assert.equal((await api().get(address)).status, 200);
    const loyalty = String(PASS_FILES["server/passes/loyalty.yml"]).replace("#1f2a44", "#102030");
    await stage.publish({ "server/passes/loyalty.yml": loyalty });
    await phone.register(pass);
    // If the device registers while the publication is told, it may have a delivery of each.
    const rows = await api().sql(
      "select from apple_delivery where device_id = $1 and state <> 'superseded'",
      [phone.id],
    );
    assert.equal(rows.length, 1);
  });

  it("200: logs are taken, cut short, without what tells of a person, and limited", async () => {
    const path = `${stage.base}/log`;
    const email = "camille@harbour.example";
    const logs = [`Get pass task (serial ps_0VfQm3Ks00x7Rk2LwPq9Zt, ${email})\nfailed`, 7];
    assert.equal((await api().post(path, { body: { logs } })).status, 200);
    const line = api().logLines.find((text) => text.includes("Get pass task")) ?? "";
    assert.match(line, /reports a problem/);
    assert.ok(!line.includes(email) && !line.includes("Rk2Lw"), line);
    for (let count = 0; count < 5; count += 1) {
      await api().post(path, { body: { logs: Array(50).fill("flood") } });
    }
    const flood = api().logLines.filter((text) => text.includes("flood"));
    assert.ok(flood.length < 60, String(flood.length));
    assert.equal((await api().post(path, { rawBody: "{" })).status, 200);
    const large = { logs: ["x".repeat(70_000)] };
    assert.equal((await api().post(path, { body: large })).status, 200);
    const nowhere = "/.well-known/wallet/no-such-tenant/v1/log";
    assert.equal((await api().post(nowhere, { body: { logs: ["x"] } })).status, 200);
  });

  it("204: an erased pass leaves nothing behind", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.register(pass);
    await stage.change(pass, "Ada");
    await api().delete(`/api/${stage.tenantId}/passes/${pass.id}`, { key: api().operatorKey });
    for (const table of ["apple_registration", "apple_pass", "apple_delivery"]) {
      const rows = await api().sql(`select from ${table} where pass_id = $1`, [pass.id]);
      assert.equal(rows.length, 0, table);
    }
    const rows = await api().sql("select from apple_device where device_id = $1", [phone.id]);
    assert.equal(rows.length, 0);
    assert.equal((await phone.fetch(pass)).status, 401);
  });
});
