import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { exchange } from "#test/support/raw-http.ts";
import { readZip } from "#test/support/read-zip.ts";
import { startApi } from "#test/support/start-api.ts";
import { WORDS } from "./landing.words.ts";

const api = await startApi({ after });
const FRENCH = "Member: Membre\nCard of the Harbour Club: Carte du Harbour Club\n";
await seedPassTenant(api, "acme", { "locales/fr.yml": FRENCH });

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
const ANDROID =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";
const DESKTOP =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const INSTAGRAM =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22B83 Instagram 350.0.0";

const GOOGLE_SETTINGS =
  'issuerId: "3388000000022141777"\nsecrets: { serviceAccount: google-account }\n';

const pathOf = ({ links }: { links: { landing: string } }) => new URL(links.landing).pathname;
const open = (path: string, headers: Record<string, string> = {}) =>
  api.get(path, { headers: { "user-agent": DESKTOP, ...headers } });
const change = async (passId: string, body: object) => {
  const options = { BypassQueue: true };
  const sent = { key: api.operatorKey, body: { ...body, options } };
  assert.equal((await api.patch(`/api/acme/passes/${passId}`, sent)).status, 200);
};

describe("GET /p/:tenantId/:passId.:secret", () => {
  it("200: shows the card, and what fits the device", async () => {
    const pass = await seedPass(api, "acme", { additionalData: { firstName: "Ada <b>" } });
    const cases = [
      [IPHONE, true, false, false],
      [ANDROID, false, true, false],
      [DESKTOP, true, true, true],
    ] as const;
    for (const [agent, hasApple, hasGoogle, hasCode] of cases) {
      const { status, text } = await open(pathOf(pass), { "user-agent": agent });
      assert.equal(status, 200);
      assert.ok(text.includes("Ada &lt;b&gt;") && text.includes("Harbour Club"), text);
      assert.deepEqual(
        [
          text.includes(WORDS.en.addToApple),
          text.includes(WORDS.en.addToGoogle),
          text.includes(WORDS.en.qrLabel),
          text.includes("Open in Safari"),
        ],
        [hasApple, hasGoogle, hasCode, false],
        agent,
      );
    }
    const { text } = await open(pathOf(pass), { "user-agent": INSTAGRAM });
    assert.match(text, /Instagram cannot add passes on an iPhone/);
  });

  it("200: keeps to itself: no script, no other site, nothing stored, found or passed on", async () => {
    const { text, headers } = await open(pathOf(await seedPass(api, "acme")));
    assert.ok(!/<script|\son\w+=|https?:\/\//i.test(text), text);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; style-src 'sha256-\S+ 'sha256-\S+;/);
    assert.ok(!policy.includes("unsafe"));
    const expected = {
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex, nofollow, noarchive",
      "set-cookie": null,
    };
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(headers.get(name), value, name);
    }
  });

  it("200: in the visitor's language, as far as the tenant and the page have it", async () => {
    const path = pathOf(await seedPass(api, "acme"));
    const french = await open(path, { "accept-language": "de-CH;q=0.2, fr-CH" });
    assert.match(french.text, /<html lang="fr">/);
    assert.ok(french.text.includes("Membre") && french.text.includes(WORDS.fr.addToApple));
    const german = await open(path, { "accept-language": "de-AT, fr;q=0" });
    assert.match(german.text, /<html lang="de">/);
    assert.ok(german.text.includes("Member") && german.text.includes(WORDS.de.addToApple));
    const other = await open(path, { "accept-language": "xx, *;q=0.5" });
    assert.match(other.text, /<html lang="en">/);
  });

  it("200: says that a pass is blocked or has expired, and offers no button", async () => {
    const pass = await seedPass(api, "acme");
    await change(pass.id, { status: "disabled" });
    const disabled = await open(pathOf(pass));
    assert.ok(disabled.text.includes(WORDS.en.disabledTitle));
    assert.ok(!disabled.text.includes('class="button"'));
    const over = await seedPass(api, "acme");
    await change(over.id, { expirationDate: "2020-01-01T00:00:00Z" });
    const expired = await open(pathOf(over));
    assert.deepEqual([disabled.status, expired.status], [200, 200]);
    assert.ok(expired.text.includes(WORDS.en.expiredTitle));
    assert.ok(!expired.text.includes('class="button"'));
  });

  it("200: HEAD answers as GET does, without the page", async () => {
    const path = pathOf(await seedPass(api, "acme"));
    const { status, headers } = await fetch(`${api.url}${path}`, { method: "HEAD" });
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
  });

  it("404: the same page for a tenant, a pass and a secret that are wrong", async () => {
    await seedPassTenant(api, "rival");
    const { id, secret } = await seedPass(api, "acme");
    const flipped = `${secret.slice(0, -1)}${secret.endsWith("a") ? "b" : "a"}`;
    const paths = [
      `/p/nobody/${id}.${secret}`,
      `/p/rival/${id}.${secret}`,
      `/p/acme/ps_nobody.${secret}`,
      `/p/acme/${id}.${flipped}`,
      `/p/acme/${id}.${secret.toLowerCase()}x`,
      `/p/acme/${id}`,
      `/p/ACME/${id}.${secret}`,
      `/p/acme/${id}.${secret}%00`,
      `/p/acme/${"x".repeat(400)}.${secret}`,
      `/p/acme/${id}.${flipped}/logo.png`,
    ];
    const answers = await Promise.all(paths.map((path) => open(path)));
    const [first] = answers;
    for (const [at, { status, text }] of answers.entries()) {
      assert.deepEqual([status, text], [404, first?.text], paths[at]);
    }
    assert.ok(first?.text.includes(WORDS.en.missingTitle) && !first.text.includes("Harbour"));
  });

  it("200: on the tenant's own domain too, which serves no other tenant", async () => {
    await seedPassTenant(api, "lune", {
      "tenant.yml": "name: Lune\ncustomDomain: passes.lune.example\n",
    });
    const at = async (path: string) => {
      const lines = [`GET ${path} HTTP/1.1`, "Host: passes.lune.example", "Connection: close"];
      const { answers } = await exchange(api.url, [[...lines, "", ""].join("\r\n")]);
      return answers.map(({ status }) => status);
    };
    assert.deepEqual(await at(pathOf(await seedPass(api, "lune"))), [200]);
    assert.deepEqual(await at(pathOf(await seedPass(api, "acme"))), [404]);
  });

  it("404: an erased pass", async () => {
    const pass = await seedPass(api, "acme");
    await api.delete(`/api/acme/passes/${pass.id}`, { key: api.operatorKey });
    assert.equal((await open(pathOf(pass))).status, 404);
  });

  it("tells no log what the address contains", async () => {
    const pass = await seedPass(api, "acme");
    await open(pathOf(pass));
    assert.ok(api.logLines.every((line) => !line.includes(pass.secret)));
  });
});

describe("GET /p/:tenantId/:passId.:secret/pass.pkpass", () => {
  const fetchBundle = (path: string, init: RequestInit = {}) =>
    fetch(`${api.url}${path}/pass.pkpass`, { redirect: "manual", ...init });

  it("200: the pass for Apple Wallet, and 304 until its content changes", async () => {
    const pass = await seedPass(api, "acme");
    const path = pathOf(pass);
    const first = await fetchBundle(path);
    assert.deepEqual(
      [first.status, first.headers.get("content-type"), first.headers.get("content-disposition")],
      [200, "application/vnd.apple.pkpass", 'attachment; filename="loyalty.pkpass"'],
    );
    const bytes = Buffer.from(await first.arrayBuffer());
    const zip = await readZip(bytes);
    assert.ok(zip.ok);
    const { serialNumber } = JSON.parse(String(zip.files.get("pass.json")));
    assert.equal(serialNumber, pass.id);

    const known = { headers: { "if-none-match": first.headers.get("etag") ?? "" } };
    assert.equal((await fetchBundle(path, known)).status, 304);
    const head = await fetchBundle(path, { method: "HEAD" });
    assert.deepEqual(
      [head.status, head.headers.get("content-length"), head.headers.get("etag")],
      [200, String(bytes.length), first.headers.get("etag")],
    );
    await change(pass.id, { additionalData: { firstName: "Grace" } });
    assert.equal((await fetchBundle(path, known)).status, 200);
  });

  it("302: a pass that cannot be added leads back to the page that says why", async () => {
    const pass = await seedPass(api, "acme");
    await change(pass.id, { status: "disabled" });
    const path = pathOf(pass);
    const { status, headers } = await fetchBundle(path);
    const target = new URL(
      headers.get("location") ?? "",
      `https://proxy.example/x${path}/pass.pkpass`,
    );
    assert.deepEqual([status, target.pathname], [302, `/x${path}`]);
  });

  it("404: a wrong secret", async () => {
    const { id } = await seedPass(api, "acme");
    assert.equal((await fetchBundle(`/p/acme/${id}.${"x".repeat(24)}`)).status, 404);
  });
});

describe("GET /p/:tenantId/:passId.:secret/google", () => {
  const follow = (path: string) => fetch(`${api.url}${path}/google`, { redirect: "manual" });

  it("302: leads to the link that adds the pass, or back to the page that says why not", async () => {
    const pass = await seedPass(api, "acme");
    const { status, headers } = await follow(pathOf(pass));
    assert.equal(status, 302);
    assert.match(headers.get("location") ?? "", /^https?:\/\/.+\/[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.deepEqual(
      [headers.get("cache-control"), headers.get("referrer-policy")],
      ["no-store", "no-referrer"],
    );
    await change(pass.id, { status: "disabled" });
    const blocked = await follow(pathOf(pass));
    assert.deepEqual(
      [blocked.status, blocked.headers.get("location")],
      [302, `../${pass.id}.${pass.secret}`],
    );
  });

  it("404: a wrong secret", async () => {
    const { id } = await seedPass(api, "acme");
    assert.equal((await follow(`/p/acme/${id}.${"x".repeat(24)}`)).status, 404);
  });

  it("409: an account that does not work shows no button, and only the log says why", async () => {
    const files = { "server/google.yml": GOOGLE_SETTINGS };
    await seedPassTenant(api, "no-google", files);
    const pass = await seedPass(api, "no-google");
    const { text } = await open(pathOf(pass));
    assert.ok(text.includes(WORDS.en.addToApple) && !text.includes(WORDS.en.addToGoogle));
    const answer = await follow(pathOf(pass));
    assert.equal(answer.status, 409);
    assert.ok(!(await answer.text()).includes("service account"));
    const told = api.logLines.filter((line) => line.includes("wallet.google-not-configured"));
    assert.ok(told.length >= 2);
  });
});

describe("GET /p/:tenantId/:passId.:secret/:picture.png", () => {
  it("200: the pictures that the page names, and 404 for others", async () => {
    const logo = PASS_FILES["images/icon.png"] ?? "";
    const files = { "branding/logo.png": logo, "branding/cover.png": "no picture" };
    const body = { files };
    const patched = await api.patch("/api/tenants/acme", { key: api.operatorKey, body });
    assert.equal(patched.status, 200, patched.text);
    const path = pathOf(await seedPass(api, "acme"));
    const { text } = await open(path);
    assert.ok(text.includes("brand.png") && !text.includes("strip.png"));
    const brand = await fetch(`${api.url}${path}/brand.png`);
    assert.deepEqual([brand.status, brand.headers.get("content-type")], [200, "image/png"]);
    assert.match(brand.headers.get("cache-control") ?? "", /^private/);
    for (const other of ["strip.png", "cover.png"]) {
      assert.equal((await open(`${path}/${other}`)).status, 404, other);
    }
  });
});

describe("addresses that try many links", () => {
  it("429: a wrong one after sixty in a minute; right ones are shown as ever", async (t) => {
    const node = await startApi(t);
    await seedPassTenant(node, "acme");
    const pass = await seedPass(node, "acme");
    for (let count = 0; count < 60; count += 1) {
      await node.get(`/p/acme/ps_nobody.${pass.secret}`);
    }
    assert.equal((await node.get(pathOf(pass))).status, 200);
    const { status, headers, text } = await node.get(`/p/acme/ps_nobody.${pass.secret}`);
    assert.equal(status, 429);
    assert.ok(Number(headers.get("retry-after")) >= 1);
    assert.ok(text.includes(WORDS.en.busyTitle));
  });
});
