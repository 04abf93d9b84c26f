import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openBundle, stringsOf } from "#test/support/apple-bundle.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;

describe("a pass in Chinese", () => {
  it("200: stands in the folders that iPhones look into, and keeps its tags at Google", async () => {
    await seedPassTenant(api, "lune", {
      "locales/zh-CN.yml": "Member: 会员\n",
      "locales/zh-HK.yml": "Member: 會員\n",
    });
    const { id } = await seedPass(api, "lune", { additionalData: { firstName: "Ada" } });
    const shown = await api.get(`/api/lune/passes/${id}`, { key });
    assert.equal(shown.status, 200, shown.text);
    const sent = await fetch(`${api.url}${new URL(shown.body.links.apple).pathname}`);
    assert.equal(sent.status, 200);
    const { files } = await openBundle(Buffer.from(await sent.arrayBuffer()));
    const tables = stringsOf(files);
    assert.deepEqual(Object.keys(tables).sort(), ["en", "zh-Hans", "zh-Hant"]);
    assert.equal(tables["zh-Hans"]?.Member, "会员");
    assert.equal(tables["zh-Hant"]?.Member, "會員");
    const preview = await api.get(`/api/lune/passes/${id}/preview`, { key });
    assert.equal(preview.status, 200, preview.text);
    const google = JSON.stringify(preview.body.google);
    assert.ok(google.includes('"zh-CN"') && google.includes('"zh-HK"'));
  });
});
