import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type ClientHttp2Session, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createLog } from "#kernel/log.ts";
import { issueCertificate } from "#test/support/certificates.ts";
import { createSimulator, type Simulator } from "../simulator.ts";

const TOPIC = "pass.example.simulator";
const TOKEN = "ab".repeat(32);
const client = issueCertificate({ name: { UID: TOPIC, OU: "TEAM123456", CN: "Pass Type ID" } });

type Push = { readonly token?: string; readonly headers?: object; readonly body?: string };

async function push(
  session: ClientHttp2Session,
  { token = TOKEN, headers, body = "{}" }: Push = {},
) {
  const stream = session.request({
    ":method": "POST",
    ":path": `/3/device/${token}`,
    "apns-topic": TOPIC,
    ...headers,
  });
  stream.end(body);
  const [answer] = await once(stream, "response");
  let text = "";
  for await (const part of stream) text += part;
  return {
    status: answer[":status"],
    id: answer["apns-id"],
    body: text === "" ? undefined : JSON.parse(text),
  };
}

describe("the simulated push service", () => {
  let simulator: Simulator;
  let folder: string;
  const sessions: ClientHttp2Session[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "billfold-simulator-"));
    const log = createLog({ level: "silent" });
    simulator = createSimulator({ dataDir: folder, baseUrl: "http://localhost:9", log });
  });
  after(async () => {
    for (const session of sessions) session.destroy();
    await simulator.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(identity: { cert?: string; key?: string } = {}) {
    const { url, authority } = await simulator.apple();
    const session = connect(url, {
      ca: authority,
      cert: client.certificate,
      key: client.keyPem,
      ...identity,
    });
    session.on("error", () => undefined);
    sessions.push(session);
    await once(session, "connect");
    return session;
  }

  it("200: takes a push of the certificate's topic, and gives it an id", async () => {
    const session = await open();
    const { status, id, body } = await push(session);
    assert.equal(status, 200);
    assert.match(String(id), /^[0-9A-F-]{36}$/);
    assert.equal(body, undefined);
    const named = "11111111-2222-3333-4444-555555555555";
    assert.equal((await push(session, { headers: { "apns-id": named } })).id, named);
    const alert = { "apns-push-type": "alert", "apns-priority": "10" };
    const headers = { ...alert, "apns-collapse-id": "x".repeat(64) };
    assert.equal((await push(session, { headers })).status, 200);
  });

  it("is trusted by its own authority alone", async () => {
    const { url } = await simulator.apple();
    const session = connect(url);
    const [error] = await once(session, "error");
    assert.match(error.code, /SELF_SIGNED|UNABLE_TO/);
  });

  it("403: knows nobody without a certificate, or with an expired one", async () => {
    const bare = await open({ cert: "", key: "" });
    assert.deepEqual(await reasonOf(bare), [403, "BadCertificate"]);
    const [from, to] = [new Date("2020-01-01"), new Date("2021-01-01")];
    const old = issueCertificate({ name: { UID: TOPIC }, from, to });
    const late = await open({ cert: old.certificate, key: old.keyPem });
    assert.deepEqual(await reasonOf(late), [403, "BadCertificate"]);
  });

  const reasonOf = async (session: ClientHttp2Session, sent: Push = {}) => {
    const { status, body } = await push(session, sent);
    return [status, body?.reason];
  };

  it("400, 404, 405, 413: refuses by the reasons of Apple's table", async () => {
    const session = await open();
    const refusals: readonly [Push, number, string][] = [
      [{ headers: { "apns-topic": "pass.other" } }, 400, "BadTopic"],
      [{ headers: { "apns-topic": "" } }, 400, "MissingTopic"],
      [{ token: "" }, 400, "MissingDeviceToken"],
      [{ token: "no-token" }, 400, "BadDeviceToken"],
      [{ body: "" }, 400, "PayloadEmpty"],
      [{ body: "x".repeat(4_097) }, 413, "PayloadTooLarge"],
      [{ headers: { ":path": "/4/device/x" } }, 404, "BadPath"],
      [{ headers: { ":method": "PUT" } }, 405, "MethodNotAllowed"],
      [{ headers: { "apns-push-type": "passes" } }, 400, "InvalidPushType"],
      [{ headers: { "apns-push-type": "background", "apns-priority": "10" } }, 400, "BadPriority"],
      [{ headers: { "apns-expiration": "soon" } }, 400, "BadExpirationDate"],
      [{ headers: { "apns-id": "1" } }, 400, "BadMessageId"],
      [{ headers: { "apns-collapse-id": "x".repeat(65) } }, 400, "BadCollapseId"],
    ];
    for (const [sent, status, reason] of refusals) {
      assert.deepEqual(await reasonOf(session, sent), [status, reason]);
    }
  });

  it("410: says since when a device is gone", async () => {
    const { phones } = await simulator.world();
    const gone = "cd".repeat(32);
    phones.markGone(gone);
    const { status, body } = await push(await open(), { token: gone });
    assert.equal(status, 410);
    assert.equal(body.reason, "Unregistered");
    assert.ok(Math.abs(body.timestamp - Date.now()) < 60_000);
  });

  it("429, 500, 503: fails as often as it is told to", async () => {
    const { apns } = await simulator.world();
    const session = await open();
    for (const kind of ["429", "500", "503"] as const) {
      await apns.setFault({ kind, delayMs: 0, times: 2 });
      const statuses = [];
      for (let count = 0; count < 3; count += 1) statuses.push((await push(session)).status);
      assert.deepEqual(statuses, [Number(kind), Number(kind), 200]);
    }
  });

  it("goes away in mid-stream, and says which requests it has not seen", async () => {
    const { apns } = await simulator.world();
    const session = await open();
    await push(session);
    await apns.setFault({ kind: "goaway", delayMs: 0, times: 1 });
    const stream = session.request({ ":method": "POST", ":path": `/3/device/${TOKEN}` });
    stream.on("error", () => undefined);
    stream.end("{}");
    const [code, lastStreamId, opaque] = await once(session, "goaway");
    assert.equal(code, 0);
    assert.ok(lastStreamId < (stream.id ?? 0));
    assert.equal(JSON.parse(opaque.toString()).reason, "Shutdown");
    assert.equal((await push(await open())).status, 200);
  });

  it("cuts the connection after a push that it has taken", async () => {
    const { apns } = await simulator.world();
    await apns.setFault({ kind: "cut", delayMs: 0, times: 1 });
    const session = await open();
    await assert.rejects(push(session));
    assert.equal(apns.report().counts.cut, 1);
  });

  it("refuses connections while it is down, and is back on the same port", async () => {
    const { apns } = await simulator.world();
    const { url } = await simulator.apple();
    await apns.setFault({ kind: "refuse", delayMs: 0, times: undefined });
    const session = connect(url);
    const [error] = await once(session, "error");
    assert.equal(error.code, "ECONNREFUSED");
    await apns.setFault(undefined);
    assert.equal((await simulator.apple()).url, url);
    assert.equal((await push(await open())).status, 200);
  });
});
