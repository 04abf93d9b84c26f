import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { getPass } from "#src/passes/public.ts";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { contentCacheOf, contentOf } from "./content.service.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const PASSES = "/api/acme/passes";
const POINTS = "{{ privileges.points.value }} {{ privileges.points.name }}";
const FRENCH = { "locales/fr.yml": "Member: Membre\n" };

await seedPassTenant(api, "acme", FRENCH);

type Field = { key: string; label: string; text: string };

const read = (passId: string, query = "", headers = {}) =>
  api.get(`${PASSES}/${passId}/content${query}`, { key, headers });

async function member(passId: string, query = ""): Promise<Field> {
  const { status, body, text } = await read(passId, query);
  assert.equal(status, 200, text);
  return body.fields.primary[0];
}

/** Finds the pass by its loyalty number and changes the first name. */
async function rename(number: string, firstName: string) {
  const body = { identifiers: { "loyalty.number": number }, additionalData: { firstName } };
  const path = `${PASSES}?passType=loyalty&onConflict=update`;
  const answer = await api.post(path, { key, body });
  assert.equal(answer.status, 200, answer.text);
}

/** Reads the content as another module does, with a new call each time. */
async function contentIn({ runtime }: Pick<TestApi, "runtime">, passId: string) {
  const call = systemCall(runtime, "content.get", { tenantId: "acme" });
  return (await contentOf(call, await getPass(call, passId))).rendered;
}

const seedNamed = (number: string, firstName: string) =>
  seedPass(api, "acme", {
    identifiers: { "loyalty.number": number },
    additionalData: { firstName },
  });

describe("GET /api/:tenantId/passes/:passId/content (content.get)", () => {
  it("200: what the holder reads, made by the template", async () => {
    const { id } = await seedNamed("show", "Ada");
    const { status, body, headers } = await read(id);
    assert.equal(status, 200);
    assert.deepEqual(body.fields.primary, [
      { key: "name", label: "Member", text: "Ada", raw: null, change: "", align: null },
    ]);
    assert.deepEqual(body.barcode, { format: "qr", message: id, text: "" });
    assert.deepEqual(
      [body.passId, body.passType, body.kind, body.version],
      [id, "loyalty", "loyalty", 1],
    );
    assert.deepEqual([body.organization, body.problems], ["Harbour Club", []]);
    assert.equal(body.colors.background, "#1f2a44");
    const { body: pass } = await api.get(`${PASSES}/${id}`, { key });
    assert.equal(body.expirationDate, pass.expirationDate);
    const known = { "if-none-match": headers.get("etag") ?? "" };
    assert.equal((await read(id, "", known)).status, 304);
    assert.equal((await read(id, "?locale=fr", known)).status, 200);
  });

  it("200: in the language that serves the holder best", async () => {
    const { id } = await seedNamed("language", "Ada");
    const labels: Record<string, string> = { fr: "Membre", "fr-CH": "Membre", de: "Member" };
    for (const [locale, label] of Object.entries(labels)) {
      assert.equal((await member(id, `?locale=${locale}`)).label, label, locale);
    }
    const { body } = await read(id, "?locale=fr-CH");
    assert.deepEqual([body.language, body.languages], ["fr", ["en", "fr"]]);
  });

  it("200: a pass that never ends does not end by its template", async () => {
    const body = {
      identifiers: { "loyalty.number": "for-ever" },
      additionalData: { firstName: "Ada" },
      expirationDate: null,
    };
    const { body: pass } = await api.post(`${PASSES}?passType=loyalty`, { key, body });
    assert.equal((await read(pass.id)).body.expirationDate, null);
  });

  it("400: a language that is none", async () => {
    const { id } = await seedNamed("bad-language", "Ada");
    assert.equal((await read(id, "?locale=fr_CH")).status, 400);
    assert.equal((await read(id, "?lang=fr")).status, 400);
  });

  it("404: no such pass, or none in this tenant", async () => {
    const { id } = await seedNamed("foreign", "Ada");
    await seedPassTenant(api, "rival");
    for (const path of [`/api/rival/passes/${id}/content`, `${PASSES}/ps_nobody/content`]) {
      const { status, body } = await api.get(path, { key });
      assert.deepEqual([status, body.code], [404, "pass.not-found"]);
    }
  });
});

describe("rendered content", () => {
  it("is made once for a version, and anew at once for the next", async () => {
    const { id } = await seedNamed("cached", "Ada");
    const first = await contentIn(api, id);
    assert.equal(await contentIn(api, id), first);
    await rename("cached", "Grace");
    assert.equal((await member(id)).text, "Grace");
    assert.equal(first.main.fields.primary[0]?.text, "Ada");
    const second = await contentIn(api, id);
    assert.notEqual(second, first);
    assert.equal(await contentIn(api, id), second);
  });

  it("is made anew at once when a configuration is published", async () => {
    const { id } = await seedNamed("published", "Ada");
    assert.equal((await member(id, "?locale=fr")).label, "Membre");
    const body = { files: { "locales/fr.yml": "Member: Titulaire\n" } };
    assert.equal((await api.patch("/api/tenants/acme", { key, body })).status, 200);
    assert.equal((await member(id, "?locale=fr")).label, "Titulaire");
  });

  it("shows the privileges of the pass, and anew when they change without it", async () => {
    const template = "server/passes/loyalty.yml";
    const text = String(PASS_FILES[template]).replace("{{ data.firstName }}", POINTS);
    await seedPassTenant(api, "points", { [template]: text });
    const { id } = await seedPass(api, "points");
    const path = `/api/points/passes/${id}/content`;
    const first = await api.get(path, { key });
    assert.equal(first.body.fields.primary[0].text, "0 Points", first.text);
    const known = { "if-none-match": first.headers.get("etag") ?? "" };
    assert.equal((await api.get(path, { key, headers: known })).status, 304);
    await api.sql("update privilege set value = 12, version = 2 where pass_id = $1", [id]);
    const second = await api.get(path, { key, headers: known });
    assert.deepEqual([second.status, second.body.fields.primary[0].text], [200, "12 Points"]);
  });

  it("shows the privileges of the pass where a translation alone names them", async () => {
    await seedPassTenant(api, "translated", { "locales/fr.yml": `Member: "${POINTS}"\n` });
    const { id } = await seedPass(api, "translated");
    const { body } = await api.get(`/api/translated/passes/${id}/content?locale=fr`, { key });
    assert.equal(body.fields.primary[0].label, "0 Points");
  });

  it("404: is none where the template is gone", async () => {
    const { id } = await seedNamed("gone", "Ada");
    const template = "server/passes/loyalty.yml";
    const { body } = await api.get("/api/tenants/acme", {
      key,
      headers: { accept: "application/json" },
    });
    const publish = (text: unknown) =>
      api.patch("/api/tenants/acme", { key, body: { files: { [template]: text } } });
    assert.equal((await publish(null)).status, 200);
    const { status, body: problem } = await read(id);
    assert.deepEqual([status, problem.code], [404, "content.not-found"]);
    assert.equal((await publish(body.files[template])).status, 200);
    assert.equal((await member(id)).text, "Ada");
  });

  it("of an erased pass is kept by no node", async () => {
    const { id } = await seedNamed("erased", "Ada");
    const other = await api.node();
    const call = systemCall(api.runtime, "t", { tenantId: "acme" });
    const { version } = await getPass(call, id);
    const { privilegesVersion: privileges } = await contentOf(call, await getPass(call, id));
    for (const node of [api, other]) await contentIn(node, id);
    const { body } = await read(id);
    const find = ({ runtime }: TestApi) =>
      contentCacheOf(runtime).get(`acme ${id}`, {
        pass: version,
        configuration: body.configurationVersion,
        privileges,
      });
    assert.ok(find(api) !== undefined && find(other) !== undefined);
    assert.equal((await api.delete(`${PASSES}/${id}`, { key })).status, 204);
    assert.equal(find(api), undefined);
    const deadline = Date.now() + 20_000;
    while (find(other) !== undefined && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(find(other), undefined);
  });

  it("of a pass that is erased while it is rendered is not kept", async () => {
    const { id } = await seedNamed("erased-meanwhile", "Ada");
    const cache = contentCacheOf(api.runtime);
    const call = systemCall(api.runtime, "content.get", { tenantId: "acme" });
    const pass = await getPass(call, id);
    assert.equal((await api.delete(`${PASSES}/${id}`, { key })).status, 204);
    const before = cache.count;
    assert.equal((await contentOf(call, pass)).rendered.main.fields.primary[0]?.text, "Ada");
    assert.equal(cache.count, before);
  });

  it("is not kept if signals of erased passes may have been missed meanwhile", async () => {
    const { id } = await seedNamed("gap", "Ada");
    const cache = contentCacheOf(api.runtime);
    const call = systemCall(api.runtime, "content.get", { tenantId: "acme" });
    const pass = await getPass(call, id);
    const rendering = contentOf(call, pass);
    cache.clear();
    await rendering;
    assert.equal(cache.count, 0);
    await contentIn(api, id);
    assert.equal(cache.count, 1);
  });
});
