import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { FILLED, seedFormTenant, sendForm } from "#test/support/enrolment-form.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after }, { env: { TRUST_PROXY: "1" } });
const key = api.operatorKey;
await seedFormTenant(api, "acme");
await seedFormTenant(api, "rival");

const LINKS = "/api/acme/enrolment-links";
const create = (body: object, path = LINKS) => api.post(path, { key, body });
const read = async (code: string) => (await api.get(`${LINKS}/${code}`, { key })).body;
const visit = (code: string, headers: Record<string, string> = {}, tenantId = "acme") =>
  api.get(`/r/${tenantId}/${code}`, { headers });

let codes = 0;
async function newLink(more: object = {}): Promise<string> {
  codes += 1;
  const { status, text, body } = await create({
    code: `link-${codes}`,
    passType: "loyalty",
    ...more,
  });
  assert.equal(status, 201, text);
  return body.code;
}

const eventsOf = async () =>
  (
    await api.sql(
      "select name from event where tenant_id = 'acme' and name like 'enrolment-link.%' order by sequence",
    )
  ).map(({ name }) => name);

describe("POST /api/:tenantId/enrolment-links (enrolment-link.create)", () => {
  it("201: with a code of one's own, or one that nobody confuses in print", async () => {
    const body = { code: "pier-door", passType: "loyalty", storeId: "pier", source: "Poster" };
    const made = await create(body);
    assert.equal(made.status, 201);
    const { createdAt: _c, updatedAt: _u, url, ...rest } = made.body;
    assert.deepEqual(rest, { ...body, enabled: true, visits: 0, enrolments: 0, version: 1 });
    assert.ok(url.endsWith("/r/acme/pier-door"), url);
    assert.equal(made.headers.get("location"), `${LINKS}/pier-door`);
    const { body: short } = await create({ passType: "loyalty" });
    assert.match(short.code, /^[a-km-np-z2-9]{8}$/);
    assert.deepEqual([short.storeId, short.source], [null, null]);
  });

  it("400: for a type without a form, a store that is not there, and a code that is no address", async () => {
    const cases = [
      [{ passType: "nothing" }, "passType"],
      [{ passType: "loyalty", storeId: "moon" }, "storeId"],
      [{ passType: "loyalty", code: "a/b" }, "code"],
      [{ passType: "loyalty", source: "x".repeat(101) }, "source"],
      [{ passType: "loyalty", visits: 7 }, "visits"],
    ] as const;
    for (const [body, field] of cases) {
      const answer = await create(body);
      assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [400, [field]]);
    }
  });

  it("409: a code that is taken, by this tenant alone", async () => {
    const code = await newLink();
    const again = await create({ code, passType: "loyalty" });
    assert.deepEqual([again.status, again.body.code], [409, "enrolment-link.taken"]);
    const other = await create({ code, passType: "loyalty" }, "/api/rival/enrolment-links");
    assert.equal(other.status, 201);
  });
});

describe("enrolment links", () => {
  it("200: are listed, read, replaced and deleted (enrolment-link.list, enrolment-link.get, enrolment-link.update, enrolment-link.delete)", async () => {
    const code = await newLink({ source: "Poster", storeId: "pier" });
    const { body: all } = await api.get(
      `${LINKS}?filter[0].field=storeId&filter[0].operator=equals&filter[0].value=pier`,
      { key },
    );
    assert.ok(all.some((link: { code: string }) => link.code === code));
    const before = await api.get(`${LINKS}/${code}`, { key });
    const path = `${LINKS}/${code}`;
    const changed = await api.put(path, { key, body: { passType: "loyalty", enabled: false } });
    assert.deepEqual(
      [
        changed.status,
        changed.body.source,
        changed.body.storeId,
        changed.body.enabled,
        changed.body.version,
      ],
      [200, null, null, false, 2],
    );
    const headers = { "if-match": before.headers.get("etag") ?? "" };
    const late = await api.put(path, { key, body: { passType: "loyalty" }, headers });
    assert.equal(late.status, 412);
    assert.equal((await api.delete(path, { key })).status, 204);
    assert.equal((await api.get(path, { key })).body.code, "enrolment-link.not-found");
    assert.deepEqual((await eventsOf()).slice(-3), [
      "enrolment-link.created",
      "enrolment-link.updated",
      "enrolment-link.deleted",
    ]);
  });

  it("200: as a QR code to print (enrolment-link.draw)", async () => {
    const code = await newLink();
    const { status, headers, text } = await api.get(`${LINKS}/${code}/qr`, { key });
    assert.deepEqual([status, headers.get("content-type")], [200, "image/svg+xml"]);
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="-4 -4 \d+ \d+"/);
    assert.equal((await api.get(`${LINKS}/none/qr`, { key })).status, 404);
  });

  it("404: a link of another tenant looks exactly like one that does not exist", async () => {
    const code = await newLink({ code: "acme-alone" });
    const reader = await api.seed.key("rival", "Enrolment.Read");
    for (const name of [code, "nowhere"]) {
      const answer = await api.get(`/api/rival/enrolment-links/${name}`, { key: reader });
      assert.deepEqual([answer.status, answer.body.code], [404, "enrolment-link.not-found"]);
    }
  });
});

describe("GET /r/:tenantId/:code", () => {
  it("302: leads to the form with the code, is not stored, and counts", async () => {
    const code = await newLink({ storeId: "pier", source: "Poster" });
    const { status, headers } = await visit(code);
    assert.deepEqual([status, headers.get("cache-control")], [302, "no-store"]);
    const form = new URL(headers.get("location") ?? "", `${api.url}/r/acme/${code}`);
    assert.equal(form.pathname + form.search, `/e/acme/loyalty?link=${code}`);
    await visit(code);
    assert.equal((await api.get(form.pathname + form.search)).status, 200);
    const { visits, version } = await read(code);
    assert.deepEqual([visits, version], [2, 1]);
  });

  it("302: what looks ahead is no visit", async () => {
    const code = await newLink();
    assert.equal((await visit(code, { "sec-purpose": "prefetch" })).status, 302);
    assert.equal((await api.request("HEAD", `/r/acme/${code}`)).status, 302);
    assert.equal((await read(code)).visits, 0);
  });

  it("302: visits at once are all counted, and one address counts 120 times a minute at most", async () => {
    const code = await newLink();
    const crowd = Array.from({ length: 30 }, (_, at) =>
      visit(code, { "x-forwarded-for": `10.1.${at}.1` }),
    );
    for (const { status } of await Promise.all(crowd)) assert.equal(status, 302);
    assert.equal((await read(code)).visits, 30);
    const lonely = { "x-forwarded-for": "10.2.2.2" };
    for (let count = 0; count < 125; count += 1)
      assert.equal((await visit(code, lonely)).status, 302);
    assert.equal((await read(code)).visits, 150);
  });

  it("404: the same page for a tenant, a code and a link that are gone or switched off", async () => {
    const off = await newLink({ enabled: false });
    const gone = await newLink();
    await api.delete(`${LINKS}/${gone}`, { key });
    const code = await newLink();
    const pages = [
      await visit(off),
      await visit(gone),
      await visit(code, {}, "rival2"),
      await visit("x".repeat(400)),
      await visit(code, {}, "nobody"),
      await visit("%00"),
      await visit("door%00"),
      await visit("%EF%BF%BF"),
    ];
    for (const { status, text } of pages) assert.deepEqual([status, text], [404, pages[0]?.text]);
    assert.equal((await read(off)).visits, 0);
  });

  it("429: too many wrong codes of one address; right ones go on", async () => {
    const code = await newLink();
    const guesser = { "x-forwarded-for": "10.3.3.3" };
    for (let count = 0; count < 60; count += 1)
      assert.equal((await visit("wrong", guesser)).status, 404);
    assert.equal((await visit("wrong", guesser)).status, 429);
    assert.equal((await visit(code, guesser)).status, 302);
  });
});

describe("an enrolment by a link", () => {
  const send = (code: string, email: string) =>
    sendForm(api, `/e/acme/loyalty?link=${encodeURIComponent(code)}`, {
      ...FILLED,
      "answer.email": email,
    });
  const passAt = async (location: string | null) => {
    const [, id] = /p\/acme\/([^.]+)\./.exec(location ?? "") ?? [];
    return (await api.get(`/api/acme/passes/${id}`, { key })).body;
  };

  it("303: the pass and its events tell where it came from, and the link counts it once", async () => {
    const code = await newLink({ storeId: "pier", source: "Poster <b>" });
    const page = await api.get(`/e/acme/loyalty?link=${code}`);
    assert.ok(page.text.includes(`action="loyalty?link=${code}"`));
    const { headers } = await send(code, "by-link@harbour.example");
    const pass = await passAt(headers.get("location"));
    const { link, source, storeId } = pass.metadata.enrolment;
    assert.deepEqual(
      { link, source, storeId },
      { link: code, source: "Poster <b>", storeId: "pier" },
    );
    const [told] = await api.sql(
      "select data ->> 'link' as link, data ->> 'storeId' as \"storeId\" from event where tenant_id = 'acme' and subject = $1 and name = 'enrolment.completed'",
      [pass.id],
    );
    assert.deepEqual(told, { link: code, storeId: "pier" });
    assert.equal((await send(code, "by-link@harbour.example")).status, 409);
    const { enrolments, visits, version } = await read(code);
    assert.deepEqual([enrolments, visits, version], [1, 0, 1]);
  });

  it("303: without its source where the link is switched off, gone, of another type or tenant", async () => {
    const off = await newLink({ enabled: false });
    const other = await newLink({ passType: "coupon" });
    for (const [at, code] of [off, other, "nowhere", "<script>", "\0", "door\0"].entries()) {
      const { status, headers } = await send(code, `no-link-${at}@harbour.example`);
      assert.equal(status, 303);
      assert.equal((await passAt(headers.get("location"))).metadata.enrolment.link, null);
    }
  });
});

describe("a tenant that is deleted", () => {
  it("leaves no link and no enrolment behind", async () => {
    await seedFormTenant(api, "leaving");
    await create({ code: "door", passType: "loyalty" }, "/api/leaving/enrolment-links");
    await sendForm(api, "/e/leaving/loyalty", FILLED);
    const rows = () =>
      api.sql(
        "select tenant_id from enrolment where tenant_id = 'leaving' union all select tenant_id from enrolment_link where tenant_id = 'leaving'",
      );
    assert.equal((await rows()).length, 2);
    assert.ok((await api.delete("/api/tenants/leaving", { key })).status < 300);
    assert.equal((await api.get("/e/leaving/loyalty")).status, 404);
    assert.equal((await visit("door", {}, "leaving")).status, 404);
    for (let count = 0; (await rows()).length > 0 && count < 100; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.deepEqual(await rows(), []);
  });
});
