import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createLog } from "#kernel/log.ts";
import { makeBundle, makeSigning, randomToken, signDetached } from "#test/support/signed-bundle.ts";
import { createSimulator, type Simulator } from "../simulator.ts";
import type { World } from "../simulator.world.ts";
import type { Iphone } from "./phone.state.ts";

const TOPIC = "pass.example.card";
const signing = makeSigning(TOPIC, "BILLFOLDDV");
const MIME = "application/vnd.apple.pkpass";
/** What the pass asks its owner for, with a text in French. */
const QUESTIONS = {
  "personalization.json": JSON.stringify({
    description: "Join us",
    requiredPersonalizationFields: [
      "PKPassPersonalizationFieldName",
      "PKPassPersonalizationFieldEmailAddress",
    ],
  }),
  "fr.lproj/personalization.strings": '"Join us" = "Rejoignez-nous";',
};
const ANSWERS = { givenName: "Ada", familyName: "Lovelace", emailAddress: "ada@lune.example" };

/** A small product: one pass, and the web service for the phones that hold it. */
class StandIn {
  readonly token = randomToken();
  readonly asked: {
    method: string;
    url: string;
    headers: IncomingMessage["headers"];
    body: string;
  }[] = [];
  points = 1;
  tag = "1";
  lastUpdated: unknown = undefined;
  asks = false;
  /** What the pass says of new points, in English. */
  message = "You have %@ points";
  /** Makes the answer to a token; without it the answers of the owner are refused. */
  vouch: ((token: string) => Buffer) | undefined;
  url = "";
  readonly #server = createServer((request, response) => void this.#take(request, response));

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  last(part: string) {
    return this.asked.findLast(({ method, url }) => `${method} ${url}`.includes(part));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const part of request) body += part;
    const { method = "", url = "", headers } = request;
    this.asked.push({ method, url, headers, body });
    const needsToken = method !== "GET" || url.startsWith("/ws/v1/passes/");
    if (url === "/card.pkpass") this.#bundle(response);
    else if (url === "/page") response.writeHead(200, { "content-type": "text/html" }).end("hello");
    else if (url.startsWith("/ws/v1/log")) response.end();
    else if (url.endsWith("/personalize")) this.#enrol(body, response);
    else if (needsToken && headers.authorization !== `ApplePass ${this.token}`) {
      response.writeHead(401).end();
    } else if (method === "POST") response.writeHead(201).end();
    else if (method === "DELETE") response.end();
    else if (url.startsWith("/ws/v1/devices/")) this.#list(url, response);
    else if (headers["if-modified-since"] === this.#modified()) response.writeHead(304).end();
    else this.#bundle(response);
  }

  #enrol(body: string, response: ServerResponse): void {
    if (this.vouch === undefined) {
      response.writeHead(400).end('{"detail":"That is no address."}');
      return;
    }
    this.asks = false;
    this.points += 1;
    response.end(this.vouch(JSON.parse(body).personalizationToken));
  }

  #list(url: string, response: ServerResponse): void {
    if (url.endsWith(`passesUpdatedSince=${this.tag}`)) {
      response.writeHead(204).end();
      return;
    }
    const lastUpdated = this.lastUpdated ?? this.tag;
    response.end(JSON.stringify({ serialNumbers: ["7", "unknown"], lastUpdated }));
  }

  #modified(): string {
    return new Date(1_800_000_000_000 + this.points * 1_000).toUTCString();
  }

  #bundle(response: ServerResponse): void {
    const changeMessage = "points changed";
    const pass = {
      formatVersion: 1,
      passTypeIdentifier: TOPIC,
      teamIdentifier: "BILLFOLDDV",
      serialNumber: "7",
      organizationName: "Café Lune",
      description: "A card",
      webServiceURL: `${this.url}/ws/`,
      authenticationToken: this.token,
      barcodes: [{ format: "PKBarcodeFormatQR", message: "7", messageEncoding: "utf-8" }],
      storeCard: {
        headerFields: [{ key: "points", label: "Points", value: this.points, changeMessage }],
        primaryFields: [{ key: "money", value: this.points, currencyCode: "EUR" }],
        backFields: [
          { key: "web", attributedValue: "<a href='https://x.example'>Us</a>", value: "" },
        ],
      },
    };
    const strings = {
      en: `"${changeMessage}" = "${this.message}";`,
      fr: `"${changeMessage}" = "Vous avez %@ points";`,
    };
    const headers = { "content-type": MIME, "last-modified": this.#modified() };
    const shown = this.asks
      ? { ...pass, nfc: { message: "7", encryptionPublicKey: "MDkw" } }
      : pass;
    const files = this.asks ? QUESTIONS : {};
    response.writeHead(200, headers).end(makeBundle(shown, signing, strings, { files }));
  }
}

describe("a virtual iPhone", () => {
  let standIn: StandIn;
  let simulator: Simulator;
  let world: World;
  let phone: Iphone;
  let folder: string;

  beforeEach(async () => {
    standIn = new StandIn();
    await standIn.open();
    folder = await mkdtemp(join(tmpdir(), "billfold-simulator-"));
    simulator = start();
    world = await simulator.world();
    phone = world.phones.add("iphone", "iPhone", "en") as Iphone;
  });
  afterEach(async () => {
    await simulator.close();
    standIn.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = () =>
    createSimulator({
      dataDir: folder,
      baseUrl: standIn.url,
      log: createLog({ level: "silent" }),
    });
  const install = (path = "/card.pkpass") => world.iphone.install(phone, `${standIn.url}${path}`);

  async function push(): Promise<void> {
    const { url, authority } = await simulator.apple();
    const { certificate: cert, keyPem: key } = signing.leaf;
    const session = connect(url, { ca: authority, cert, key });
    const path = `/3/device/${phone.pushToken}`;
    const stream = session.request({ ":method": "POST", ":path": path, "apns-topic": TOPIC });
    stream.end("{}");
    const [headers] = await once(stream, "response");
    assert.equal(headers[":status"], 200);
    session.destroy();
  }

  /** Waits until the phone has done something that reads like this. */
  async function until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const unwatch = world.watch(resolve);
      await promise;
      unwatch();
    }
  }

  it("downloads, checks and registers with its token", async () => {
    const [pass] = await install();
    assert.equal(pass?.isRegistered, true);
    const { url, headers, body } = standIn.last("POST") ?? {};
    const path = `/ws/v1/devices/${phone.deviceLibraryIdentifier}/registrations/${TOPIC}/7`;
    assert.equal(url, path);
    assert.equal(headers?.authorization, `ApplePass ${standIn.token}`);
    assert.deepEqual(JSON.parse(body ?? ""), { pushToken: phone.pushToken });
  });

  it("asks after a push, fetches what changed and says so in its language", async () => {
    const french = world.phones.add("iphone", "Français", "fr") as Iphone;
    await world.iphone.install(french, `${standIn.url}/card.pkpass`);
    await install();
    Object.assign(standIn, { points: 1_250, tag: "2" });
    await push();
    await until(() => phone.notices.length > 0);
    assert.deepEqual(
      phone.notices.map(({ title, text }) => [title, text]),
      [["Café Lune", "You have 1,250 points"]],
    );
    await world.iphone.wake(french);
    assert.match(french.notices[0]?.text ?? "", /^Vous avez 1\s250 points$/);
  });

  const formats: readonly [string, string][] = [
    ["20%% more: %@", "20% more: 5"],
    ["%%%@%%", "%5%"],
    ["20% more: %@", "Store card changed"],
    ["%@ of %@", "Store card changed"],
    ["%@ is 100%", "Store card changed"],
    ["100 %%@", "Store card changed"],
  ];
  for (const [message, shown] of formats) {
    it(`shows a change message as iOS does: ${message}`, async () => {
      standIn.message = message;
      await install();
      Object.assign(standIn, { points: 5, tag: "2" });
      await world.iphone.wake(phone);
      assert.deepEqual(
        phone.notices.map(({ text }) => text),
        [shown],
      );
    });
  }

  it("sends the tag of the last list and the time of the last pass", async () => {
    await install();
    Object.assign(standIn, { points: 2, tag: "2" });
    await world.iphone.wake(phone);
    assert.match(standIn.last("GET /ws/v1/devices")?.url ?? "", new RegExp(`${TOPIC}$`));
    Object.assign(standIn, { tag: "3" });
    await world.iphone.wake(phone);
    assert.match(standIn.last("GET /ws/v1/devices")?.url ?? "", /passesUpdatedSince=2$/);
    assert.ok(standIn.last("GET /ws/v1/passes")?.headers["if-modified-since"]);
    assert.equal(phone.deeds[0]?.text, "GET pass: 304");
    assert.equal(phone.notices.length, 1);
  });

  it("ignores a list whose tag is no text, as iOS does", async () => {
    await install();
    Object.assign(standIn, { points: 2, tag: "2", lastUpdated: 2 });
    await world.iphone.wake(phone);
    assert.equal(standIn.last("GET /ws/v1/passes"), undefined);
    assert.match(phone.deeds[0]?.text ?? "", /lastUpdated must be a string/);
  });

  it("unregisters when a pass is removed", async () => {
    const [{ key = "" } = {}] = await install();
    await world.iphone.remove(phone, key);
    assert.deepEqual(phone.passes, []);
    assert.equal(standIn.last("DELETE")?.headers.authorization, `ApplePass ${standIn.token}`);
  });

  it("signs up: sends what its owner wrote, checks the signed token and fetches the pass", async () => {
    standIn.asks = true;
    standIn.vouch = (token) => signDetached(Buffer.from(token), signing);
    const [{ key = "" } = {}] = await install();
    await assert.rejects(
      world.iphone.enrol(phone, key, { givenName: "Ada" }),
      /asks for familyName/,
    );
    await world.iphone.enrol(phone, key, ANSWERS);
    const { url, headers, body } = standIn.last("/personalize") ?? {};
    assert.equal(url, `/ws/v1/passes/${TOPIC}/7/personalize`);
    assert.equal(headers?.authorization, undefined);
    const { personalizationToken, requiredPersonalizationInfo } = JSON.parse(body ?? "");
    assert.match(personalizationToken, /^[0-9A-F-]{36}$/);
    assert.deepEqual(requiredPersonalizationInfo, { fullName: "Ada Lovelace", ...ANSWERS });
    assert.equal(phone.deeds[0]?.text, "GET pass: 200");
    await assert.rejects(world.iphone.enrol(phone, key, ANSWERS), /asks for nothing/);
  });

  it("does not believe a token that is not signed, or signed by somebody else", async () => {
    standIn.asks = true;
    const [{ key = "" } = {}] = await install();
    const other = makeSigning("pass.example.other", "BILLFOLDDV");
    const cases: readonly [typeof standIn.vouch, RegExp][] = [
      [undefined, /answers 400: That is no address\./],
      [() => Buffer.from("signed"), /token is not good/],
      [() => signDetached(Buffer.from("other"), signing), /of another token/],
      [(token) => signDetached(Buffer.from(token), other), /of another pass type/],
    ];
    for (const [vouch, reason] of cases) {
      standIn.vouch = vouch;
      await assert.rejects(world.iphone.enrol(phone, key, ANSWERS), reason);
    }
    assert.equal(standIn.last("GET /ws/v1/passes"), undefined);
    assert.match(standIn.last("/log")?.body ?? "", /of another pass type/);
  });

  it("refuses what is no pass, and every address but the product's", async () => {
    await assert.rejects(install("/page"), /gives text\/html/);
    await assert.rejects(install("/ws/v1/passes/x/y"), /answers 401/);
    for (const url of ["http://169.254.169.254/x.pkpass", `${standIn.url}.evil.example/x.pkpass`]) {
      await assert.rejects(world.iphone.install(phone, url), /virtual phones reach no other/);
    }
  });

  it("is there again after a restart, with its passes", async () => {
    await install();
    const issuer = (await world.demoAccount()).issuerId;
    await simulator.close();
    simulator = start();
    world = await simulator.world();
    assert.equal((await world.demoAccount()).issuerId, issuer);
    phone = world.phones.all[0] as Iphone;
    assert.equal(phone.passes[0]?.serialNumber, "7");
    Object.assign(standIn, { points: 5, tag: "5" });
    await push();
    await until(() => phone.notices[0]?.text === "You have 5 points");
  });
});
