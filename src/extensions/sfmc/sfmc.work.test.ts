import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { openJourneys } from "#test/support/journey-stage.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";

const SECRET = "jwt-signing-secret";
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (claims: object, { secret = SECRET, alg = "HS256", sha = "sha256" } = {}) => {
  const signed = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac(sha, secret).update(signed).digest("base64url")}`;
};

/** As the page of the activity puts it together, with what Journey Builder filled in. */
const CREATE = {
  action: "createPass",
  passType: "member",
  "identifiers.crm.customerId": "C-1",
  "additionalData.firstName": "Ada",
  "additionalData.points": "12",
};

describe("the activity of Marketing Cloud (sfmc.get, sfmc.put, sfmc.delete, sfmc.config, sfmc.step)", () => {
  const api = shareApi();

  async function open(t: TestContext) {
    const stage = await openJourneys(api(), "sfmc", { jwtSecret: SECRET });
    const { body } = await api().get(stage.path, { key: api().operatorKey });
    const address = String(body.webhookUrl);
    const inPlaceOf = { "http://localhost:0": api().url };
    const { sfmc } = await startVendors(t, { inPlaceOf });
    const base = new URL(address).pathname;
    const step = (name: string, token: string, type = "application/jwt") =>
      api().post(`${base}/${name}`, { rawBody: token, headers: { "content-type": type } });
    return { ...stage, address, base, sfmc, step };
  }

  it("200: describes itself with addresses that Journey Builder can call", async (t) => {
    const { address, base } = await open(t);
    const { status, body } = await api().get(`${base}/config.json`);
    assert.equal(status, 200);
    const { execute } = body.arguments;
    assert.deepEqual([execute.url, execute.useJwt], [`${address}/execute`, true]);
    for (const name of ["save", "validate", "publish", "stop"]) {
      const { url, useJwt } = body.configurationArguments[name];
      assert.deepEqual([url, useJwt], [`${address}/${name}`, true]);
    }
    assert.equal(body.userInterfaces.configModal.url, `${address}/index.html`);
    assert.equal(body.workflowApiVersion, "1.1");
    const out = body.schema.arguments.execute.outArguments.flatMap(Object.keys);
    assert.deepEqual(out, ["status", "passId", "installUrl", "errorCode", "error"]);
  });

  it("a journey is published, contacts get passes with a link, and one who cannot get one goes on", async (t) => {
    const { address, sfmc, passes, events } = await open(t);
    const configUrl = `${address}/config.json`;
    const { id } = await sfmc.createActivity({ configUrl, jwtSecret: SECRET });
    const { isPublished, calls } = await sfmc.publish(id);
    assert.ok(isPublished, JSON.stringify(calls));
    assert.deepEqual(
      calls.map(({ step, answer }) => [step, answer]),
      [
        ["save", "{}"],
        ["validate", "{}"],
        ["publish", "{}"],
      ],
    );
    await sfmc.enter(id, { contactKey: "003-1", inArguments: [CREATE] });
    const known = sfmc.activities.get(id).contacts["003-1"];
    const [pass] = await passes();
    assert.deepEqual([known?.status, known?.passId, known?.error], ["created", pass?.id, ""]);
    assert.equal((await api().get(new URL(String(known?.installUrl)).pathname)).status, 200);
    assert.deepEqual(pass?.data, { firstName: "Ada", points: 12 });

    const bad = { ...CREATE, passType: "nothing" };
    await sfmc.enter(id, { contactKey: "003-2", inArguments: [bad] });
    const failed = sfmc.activities.get(id).contacts["003-2"];
    assert.deepEqual([failed?.status, failed?.errorCode], ["failed", "request.invalid"]);
    assert.match(String(failed?.error), /^passType: /);
    await sfmc.enter(id, { contactKey: "003-3", inArguments: [{ contactKey: "003-3" }] });
    assert.equal(sfmc.activities.get(id).contacts["003-3"]?.status, "failed");

    const told = { action: "notifyPass", "identifiers.crm.customerId": "C-1" };
    const inArguments = [{ ...told, "notification.text": "Ready." }];
    await sfmc.enter(id, { contactKey: "003-1", inArguments });
    assert.deepEqual(await events(), ["pass.created", "pass.notified"]);
    assert.equal((await sfmc.stop(id))?.status, 200);
  });

  it("200: a contact is known by its key where no identifier is mapped", async (t) => {
    const { step, passes } = await open(t);
    const inArguments = [{ action: "createPass" }, { "additionalData.firstName": "Ada" }];
    const { body } = await step("execute", sign({ inArguments, keyValue: "003-9" }));
    assert.equal(body.status, "created", JSON.stringify(body));
    assert.deepEqual((await passes())[0]?.identifiers, { "sfmc.contactKey": "003-9" });
  });

  it("200: a contact on one way through the journey is told once, however often it is tried", async (t) => {
    const { step, events } = await open(t);
    const ids = { definitionInstanceId: "d-1", activityId: "a-1", keyValue: "C-1" };
    await step("execute", sign({ ...ids, inArguments: [CREATE] }));
    const told = { action: "notifyPass", "identifiers.crm.customerId": "C-1" };
    const inArguments = [{ ...told, "notification.text": "Ready." }];
    for (const definitionInstanceId of ["d-1", "d-1", "d-2"]) {
      const { body } = await step("execute", sign({ ...ids, definitionInstanceId, inArguments }));
      assert.equal(body.status, "notified");
    }
    assert.deepEqual(await events(), ["pass.created", "pass.notified", "pass.notified"]);
  });

  it("401: whatever is not signed by the secret, and nothing is done", async (t) => {
    const { step, passes, sfmc, address } = await open(t);
    const claims = { inArguments: [CREATE], keyValue: "C-1" };
    const good = sign(claims);
    const expired = { ...claims, exp: Math.floor(Date.now() / 1_000) - 120 };
    const tokens = {
      none: `${encode({ alg: "none" })}.${encode(claims)}.`,
      "none, signed": sign(claims, { alg: "none" }),
      HS512: sign(claims, { alg: "HS512", sha: "sha512" }),
      RS256: sign(claims, { alg: "RS256" }),
      "another secret": sign(claims, { secret: "another" }),
      expired: sign(expired),
      tampered: good.replace(/\.[^.]+\./, `.${encode({ ...claims, keyValue: "C-2" })}.`),
      cut: good.slice(0, -2),
      JSON: JSON.stringify(claims),
      nothing: "",
    };
    for (const [what, token] of Object.entries(tokens)) {
      for (const name of ["execute", "save", "validate", "publish", "stop"]) {
        const { status, body } = await step(name, token);
        assert.deepEqual([status, body.code], [401, "inbox.signature-invalid"], `${what} ${name}`);
      }
    }
    assert.deepEqual(await passes(), []);
    const configUrl = `${address}/config.json`;
    const { id } = await sfmc.createActivity({ configUrl, jwtSecret: SECRET });
    sfmc.isForging = true;
    assert.equal((await sfmc.publish(id)).isPublished, false);
  });

  it("404: the same for a wrong address, a step that there is not, and after it was switched off", async (t) => {
    const { tenantId, base, step, put, path } = await open(t);
    const wrong = base.replace(/\w{40}$/, "x".repeat(40));
    const token = sign({ keyValue: "C-1" });
    const missing = async () => {
      const answers = [
        await api().get(`${base}/config.json`),
        await api().get(`${base}/index.html`),
        await api().get(`${base}/activity.js`),
        await step("save", token),
      ];
      return answers.map(({ status, body }) => [status, body.code]);
    };
    for (const file of ["config.json", "index.html", "activity.css"]) {
      const { status, body } = await api().get(`${wrong}/${file}`);
      assert.deepEqual([status, body.code], [404, "inbox.not-found"], file);
    }
    assert.ok([400, 404].includes((await step("explode", token)).status));
    for (const foreign of ["nobody-here", "%2A"]) {
      const other = base.replace(tenantId, foreign);
      assert.equal((await api().get(`${other}/index.html`)).status, 404);
    }
    await put({ enabled: false });
    const gone = [404, "inbox.not-found"];
    assert.deepEqual(await missing(), [gone, gone, gone, gone]);
    await put({ enabled: true });
    assert.equal((await step("save", token)).status, 200);
    const rotated = await api().post(`${path}/inbox/rotate`, { key: api().operatorKey });
    assert.equal(rotated.status, 200);
    assert.notEqual(new URL(rotated.body.webhookUrl).pathname, base);
    await api().delete(path, { key: api().operatorKey });
    assert.deepEqual(await missing(), [gone, gone, gone, gone]);
  });

  it("200: the page stands in frames of Marketing Cloud and of named sites alone", async (t) => {
    const { base, put } = await open(t);
    await put({ name: "Card <b>&", frameHosts: ["https://mc.example.com"] });
    const page = await api().get(`${base}/index.html`);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(
      policy,
      /frame-ancestors https:\/\/\*\.exacttarget\.com https:\/\/\*\.marketingcloudapps\.com https:\/\/mc\.example\.com$/,
    );
    assert.equal(page.headers.get("x-frame-options"), null);
    assert.ok(page.text.includes("Card &lt;b&gt;&amp;"));
    assert.match(page.text, /<option value="member" selected>/);
    for (const [file, type] of [
      ["activity.js", "text/javascript"],
      ["arguments.js", "text/javascript"],
      ["postmonger.js", "text/javascript"],
      ["activity.css", "text/css"],
      ["icon.svg", "image/svg+xml"],
    ] as const) {
      const { status, headers } = await api().get(`${base}/${file}`);
      assert.equal(status, 200, file);
      assert.ok(headers.get("content-type")?.startsWith(type), file);
    }
  });
});
