import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ANSWER, ENROLMENT_FILES } from "#test/support/enrolment-tenant.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { exchange } from "#test/support/raw-http.ts";
import { shareApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

/** JSON of any shape. */
type Answer = ReturnType<typeof JSON.parse>;

const TEMPLATE = `kind: loyalty
name: Harbour Card
organization: Harbour Club
description: Card of the Harbour Club
colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }
images: { icon: images/icon.png, logo: images/icon.png }
barcode: { format: qr, message: "{{ pass.id }}", text: "{{ data.firstName }}" }
data:
  type: object
  properties:
    firstName: { type: string, maxLength: 60 }
    tier: { type: string, maxLength: 60 }
fields:
  primary: [ { key: name, label: Member, value: "{{ data.firstName }}" } ]
  secondary: [ { key: tier, label: Tier, value: "{{ data.tier }}", change: "Your tier is now %@" } ]
  back: [ { key: terms, label: Terms, value: "See https://harbour.example/terms" } ]
`;

const JSON_TYPE = { "content-type": "application/json" };

async function call(api: TestApi, method: string, path: string, body?: object, headers = {}) {
  const response = await fetch(`${api.application.url}/simulator/api${path}`, {
    method,
    headers: { ...(body === undefined ? {} : JSON_TYPE), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as Answer,
  };
}

async function addPhone(
  api: TestApi,
  kind: "iphone" | "android",
  more: object = {},
): Promise<string> {
  const { status, body } = await call(api, "POST", "/phones", { kind, ...more });
  assert.equal(status, 201);
  return body.id;
}

describe("phones of the simulator and the product", () => {
  const api = shareApi({ env: { BASE_URL: "http://localhost:18999" } });
  const phone = async (id: string) => (await call(api(), "GET", `/phones/${id}`)).body;
  const linkOf = async (passId: string) => {
    const { body } = await api().post("/api/harbour/extensions/google/token", {
      key: api().operatorKey,
      body: { passId },
    });
    return body.link;
  };

  it("hold a pass from its creation to its removal, and the product knows", async () => {
    await seedPassTenant(api(), "harbour", { "server/passes/loyalty.yml": TEMPLATE });
    const { id, links } = await seedPass(api(), "harbour", { additionalData: { tier: "Deck" } });
    const [iphone, android] = [await addPhone(api(), "iphone"), await addPhone(api(), "android")];

    const apple = await call(api(), "POST", `/phones/${iphone}/passes`, { url: links.landing });
    assert.equal(apple.status, 201, JSON.stringify(apple.body));
    const google = await call(api(), "POST", `/phones/${android}/passes`, { link: links.landing });
    assert.equal(google.status, 201, JSON.stringify(google.body));
    const providers = async () => {
      const { body } = await api().get(`/api/harbour/passes/${id}`, { key: api().operatorKey });
      return [body.providers.apple.status, body.providers.google.status];
    };
    await until(async () => (await providers()).every((status) => status === "installed"));

    const tierOf = ({ secondary, rows }: Answer) =>
      [...secondary, ...rows.flat()].find(({ label }: Answer) => label === "Tier")?.value;
    assert.deepEqual([tierOf(apple.body.cards[0]), tierOf(google.body.cards[0])], ["Deck", "Deck"]);
    const changed = await api().patch(`/api/harbour/passes/${id}`, {
      key: api().operatorKey,
      body: { additionalData: { tier: "Bridge" } },
    });
    assert.ok(changed.status < 300, changed.text);
    for (const phoneId of [iphone, android]) {
      await until(async () => tierOf((await phone(phoneId)).cards[0]) === "Bridge");
    }
    assert.equal((await phone(iphone)).notices[0].text, "Your tier is now Bridge");

    for (const phoneId of [iphone, android]) {
      const [{ key }] = (await phone(phoneId)).cards;
      const removed = await call(api(), "DELETE", `/phones/${phoneId}/passes/${key}`);
      assert.equal(removed.status, 204);
      assert.deepEqual((await phone(phoneId)).cards, []);
    }
    await until(async () => (await providers()).every((status) => status === "uninstalled"));
  });

  it("ask their owner to sign up, in their language, and show the pass that comes of it", async () => {
    await seedPassTenant(api(), "quay", ENROLMENT_FILES);
    const key = api().operatorKey;
    const made = await api().post("/api/quay/passes?passType=loyalty", { key, body: {} });
    const iphone = await addPhone(api(), "iphone", { language: "de" });
    const android = await addPhone(api(), "android");
    const url = made.body.links.landing;
    const added = await call(api(), "POST", `/phones/${iphone}/passes`, { url });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const [{ key: passKey, enrolment, primary }] = added.body.cards;
    assert.equal(primary[0].value, "Guest");
    assert.equal(enrolment.description, "Komm in den Harbour Club.");
    assert.equal(enrolment.terms[1].href, "https://harbour.example/rules");
    const { fullName: _, ...answers } = ANSWER;
    assert.deepEqual(enrolment.inputs.toSorted(), Object.keys(answers).toSorted());
    const picture = enrolment.logo.replace("simulator/api", "");
    assert.equal((await call(api(), "GET", picture)).headers.get("content-type"), "image/png");

    const path = `/phones/${iphone}/passes/${passKey}/enrolment`;
    const refused = await call(api(), "POST", path, { ...answers, emailAddress: "nobody" });
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail, /answers 400: .*emailAddress/);
    assert.equal((await call(api(), "POST", path, { shoeSize: "42" })).status, 400);
    const signed = await call(api(), "POST", path, answers);
    assert.equal(signed.status, 200, JSON.stringify(signed.body));
    assert.equal(signed.body.card.enrolment, undefined);
    assert.equal(signed.body.card.primary[0].value, "Ada");
    assert.equal((await phone(iphone)).notices[0].text, "Willkommen, Ada");
    assert.equal((await call(api(), "POST", path, answers)).status, 422);

    const { body: pass } = await api().get(`/api/quay/passes/${made.body.id}`, { key });
    assert.equal(pass.additionalData.email, ANSWER.emailAddress);
    const google = await call(api(), "POST", `/phones/${android}/passes`, { url });
    const other = `/phones/${android}/passes/${google.body.keys[0]}/enrolment`;
    assert.equal((await call(api(), "POST", other, answers)).status, 422);
  });

  it("show pictures and barcodes that cannot run anything", async () => {
    await seedPassTenant(api(), "harbour", { "server/passes/loyalty.yml": TEMPLATE });
    const { links } = await seedPass(api(), "harbour");
    const id = await addPhone(api(), "iphone", { language: "fr" });
    const { body } = await call(api(), "POST", `/phones/${id}/passes`, { url: links.apple });
    const [card] = body.cards;
    assert.equal(
      card.images.logo.split("?")[0],
      `simulator/api/phones/${id}/passes/${card.key}/images/logo`,
    );
    const picture = await call(api(), "GET", `/phones/${id}/passes/${card.key}/images/logo`);
    assert.equal(picture.headers.get("content-type"), "image/png");
    const code = await call(api(), "GET", `/phones/${id}/passes/${card.key}/barcode.svg`);
    assert.equal(code.headers.get("content-type"), "image/svg+xml");
    assert.match(code.headers.get("content-security-policy") ?? "", /default-src 'none'.*sandbox/);
    const inside = await call(api(), "GET", `/phones/${id}/passes/${card.key}`);
    assert.equal(inside.body.pass.authenticationToken, undefined);
    assert.ok(inside.body.files.includes("manifest.json"));
    const none = await call(api(), "GET", `/phones/${id}/passes/${card.key}/images/strip`);
    assert.deepEqual([none.status, none.body.code], [404, "simulator.picture-not-found"]);
  });

  it("400, 404, 405, 415, 422: say what is wrong with a request", async () => {
    const id = await addPhone(api(), "iphone");
    const answers: readonly [string, string, object | undefined, number, string][] = [
      ["POST", "/phones", { kind: "watch" }, 400, "request.invalid"],
      ["POST", "/phones", { kind: "iphone", language: "<x>" }, 400, "request.invalid"],
      ["POST", "/phones", { kind: "iphone", more: 1 }, 400, "request.invalid"],
      ["POST", "/phones", undefined, 400, "request.malformed"],
      ["POST", `/phones/${id}/passes`, {}, 400, "request.invalid"],
      ["PUT", "/faults/apns", { kind: "fire" }, 400, "request.invalid"],
      ["PUT", "/faults/google", { kind: "goaway" }, 400, "request.invalid"],
      ["GET", "/phones/none", undefined, 404, "simulator.phone-not-found"],
      ["DELETE", `/phones/${id}/passes/none`, undefined, 404, "simulator.pass-not-found"],
      ["GET", "/nowhere", undefined, 404, "route.not-found"],
      ["PUT", "/phones", {}, 405, "route.method-not-allowed"],
      [
        "POST",
        `/phones/${id}/passes`,
        { url: "http://127.0.0.1:1/" },
        422,
        "simulator.phone-refused",
      ],
    ];
    for (const [method, path, body, status, code] of answers) {
      const answer = await call(api(), method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [status, code], `${method} ${path}`);
    }
    const plain = await call(api(), "POST", "/phones", {}, { "content-type": "text/plain" });
    assert.equal(plain.status, 415);
  });

  it("403: are of no use to pages of other sites", async () => {
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      const { status, body } = await call(api(), "POST", "/reset", undefined, headers);
      assert.deepEqual([status, body.code], [403, "simulator.foreign-page"]);
    }
    // The name of another site may lead to this machine.
    const { port } = new URL(api().url);
    for (const [host, expected] of [
      ["evil.example", 403],
      [`evil.example:${port}`, 403],
      ["localhost.evil.example", 403],
      ["", 403],
      [`localhost:${port}`, 200],
      [`127.0.0.1:${port}`, 200],
      [`[::1]:${port}`, 200],
    ] as const) {
      const lines = ["GET /simulator/api/phones HTTP/1.1", `Host: ${host}`, "Connection: close"];
      const { answers } = await exchange(api().url, [[...lines, "", ""].join("\r\n")]);
      assert.equal(answers[0]?.status, expected, host);
    }
  });

  it("switch faults on and off, and are forgotten by a reset", async () => {
    const id = await addPhone(api(), "iphone");
    const fault = { kind: "503", times: 2 };
    assert.equal((await call(api(), "PUT", "/faults/apns", fault)).status, 200);
    assert.equal((await call(api(), "GET", "/state")).body.apns.fault.kind, "503");
    assert.equal((await call(api(), "DELETE", "/faults/apns")).status, 204);
    assert.equal((await call(api(), "GET", "/state")).body.apns.fault, null);
    assert.equal((await call(api(), "POST", "/reset")).status, 204);
    assert.equal((await call(api(), "GET", `/phones/${id}`)).status, 404);
  });

  it("take accounts of the simulator, and one without access says so everywhere", async () => {
    const wallets = "/api/invited/admin/wallets";
    for (const [hasAccess, isOk] of [
      [false, false],
      [true, true],
    ]) {
      const made = await call(api(), "POST", "/google/accounts", { hasAccess });
      const { issuerId, serviceAccount } = made.body;
      const secrets = "secrets: { serviceAccount: GOOGLE-ACCOUNT }";
      await seedPassTenant(api(), "invited", {
        "server/google.yml": `issuerId: "${issuerId}"\n${secrets}\n`,
      });
      const key = api().operatorKey;
      const stored = { key, body: { value: serviceAccount } };
      assert.ok((await api().put("/api/invited/secrets/GOOGLE-ACCOUNT", stored)).status < 300);
      const checked = (await api().post(`${wallets}/google/check`, { key })).body;
      assert.deepEqual([checked.isOk, checked.isDevelopment], [isOk, true]);
      assert.equal((await api().get(wallets, { key })).body.google.isDevelopment, true);
      const { id: passId } = await seedPass(api(), "invited");
      const path = "/api/invited/extensions/google/token";
      const { status, body } = await api().post(path, { key, body: { passId } });
      if (isOk) assert.equal(status, 200);
      else {
        assert.deepEqual([status, body.code], [409, "wallet.google-denied"]);
        assert.match(body.detail, /Add the service account as a user of the issuer/);
      }
    }
  });

  it("are told of by a stream", async () => {
    const ending = new AbortController();
    const response = await fetch(`${api().application.url}/simulator/api/changes`, {
      signal: ending.signal,
    });
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    let text = "";
    await addPhone(api(), "android");
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString();
      if (/event: changed\ndata: \d+\n\n/.test(text)) break;
    }
    ending.abort();
  });

  it("are shown on a page that runs its own files alone", async () => {
    const response = await fetch(`${api().application.url}/simulator`);
    const page = await response.text();
    assert.equal(response.status, 200);
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(page, /<script(?![^>]*src=)|<style|style=|\son\w+=/);
    for (const [, address = ""] of page.matchAll(/(?:src|href)="(simulator\/assets[^"]+)"/g)) {
      const asset = await fetch(`${api().application.url}/${address}`);
      assert.equal(asset.status, 200, address);
      assert.match(asset.headers.get("cache-control") ?? "", /immutable/);
    }
  });

  it("take several passes from one file, and register each", async () => {
    const passes = [await seedPass(api(), "harbour"), await seedPass(api(), "harbour")];
    const sent = await api().post("/api/harbour/extensions/apple/bundle-links", {
      key: api().operatorKey,
      body: { passIds: passes.map(({ id }) => id) },
    });
    const iphone = await addPhone(api(), "iphone");
    const { url } = sent.body;
    const { status, body } = await call(api(), "POST", `/phones/${iphone}/passes`, { url });
    assert.deepEqual([status, body.keys?.length], [201, 2], JSON.stringify(body));
    for (const { id } of passes) {
      const { body: pass } = await api().get(`/api/harbour/passes/${id}`, {
        key: api().operatorKey,
      });
      assert.equal(pass.providers.apple.status, "installed");
    }
  });

  it("take a pass from the page of a save link", async () => {
    await seedPassTenant(api(), "harbour", { "server/passes/loyalty.yml": TEMPLATE });
    const { id } = await seedPass(api(), "harbour");
    const token = String(await linkOf(id))
      .split("/")
      .at(-1);
    const address = `${api().application.url}/simulator/gp/v/save/${token}`;
    const page = await fetch(address);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Harbour Card/);
    const chosen = await fetch(address, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ phone: "new" }),
    });
    assert.equal(chosen.status, 303);
    const [, phoneId = ""] = /phone=(\w+)$/.exec(chosen.headers.get("location") ?? "") ?? [];
    assert.equal((await phone(phoneId)).cards.length, 1);
    const forged = await fetch(`${address.slice(0, -5)}AAAAA`);
    assert.equal(forged.status, 400);
  });
});

describe("the simulator in production", () => {
  const env = { ENVIRONMENT: "production", BASE_URL: "https://passes.example" };
  const api = shareApi({ env });

  it("404: is not there", async () => {
    const addresses = ["", "/", "/api/state", "/api/changes", "/gp/v/save/x", "/assets/x/page.js"];
    for (const path of addresses) {
      const { status, body } = await api().get(`/simulator${path}`);
      assert.deepEqual([status, body.code], [404, "route.not-found"], path);
    }
    const { status } = await api().post("/simulator/api/reset", {});
    assert.equal(status, 404);
  });
});
