import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await seedPassTenant(api, "acme");

const notify = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  api.put(`/api/acme/passes/${id}/notification`, { key, body, headers });
const lastEvent = async (id: string) => {
  const text = "select name, data from event where subject = $1 order by sequence desc limit 1";
  return (await api.sql(text, [id]))[0];
};

describe("PUT /api/:tenantId/passes/:passId/notification (pass.notify)", () => {
  it("202: one text, or one per language, becomes an event and no version", async () => {
    const { id } = await seedPass(api, "acme");
    const { status, body } = await notify(id, { content: "Your table is ready." });
    const { jobId, ...accepted } = body;
    assert.deepEqual([status, accepted], [202, { passId: id, state: "queued" }]);
    const { body: job } = await api.get(`/api/acme/jobs/${jobId}`, { key });
    assert.deepEqual(
      [job.kind, job.state, job.updated, job.request.subject],
      ["pass.notify", "completed", 1, id],
    );
    const common = { id, passType: "loyalty" };
    assert.deepEqual(await lastEvent(id), {
      name: "pass.notified",
      data: { ...common, title: null, content: "Your table is ready.", localizedContent: {} },
    });
    const localizedContent = { de: "Ihr Tisch ist bereit.", "pt-BR": "A mesa está pronta." };
    assert.equal((await notify(id, { title: "Harbour", localizedContent })).status, 202);
    assert.deepEqual(await lastEvent(id), {
      name: "pass.notified",
      data: { ...common, title: "Harbour", content: null, localizedContent },
    });
    assert.equal((await api.get(`/api/acme/passes/${id}`, { key })).body.version, 1);
  });

  it("409: a pass that is disabled or whose time is over", async () => {
    const options = { BypassQueue: true };
    for (const [change, status] of [
      [{ status: "disabled" }, "disabled"],
      [{ expirationDate: "2020-01-01T00:00:00Z" }, "expired"],
    ]) {
      const { id } = await seedPass(api, "acme");
      await api.patch(`/api/acme/passes/${id}`, { key, body: { ...(change as object), options } });
      const answer = await notify(id, { content: "Hello" });
      assert.deepEqual([answer.status, answer.body.code], [409, "pass.not-active"]);
      assert.equal(answer.body.status, 409);
      assert.equal(answer.body.passStatus, status);
    }
  });

  it("404: an unknown pass; 412: another version; 403: needs Pass.Write", async () => {
    const { id } = await seedPass(api, "acme");
    const unknown = await notify("ps_00000000000000000000000", { content: "Hello" });
    assert.deepEqual([unknown.status, unknown.body.code], [404, "pass.not-found"]);
    assert.equal((await notify(id, { content: "Hello" }, { "if-match": '"x"' })).status, 412);
    const reader = await api.seed.key("acme", "Pass.Read");
    const path = `/api/acme/passes/${id}/notification`;
    assert.equal((await api.put(path, { key: reader, body: { content: "Hello" } })).status, 403);
    assert.equal((await lastEvent(id))?.name, "pass.created");
  });

  const languages = Object.fromEntries(
    Array.from({ length: 51 }, (_, at) => [`de-x-a${at}`, "Hallo"]),
  );
  const refused: readonly [string, unknown, string][] = [
    ["nothing", {}, "content"],
    ["a title alone", { title: "Hello" }, "content"],
    ["both", { content: "Hello", localizedContent: { de: "Hallo" } }, "localizedContent"],
    ["an empty text", { content: "" }, "content"],
    ["a text of spaces", { content: " \n " }, "content"],
    ["a title of spaces", { title: "  ", content: "x" }, "title"],
    ["a language twice", { localizedContent: { en: "x", EN: "y" } }, "localizedContent.EN"],
    ["501 characters", { content: "x".repeat(501) }, "content"],
    ["101 characters of title", { title: "x".repeat(101), content: "x" }, "title"],
    ["no language", { localizedContent: {} }, "localizedContent"],
    ["51 languages", { localizedContent: languages }, "localizedContent"],
    ["a language that is none", { localizedContent: { german_: "x" } }, "localizedContent.german_"],
    ["an empty text in a language", { localizedContent: { de: "" } }, "localizedContent.de"],
    ["an unknown member", { content: "x", sound: "loud" }, "sound"],
  ];
  for (const [title, body, field] of refused) {
    it(`400: ${title} names ${field}`, async () => {
      const { id } = await seedPass(api, "acme");
      const answer = await notify(id, body);
      assert.equal(answer.status, 400, answer.text);
      assert.ok(field in answer.body.errors, answer.text);
    });
  }
});
