import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Template } from "@walletpass/pass-js";
import sharp from "sharp";
import { openBundle, unzip } from "#test/support/apple-bundle.ts";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { PASSES_BYTES_MAX } from "../apple/bundle/bundle.errors.ts";
import { WORDS } from "./landing.words.ts";

// Other programs open only passes that call back by https.
const api = await startApi({ after }, { env: { BASE_URL: "https://passes.example" } });
const key = api.operatorKey;
await seedPassTenant(api, "acme");
await seedPassTenant(api, "rival");

const LINKS = "/api/acme/extensions/apple/bundle-links";
type Seeded = Awaited<ReturnType<typeof seedPass>>;

async function seedMany(count: number): Promise<Seeded[]> {
  return await Promise.all(Array.from({ length: count }, () => seedPass(api, "acme")));
}

async function linkOf(passes: readonly Seeded[]): Promise<string> {
  const { status, body, text } = await api.post(LINKS, {
    key,
    body: { passIds: passes.map(({ id }) => id) },
  });
  assert.equal(status, 200, text);
  return body.url;
}

const pathOf = (passes: readonly Pick<Seeded, "id" | "secret">[], tenantId = "acme") =>
  `/p/${tenantId}/${passes.map(({ id, secret }) => `${id}.${secret}`).join(",")}/passes.pkpasses`;

async function fetchFile(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers, redirect: "manual" });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe("apple-bundle-link.create", () => {
  it("200: the address of one file with all passes, which other programs open", async () => {
    const passes = await seedMany(10);
    const url = await linkOf(passes);
    assert.equal(url, `${api.runtime.baseUrl}${pathOf(passes)}`);
    const { answer, bytes } = await fetchFile(`${api.url}${new URL(url).pathname}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "application/vnd.apple.pkpasses");
    assert.match(answer.headers.get("content-disposition") ?? "", /filename="passes\.pkpasses"/);
    assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
    const files = await unzip(bytes);
    assert.deepEqual(
      [...files.keys()],
      passes.map(({ id }) => `${id}.pkpass`),
    );
    for (const [name, file] of [...files].slice(-2)) {
      assert.equal(`${(await openBundle(file)).json.serialNumber}.pkpass`, name);
      assert.equal((await Template.fromBuffer(file)).style, "storeCard");
    }
  });

  it("200: on the tenant's own domain", async () => {
    await seedPassTenant(api, "lune", {
      "tenant.yml": "name: Lune\ncustomDomain: tickets.lune.example\n",
    });
    const passes = [await seedPass(api, "lune"), await seedPass(api, "lune")];
    const { body } = await api.post("/api/lune/extensions/apple/bundle-links", {
      key,
      body: { passIds: passes.map(({ id }) => id) },
    });
    assert.equal(new URL(body.url).hostname, "tickets.lune.example");
    assert.equal(new URL(body.url).pathname, pathOf(passes, "lune"));
  });

  it("404: a pass that does not exist, or of another tenant; 400: too few, too many, twice", async () => {
    const [one] = await seedMany(1);
    const foreign = await seedPass(api, "rival");
    const send = (passIds: unknown) => api.post(LINKS, { key, body: { passIds } });
    for (const other of [foreign.id, "ps_nobody"]) {
      const { status, body } = await send([one?.id, other]);
      assert.deepEqual([status, body.code], [404, "pass.not-found"]);
    }
    const many = Array.from({ length: 11 }, (_, at) => `ps_${at}`);
    for (const wrong of [[one?.id], [one?.id, one?.id], many, "x", undefined]) {
      const { status, text } = await send(wrong);
      assert.equal(status, 400, text);
      assert.match(text, /passIds/);
    }
  });
});

describe("GET /p/:tenantId/:links/passes.pkpasses", () => {
  it("200: each pass counts as issued, and 304 while none of them changes", async () => {
    const passes = await seedMany(2);
    const url = `${api.url}${pathOf(passes)}`;
    const { answer } = await fetchFile(url);
    const ids = passes.map(({ id }) => id);
    const rows = await api.sql("select from apple_pass where pass_id = any($1)", [ids]);
    assert.equal(rows.length, 2);
    const known = { "if-none-match": answer.headers.get("etag") ?? "" };
    assert.equal((await fetchFile(url, known)).answer.status, 304);
    await api.patch(`/api/acme/passes/${ids[1]}`, {
      key,
      body: { additionalData: { firstName: "Grace" }, options: { BypassQueue: true } },
    });
    const changed = await fetchFile(url, known);
    assert.equal(changed.answer.status, 200);
    assert.notEqual(changed.answer.headers.get("etag"), known["if-none-match"]);
  });

  it("302: to the page of the pass that is disabled or has expired", async () => {
    const passes = await seedMany(2);
    const [, second] = passes;
    for (const body of [{ status: "disabled" }, { expirationDate: "2020-01-01T00:00:00Z" }]) {
      const options = { BypassQueue: true };
      await api.patch(`/api/acme/passes/${second?.id}`, { key, body: { ...body, options } });
      const { answer } = await fetchFile(`${api.url}${pathOf(passes)}`);
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.get("location"), `../${second?.id}.${second?.secret}`);
    }
  });

  it("200 up to 60 MiB, and beyond that 409 with a page that says so; nothing counts as issued", async () => {
    const picture = await sharp({
      create: {
        width: 1_074,
        height: 1_344,
        channels: 3,
        background: "#000000",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    })
      .jpeg({ quality: 95 })
      .toBuffer();
    const template = String(PASS_FILES["server/passes/loyalty.yml"]).replace(
      "icon: images/icon.png",
      "icon: images/icon.png, artwork: images/noise.jpg, strip: images/noise.jpg",
    );
    await seedPassTenant(api, "heavy", {
      "server/passes/loyalty.yml": template,
      "images/noise.jpg": { base64: picture.toString("base64") },
    });
    const passes = await Promise.all(Array.from({ length: 10 }, () => seedPass(api, "heavy")));
    const { bytes } = await fetchFile(`${api.url}${pathOf(passes.slice(0, 2), "heavy")}`);
    const fit = Math.floor(PASSES_BYTES_MAX / (bytes.length / 2));
    assert.ok(fit >= 2 && fit < 10, `${fit} of ten fit`);
    const most = await fetchFile(`${api.url}${pathOf(passes.slice(0, fit), "heavy")}`);
    assert.equal(most.answer.status, 200);
    assert.ok(most.bytes.length <= PASSES_BYTES_MAX);
    const more = await fetchFile(`${api.url}${pathOf(passes, "heavy")}`, { accept: "text/html" });
    assert.equal(more.answer.status, 409);
    assert.match(more.answer.headers.get("content-type") ?? "", /^text\/html/);
    const issued = await api.sql("select from apple_pass where tenant_id = 'heavy'");
    assert.equal(issued.length, fit, "those of the file that was refused are not among them");
  });

  it("404: the same page whichever part of the address is wrong", async () => {
    const [one, two] = await seedMany(2);
    assert.ok(one !== undefined && two !== undefined);
    const foreign = await seedPass(api, "rival");
    const flipped = `${two.secret.slice(0, -1)}${two.secret.endsWith("a") ? "b" : "a"}`;
    const eleven = Array.from({ length: 11 }, (_, at) => ({ ...one, id: `${one.id}${at}` }));
    const paths = [
      pathOf([one]),
      pathOf([one, one]),
      pathOf([one, { ...two, secret: flipped }]),
      pathOf([{ ...one, id: "ps_nobody" }, two]),
      pathOf([one, foreign]),
      pathOf([one, two], "nobody"),
      pathOf([one, two], "rival"),
      pathOf(eleven),
      pathOf([one, two]).replace(",", ",,"),
      `/p/acme/${"x".repeat(5_000)}/passes.pkpasses`,
    ];
    for (const path of paths) {
      const { status, text } = await api.get(path);
      assert.equal(status, 404, path);
      assert.ok(text.includes(WORDS.en.missingTitle) && !text.includes("Harbour"), path);
    }
    const elsewhere = await api.get("/p/acme/one/two/three");
    assert.deepEqual([elsewhere.status, elsewhere.body.status], [404, 404]);
  });
});
