import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { createServer } from "node:tls";
import { systemCall } from "#kernel/call.ts";
import { SIGNAL_CHANNEL } from "#kernel/db/signal-channel.ts";
import { provide } from "#kernel/port.ts";
import { PUSH_HINT } from "#src/wallets/apple/deliveries/delivery.service.ts";
import { walletServices } from "#src/wallets/public.ts";
import { type Apns, startApns } from "#test/support/apns.ts";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { issueCertificate } from "#test/support/certificates.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { WALLET_FILES } from "#test/support/wallet-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";

const TENANT = "harbour";
const MINUTE_MS = 60_000;
/** Callers of the API do not notice what the wallets' services do, on however busy a machine. */
const ANSWERED_MS_MAX = 1_000;
const PASSES = 3;
const NEVER_MS = 120_000;
/** Pauses after failures become longer; so many times they are over at once. */
const ROUNDS_MAX = 8;

/** The services of the simulator fail as they are told, and virtual phones hold the passes. */
describe("while Apple and Google fail", () => {
  const undos: (() => Promise<void>)[] = [];
  const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };
  let api: TestApi;
  let passes: readonly { readonly id: string; readonly path: string; readonly page: string }[];
  let phones: readonly string[];
  before(async () => {
    api = await startApi(owner, { clock, env: { BASE_URL: "http://localhost:18998" } });
    const body = { files: WALLET_FILES };
    await api.put(`/api/tenants/${TENANT}`, { key: api.operatorKey, body });
    phones = [await addPhone("iphone"), await addPhone("android")];
    passes = await Promise.all(Array.from({ length: PASSES }, createPass));
    for (const { id } of passes) {
      await until(async () => {
        const { body: seen } = await read(id);
        return ["apple", "google"].every((name) => seen.providers[name].status === "installed");
      });
    }
  });
  after(async () => {
    for (const undo of undos) await undo();
  });

  const call = (method: string, path: string, body?: object) =>
    api.request(method, `/simulator/api${path}`, body === undefined ? {} : { body });
  const read = (id: string) => api.get(`/api/${TENANT}/passes/${id}`, { key: api.operatorKey });
  async function addPhone(kind: string): Promise<string> {
    return (await call("POST", "/phones", { kind })).body.id;
  }
  async function createPass() {
    const made = await api.post(`/api/${TENANT}/passes?passType=loyalty`, {
      key: api.operatorKey,
      body: { additionalData: { firstName: "Camille", points: 0 } },
    });
    const { id, links } = made.body;
    for (const phone of phones) {
      const added = await call("POST", `/phones/${phone}/passes`, { url: links.landing });
      assert.equal(added.status, 201, added.text);
    }
    return { id, path: `/api/${TENANT}/passes/${id}`, page: new URL(links.landing).pathname };
  }

  /** Everything that callers and visitors do meanwhile; the slowest answer, in milliseconds. */
  async function useApi(points: number): Promise<number> {
    const key = api.operatorKey;
    const times: number[] = [];
    const ask = async (sent: () => ReturnType<TestApi["get"]>, expected: number) => {
      const elapsedMs = startStopwatch();
      const { status, text } = await sent();
      times.push(elapsedMs());
      assert.equal(status, expected, text);
    };
    const body = { additionalData: { points } };
    for (const { path } of passes) await ask(() => api.patch(path, { key, body }), 202);
    for (let round = 0; round < 3; round += 1) {
      for (const { path, page } of passes) {
        await ask(() => api.get(path, { key }), 200);
        await ask(() => api.get(`${path}/deliveries`, { key }), 200);
        await ask(() => api.get(page), 200);
        await ask(() => api.get(`${page}/pass.pkpass`), 200);
      }
    }
    return Math.max(...times);
  }

  const rowsOf = async () => ({
    apple: await api.sql(
      `select distinct on (pass_id) state, failures, pushes from apple_delivery
        where tenant_id = $1 order by pass_id, revision desc`,
      [TENANT],
    ),
    google: await api.sql("select state, attempts from google_object where tenant_id = $1", [
      TENANT,
    ]),
    pause: await api.sql("select reason from apple_push_pause where tenant_id = $1", [TENANT]),
    queue: (await api.get(`${passes[0]?.path}/deliveries`, { key: api.operatorKey })).body.queue
      .state,
  });
  /** The fault has hit both: what was tried failed, or arrived although the answer did not. */
  const isHit = async () => {
    const { apple, google, pause } = await rowsOf();
    const isAppleHit =
      pause.length > 0 ||
      apple.every(({ state, failures }) => state !== "queued" || Number(failures) > 0);
    const isGoogleHit = google.every(
      ({ attempts, state }) => Number(attempts) > 0 || state === "sent",
    );
    return isAppleHit && isGoogleHit;
  };
  /** Time goes on until whatever waits is due. */
  async function goOn(): Promise<void> {
    clock.offsetMs += 16 * MINUTE_MS;
    const context = systemCall(api.runtime, "test.wake", { tenantId: TENANT });
    await context.transaction(async (tx) => tx.hint(PUSH_HINT, TENANT));
    await api.sql(
      "update google_object set due_at = now() where due_at is not null and claim_token is null",
    );
    await api.sql("select pg_notify($1, $2)", [SIGNAL_CHANNEL, `google-object ${TENANT}`]);
  }
  const showing = async (phone: string): Promise<string[]> => {
    const { body } = await call("GET", `/phones/${phone}`);
    return body.cards.map((card: object) => /"value":"(\d+)"/.exec(JSON.stringify(card))?.[1]);
  };

  const faults: readonly (readonly [string, object, object?])[] = [
    ["refuse connections", { kind: "refuse" }],
    ["answer late", { kind: "slow", delayMs: 1_500 }],
    ["never answer", { kind: "slow", delayMs: NEVER_MS }],
    ["answer 500", { kind: "500" }],
    ["answer 503", { kind: "503" }],
    ["answer 429", { kind: "429" }],
    ["cut the connection after each request", { kind: "cut" }],
    ["go away in mid-stream, as often as they are called", { kind: "goaway" }, { kind: "cut" }],
  ];
  for (const [index, [title, apns, google = apns]] of faults.entries()) {
    it(`${title}: callers are answered at once, and nothing is lost`, async () => {
      const points = (index + 1) * 1_000 + 7;
      assert.equal((await call("PUT", "/faults/apns", apns)).status, 200);
      assert.equal((await call("PUT", "/faults/google", google)).status, 200);
      const slowest = await useApi(points);
      assert.ok(slowest < ANSWERED_MS_MAX, `${slowest} ms`);
      if (!("delayMs" in apns)) await until(isHit, () => "the fault hit nothing");
      for (const name of ["apns", "google"]) {
        // A service that hangs comes back after it went down: that ends what hangs in it.
        if ("delayMs" in apns && apns.delayMs === NEVER_MS) {
          await call("PUT", `/faults/${name}`, { kind: "refuse" });
        }
        assert.equal((await call("DELETE", `/faults/${name}`)).status, 204);
      }
      const all = passes.map(() => String(points));
      const isShown = async () => {
        for (const phone of phones) {
          if (String(await showing(phone)) !== String(all)) return false;
        }
        return true;
      };
      const isSettled = async () => {
        const { apple, google: objects, queue } = await rowsOf();
        return (
          queue === "open" &&
          apple.every(({ state }) => state === "fetched") &&
          objects.every(({ state }) => state === "sent") &&
          (await isShown())
        );
      };
      for (let round = 0; round < ROUNDS_MAX && !(await isSettled()); round += 1) {
        await goOn();
        await until(isSettled, undefined, 5_000).catch(() => undefined);
      }
      const seen = async () =>
        JSON.stringify([await Promise.all(phones.map(showing)), await rowsOf()]);
      assert.ok(await isSettled(), await seen());
      for (const { id } of passes) {
        const told = await api.sql(
          `select data ->> 'wallet' as wallet, data ->> 'revision' as revision, count(*)::int as count
             from event where subject = $1 and name = 'pass.update-delivered' group by 1, 2`,
          [id],
        );
        assert.ok(
          told.every(({ count }) => count === 1),
          JSON.stringify(told),
        );
      }
    });
  }
});

describe("while Apple's service is not to be trusted, or does not trust us", () => {
  const undos: (() => Promise<void>)[] = [];
  const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };
  const own = issueCertificate({ name: { CN: "localhost" } });
  let apns: Apns;
  let service: Apns["service"];
  let api: TestApi;
  before(async () => {
    apns = await startApns(owner);
    service = apns.service;
    const google = () => Promise.reject(new Error("Nobody asks for Google here."));
    const services = provide(walletServices, { apple: async () => service, google });
    api = await startApi(owner, { clock, provides: [services] });
  });
  after(async () => {
    for (const undo of undos) await undo();
  });

  /** A server that ends every connection as soon as it knows who calls. */
  async function startRefusing(protocols: string[]): Promise<Apns["service"]> {
    const trust = { requestCert: true, rejectUnauthorized: true, ca: own.certificate };
    const credentials = { key: own.keyPem, cert: own.certificate };
    const server = createServer({ ...credentials, ...trust, ALPNProtocols: protocols });
    server.on("tlsClientError", () => undefined);
    server.listen(0, "localhost");
    await once(server, "listening");
    owner.after(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    return { url: `https://localhost:${port}`, authority: own.certificate };
  }

  const cases: readonly [string, () => Promise<Apns["service"]>][] = [
    ["a certificate of nobody we know", async () => ({ ...service, authority: own.certificate })],
    ["our certificate refused in the handshake", () => startRefusing(["h2"])],
    ["a server without HTTP/2", () => startRefusing(["http/1.1"])],
  ];
  for (const [title, start] of cases) {
    it(`${title}: pushes wait, callers learn why, and all comes when it is mended`, async () => {
      const stage = await openAppleStage(api);
      const [pass, phone] = [await stage.pass(), stage.device()];
      await phone.fetch(pass);
      assert.equal((await phone.register(pass)).status, 201);
      service = await start();
      await stage.change(pass, "Ada");
      await until(async () => (await stage.deliveries(pass)).queue.state !== "open");
      const { queue, deliveries } = await stage.deliveries(pass);
      assert.deepEqual([deliveries[0].state, deliveries[0].pushes], ["queued", 0]);
      assert.match(queue.reason, /^[A-Z][A-Za-z0-9_]+$/);
      const elapsedMs = startStopwatch();
      const { delivery } = await stage.change(pass, "Grace", true);
      assert.ok(elapsedMs() < ANSWERED_MS_MAX);
      assert.ok(delivery);
      const { state, problem } = delivery.apple as { state: string; problem: string };
      assert.equal(state, "queued");
      assert.match(problem, /^Apple does not (answer|accept the certificate): \w+\. Pushes wait/);

      service = apns.service;
      clock.offsetMs += 20 * MINUTE_MS;
      const context = systemCall(api.runtime, "test.wake", { tenantId: stage.tenantId });
      await context.transaction(async (tx) => tx.hint(PUSH_HINT, stage.tenantId));
      await until(async () => (await stage.deliveries(pass)).deliveries[0].state === "pushed");
      assert.equal((await stage.deliveries(pass)).queue.state, "open");
    });
  }
});
