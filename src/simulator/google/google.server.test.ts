import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "#kernel/log.ts";
import { verifyCallback } from "#test/support/google-callback.ts";
import { PhoneRefusal } from "../phones/iphone.service.ts";
import type { Android } from "../phones/phone.state.ts";
import { createSimulator, type Simulator } from "../simulator.ts";
import type { World } from "../simulator.world.ts";
import { type Account, makeAccount } from "./google.accounts.ts";

/** JSON of any shape. */
type Answer = ReturnType<typeof JSON.parse>;

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";

function jwt({ email, privateKeyPem }: Account, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const content = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iss: email, ...claims })}`;
  const signature = sign("sha256", Buffer.from(content), createPrivateKey(privateKeyPem));
  return `${content}.${signature.toString("base64url")}`;
}

describe("the simulated Google Wallet", () => {
  let simulator: Simulator;
  let world: World;
  let account: Account;
  let folder: string;
  let issuer: string;
  let access: string;
  const callbacks: string[] = [];
  const product = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    callbacks.push(body);
    response.end();
  });

  before(async () => {
    product.listen(0, "127.0.0.1");
    await once(product, "listening");
    const baseUrl = `http://127.0.0.1:${(product.address() as AddressInfo).port}`;
    folder = await mkdtemp(join(tmpdir(), "billfold-simulator-"));
    simulator = createSimulator({ dataDir: folder, baseUrl, log: createLog({ level: "silent" }) });
    world = await simulator.world();
    account = await world.demoAccount();
    issuer = account.issuerId;
    access = await tokenOf(account);
    world.google.quota.perSecond = 10_000;
  });
  after(async () => {
    await simulator.close();
    product.close();
    product.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  async function grant(from: Account, change: object = {}) {
    const { tokenUrl, tokenAudience } = await simulator.google();
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { scope: SCOPE, aud: tokenAudience, iat, exp: iat + 3_600, ...change };
    const body = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: jwt(from, claims),
    });
    const response = await fetch(tokenUrl, { method: "POST", body });
    const answer: Answer = await response.json();
    return { status: response.status, body: answer };
  }

  async function newAccount(hasAccess: boolean): Promise<Account> {
    const account = await world.addAccount(hasAccess);
    assert.ok(account !== undefined);
    return account;
  }

  async function tokenOf(from: Account): Promise<string> {
    const { status, body } = await grant(from);
    assert.equal(status, 200);
    assert.deepEqual([body.token_type, body.expires_in], ["Bearer", 3_600]);
    return body.access_token;
  }

  async function call(method: string, path: string, body?: object, token = access) {
    const { apiUrl } = await simulator.google();
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: Answer = await response.json();
    return { status: response.status, body: answer, reason: answer.error?.errors[0].reason };
  }

  const loyaltyClass = (suffix: string, more: object = {}) => ({
    id: `${issuer}.${suffix}`,
    issuerName: "Café Lune",
    programName: "Moon Card",
    programLogo: { sourceUri: { uri: "https://x.example/logo.png" } },
    reviewStatus: "UNDER_REVIEW",
    ...more,
  });
  const loyaltyObject = (suffix: string, klass: string, more: object = {}) => ({
    id: `${issuer}.${suffix}`,
    classId: `${issuer}.${klass}`,
    state: "ACTIVE",
    ...more,
  });
  const androidPhone = () => world.phones.add("android", "Android", "en") as Android;
  const saveToken = (objects: readonly object[], classes: readonly object[] = [], more = {}) =>
    jwt(account, {
      aud: "google",
      typ: "savetowallet",
      iat: Math.floor(Date.now() / 1_000),
      payload: { loyaltyObjects: objects, loyaltyClasses: classes, ...more },
    });

  it("400: gives a token only for an assertion in which everything is right", async () => {
    const iat = Math.floor(Date.now() / 1_000);
    const wrong: readonly [Account, object, string][] = [
      [account, { aud: "https://elsewhere.example" }, "invalid_grant"],
      [account, { exp: iat + 3_700 }, "invalid_grant"],
      [account, { iat: iat - 9_000, exp: iat - 6_000 }, "invalid_grant"],
      [account, { scope: "email" }, "invalid_scope"],
      [await makeAccount(true), {}, "invalid_grant"],
      [{ ...(await makeAccount(true)), email: account.email }, {}, "invalid_grant"],
    ];
    for (const [from, change, error] of wrong) {
      const { status, body } = await grant(from, change);
      assert.deepEqual([status, body.error], [400, error]);
    }
  });

  it("401, 403: knows callers by their tokens, and keeps issuers apart", async () => {
    const path = `/genericClass/${issuer}.none`;
    assert.equal((await call("GET", path, undefined, "ya29.wrong")).status, 401);
    const stranger = await tokenOf(await newAccount(true));
    assert.equal((await call("GET", path, undefined, stranger)).status, 403);
    const unwelcome = await tokenOf(await newAccount(false));
    const { status, body } = await call("GET", path, undefined, unwelcome);
    assert.deepEqual([status, body.error.status], [403, "PERMISSION_DENIED"]);
  });

  it("stores classes and objects of all types, and asks for what they need", async () => {
    const text = { defaultValue: { language: "en", value: "x" } };
    const image = { sourceUri: { uri: "https://x.example/x.png" } };
    const reviewed = { issuerName: "x", reviewStatus: "UNDER_REVIEW" };
    const types: readonly [string, object, object][] = [
      ["generic", {}, { cardTitle: text, header: text }],
      ["offer", { ...reviewed, provider: "x", title: "x", redemptionChannel: "BOTH" }, {}],
      ["loyalty", { ...reviewed, programName: "x", programLogo: image }, {}],
      ["giftCard", reviewed, { cardNumber: "1" }],
      ["eventTicket", { ...reviewed, eventName: text }, {}],
      [
        "flight",
        {
          ...reviewed,
          flightHeader: { carrier: { carrierIataCode: "LX" }, flightNumber: "15" },
          origin: { airportIataCode: "ZRH" },
          destination: { airportIataCode: "JFK" },
          localScheduledDepartureDateTime: "2027-01-01T10:00",
        },
        { passengerName: "x", reservationInfo: {} },
      ],
      ["transit", { ...reviewed, logo: image, transitType: "RAIL" }, { tripType: "ONE_WAY" }],
    ];
    for (const [type, ofClass, ofObject] of types) {
      const klass = { id: `${issuer}.${type}-c`, ...ofClass };
      const object = { id: `${issuer}.${type}-o`, classId: klass.id, state: "ACTIVE", ...ofObject };
      assert.equal((await call("POST", `/${type}Object`, object)).reason, "classNotFound");
      assert.equal((await call("POST", `/${type}Class`, klass)).status, 200);
      assert.equal((await call("POST", `/${type}Object`, object)).status, 200);
      assert.equal((await call("GET", `/${type}Object/${object.id}`)).body.id, object.id);
      for (const name of Object.keys(object).filter((member) => member !== "state")) {
        const lacking = { ...object, id: `${issuer}.${type}-x`, [name]: undefined };
        assert.equal((await call("POST", `/${type}Object`, lacking)).status, 400, name);
      }
    }
  });

  it("404, 409, 400: refuses what is not there, is there, or has a bad id", async () => {
    await call("POST", "/loyaltyClass", loyaltyClass("twice"));
    const again = await call("POST", "/loyaltyClass", loyaltyClass("twice"));
    assert.deepEqual([again.status, again.reason], [409, "alreadyExists"]);
    const missing = await call("PATCH", `/loyaltyClass/${issuer}.nowhere`, {});
    assert.deepEqual([missing.status, missing.reason], [404, "resourceNotFound"]);
    assert.equal((await call("POST", "/loyaltyClass", loyaltyClass("a b"))).status, 400);
    assert.equal((await call("GET", `/loyaltyObject/${issuer}.twice`)).status, 404);
    assert.equal((await call("GET", "/nothing")).status, 404);
  });

  it("400: refuses what Google has no member, type or word for, in every request", async () => {
    await call("POST", "/loyaltyClass", loyaltyClass("strict"));
    const object = loyaltyObject("strict-o", "strict");
    assert.equal((await call("POST", "/loyaltyObject", object)).status, 200);
    const path = `/loyaltyObject/${object.id}`;
    const unknown = (name: string, at: string, why = "Cannot find field.") =>
      `Invalid JSON payload received. Unknown name "${name}"${at}: ${why}`;
    const wrong: [object, string | RegExp][] = [
      [{ note: "x" }, unknown("note", " at 'resource'")],
      [{ loyaltyPoints: { sum: 1 } }, unknown("sum", " at 'resource.loyalty_points'")],
      [
        { textModulesData: [{ text: "x" }] },
        unknown("text", " at 'resource.text_modules_data[0]'"),
      ],
      [{ barcode: [] }, /Unknown name "barcode".*cannot start list/],
      [{ barcode: "x" }, /^Invalid value at 'resource.barcode' /],
      [{ accountName: 5 }, "Invalid value at 'resource.account_name' (TYPE_STRING), 5"],
      [{ state: "GONE" }, /^Invalid value at 'resource.state' .*"GONE"$/],
      [{ loyaltyPoints: { balance: { int: "many" } } }, /balance.int' \(TYPE_INT32\), "many"$/],
      [{ secondaryLoyaltyPoints: { label: "x" } }, /: secondaryLoyaltyPoints.balance\.$/],
    ];
    const sent = (change: object): readonly [string, string, object][] => [
      ["PATCH", path, change],
      ["PUT", path, { ...object, ...change }],
      ["POST", "/loyaltyObject", { ...object, id: `${object.id}2`, ...change }],
    ];
    for (const [change, message] of wrong) {
      for (const [method, to, body] of sent(change)) {
        const { status, body: answer } = await call(method, to, body);
        assert.deepEqual([status, answer.error.status], [400, "INVALID_ARGUMENT"]);
        if (typeof message === "string") assert.equal(answer.error.message, message);
        else assert.match(answer.error.message, message);
      }
    }
    const said = await call("POST", `${path}/addMessage`, { message: { kindOfMessage: "TEXT" } });
    assert.equal(said.body.error.message, unknown("kindOfMessage", " at 'message'"));
    const jwt = saveToken([{ ...object, id: `${object.id}3`, note: "x" }]);
    const kept = await call("POST", "/jwt", { jwt });
    assert.equal(kept.body.error.message, unknown("note", " at 'payload.loyalty_objects[0]'"));
    const right = { state: "active", kind: "x", version: 7, hasUsers: true, barcode: null };
    assert.equal((await call("PATCH", path, right)).status, 200);
  });

  it("approves a class at once, and wants a review with each change", async () => {
    await call("POST", "/loyaltyClass", loyaltyClass("reviewed"));
    const path = `/loyaltyClass/${issuer}.reviewed`;
    assert.equal((await call("GET", path)).body.reviewStatus, "APPROVED");
    assert.equal((await call("PATCH", path, { programName: "y" })).status, 400);
    const change = { programName: "y", reviewStatus: "underReview" };
    const changed = await call("PATCH", path, change);
    assert.deepEqual([changed.body.programName, changed.body.issuerName], ["y", "Café Lune"]);
    await call("POST", "/loyaltyClass", loyaltyClass("draft", { reviewStatus: "draft" }));
    assert.equal((await call("POST", "/loyaltyObject", loyaltyObject("d", "draft"))).status, 400);
  });

  it("merges a patch and replaces lists whole; lists by pages", async () => {
    await call("POST", "/loyaltyClass", loyaltyClass("listed"));
    const modules = [{ id: "a", header: "A", body: "1" }];
    for (const suffix of ["l1", "l2", "l3"]) {
      const object = loyaltyObject(suffix, "listed", { textModulesData: modules });
      await call("POST", "/loyaltyObject", object);
    }
    const path = `/loyaltyObject/${issuer}.l1`;
    const points = (int: number) => ({ loyaltyPoints: { label: "P", balance: { int } } });
    await call("PATCH", path, points(1));
    const patched = await call("PATCH", path, {
      loyaltyPoints: { balance: { int: 2 } },
      textModulesData: [],
    });
    assert.deepEqual(patched.body.loyaltyPoints, { label: "P", balance: { int: 2 } });
    assert.deepEqual(patched.body.textModulesData, []);
    const list = `/loyaltyObject?classId=${issuer}.listed&maxResults=2`;
    const first = await call("GET", list);
    assert.equal(first.body.resources.length, 2);
    const rest = await call("GET", `${list}&token=${first.body.pagination.nextPageToken}`);
    assert.deepEqual(
      rest.body.resources.map(({ id }: { id: string }) => id),
      [`${issuer}.l3`],
    );
  });

  it("429: holds an issuer to its requests in a second", async () => {
    world.google.quota.perSecond = 20;
    const path = `/loyaltyClass/${issuer}.none`;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await call("GET", path)).status),
    );
    world.google.quota.perSecond = 10_000;
    assert.ok(statuses.includes(404));
    assert.ok(statuses.includes(429));
  });

  it("saves by link, shows changes and messages, and calls back signed", async () => {
    const callbackOptions = { url: `${world.saveUrl.split("/simulator")[0]}/callback` };
    const phone = androidPhone();
    const object = loyaltyObject("saved", "saving", { accountName: "Noah" });
    const token = saveToken([object], [loyaltyClass("saving", { callbackOptions })]);
    const [key = ""] = await world.android.install(phone, `${world.saveUrl}/${token}`);
    await eventually(() => callbacks.length === 1);
    const expected = { keysUrl: (await simulator.google()).keysUrl, issuer };
    assert.deepEqual(await verifyCallback(callbacks[0] ?? "", expected), ["save", object.id]);
    assert.equal((await call("GET", `/loyaltyObject/${object.id}`)).body.hasUsers, true);
    const german = world.phones.add("android", "Handy", "de-CH") as Android;
    await world.android.install(german, `${world.saveUrl}/${token}`);
    const localizedBody = {
      defaultValue: { language: "en", value: "Jazz" },
      translatedValues: [{ language: "de", value: "Jass" }],
    };
    const loud = { header: "Tonight", messageType: "TEXT_AND_NOTIFY" };
    const message = { ...loud, body: "Jazz", localizedBody };
    for (let count = 0; count < 3; count += 1) {
      const sent = await call("POST", `/loyaltyObject/${object.id}/addMessage`, { message });
      assert.equal(sent.status, 200);
    }
    const fourth = await call("POST", `/loyaltyObject/${object.id}/addMessage`, { message });
    assert.deepEqual([fourth.status, fourth.reason], [429, "quotaExceeded"]);
    assert.deepEqual(
      phone.notices.map(({ title, text }) => `${title}: ${text}`),
      Array.from({ length: 3 }, () => "Tonight: Jazz"),
    );
    assert.equal(german.notices[0]?.text, "Jass", "in the language of the phone");
    world.android.remove(phone, key);
    await eventually(() => callbacks.length === 3);
    assert.deepEqual(await verifyCallback(callbacks[2] ?? "", expected), ["del", object.id]);
  });

  it("rings the phones of all passes of an event that is postponed, where that is asked for", async () => {
    const start = (time: string) => ({ dateTime: { start: `2027-05-01T${time}+02:00` } });
    const name = { defaultValue: { language: "en", value: "Jazz" } };
    const concert = {
      ...{ id: `${issuer}.concert`, issuerName: "Café Lune", reviewStatus: "UNDER_REVIEW" },
      ...{ eventName: name, ...start("20:00:00") },
    };
    const ticket = { id: `${issuer}.ticket`, classId: concert.id, state: "ACTIVE" };
    const phone = androidPhone();
    const token = saveToken([], [], {
      eventTicketClasses: [concert],
      eventTicketObjects: [ticket],
    });
    await world.android.install(phone, `${world.saveUrl}/${token}`);
    const path = `/eventTicketClass/${concert.id}`;
    const change = (more: object) =>
      call("PATCH", path, {
        reviewStatus: "UNDER_REVIEW",
        notifyPreference: "NOTIFY_ON_UPDATE",
        ...more,
      });
    assert.equal((await change({ hexBackgroundColor: "#aa0000" })).status, 200);
    assert.equal((await change({ ...start("21:00:00"), notifyPreference: undefined })).status, 200);
    assert.equal(phone.notices.length, 0);
    for (const hour of ["17", "18", "19"]) {
      assert.equal((await change(start(`${hour}:00:00`))).status, 200);
    }
    assert.equal(phone.notices.length, 3);
    assert.equal((await change(start("22:00:00"))).status, 429);
  });

  it("gives a short link for a token that is too long for one", async () => {
    const phone = androidPhone();
    const object = loyaltyObject("long", "lengthy", { accountName: "N".repeat(2_000) });
    const token = saveToken([object], [loyaltyClass("lengthy")]);
    const tooLong = world.android.install(phone, `${world.saveUrl}/${token}`);
    await assert.rejects(tooLong, /at most 1800 characters/);
    const { status, body } = await call("POST", "/jwt", { jwt: token });
    assert.equal(status, 200);
    assert.ok(body.saveUri.length < 200, body.saveUri);
    assert.deepEqual(Object.keys(body.resources), ["loyaltyObjects"]);
    const [key] = await world.android.install(phone, body.saveUri);
    assert.ok(phone.passes.some((pass) => pass.key === key && pass.objectId === object.id));
    await assert.rejects(world.android.install(phone, `${body.saveUri}x`), PhoneRefusal);
  });

  it("refuses links that are forged, of another audience, or name what is not there", async () => {
    const phone = androidPhone();
    const forged = `${saveToken([]).slice(0, -8)}AAAAAAAA`;
    const wrong = jwt(account, { aud: "elsewhere", typ: "savetowallet", payload: {} });
    const nowhere = saveToken([{ id: `${issuer}.nowhere`, classId: `${issuer}.saving` }]);
    for (const token of [forged, wrong, nowhere, "x"]) {
      await assert.rejects(world.android.install(phone, `${world.saveUrl}/${token}`), PhoneRefusal);
    }
  });

  it("500, 503, 429: fails as it is told, and works again", async () => {
    const path = `/loyaltyClass/${issuer}.none`;
    for (const kind of ["500", "503", "429"] as const) {
      await world.google.setFault({ kind, delayMs: 0, times: 1 });
      assert.equal((await call("GET", path)).status, Number(kind));
      assert.equal((await call("GET", path)).status, 404);
    }
    await world.google.setFault({ kind: "cut", delayMs: 0, times: 1 });
    await assert.rejects(call("GET", path));
    await world.google.setFault({ kind: "refuse", delayMs: 0, times: undefined });
    await assert.rejects(call("GET", path));
    await world.google.setFault(undefined);
    assert.equal((await call("GET", path)).status, 404);
  });

  async function eventually(isDone: () => boolean): Promise<void> {
    while (!isDone()) await sleep(5);
  }
});
