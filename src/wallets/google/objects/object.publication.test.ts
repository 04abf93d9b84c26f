import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { askForLink, seedGoogleTenant, startGoogle } from "#test/support/google-stand-in.ts";
import { PASS_FILES, seedPass } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const google = await startGoogle({ after });
const api = await startApi({ after }, { env: { GOOGLE_WALLET_URL: google.url } });
await seedGoogleTenant(api, "acme");
const key = api.operatorKey;

const rowOf = async (passId: string) => {
  const [row] = await api.sql("select * from google_object where pass_id = $1", [passId]);
  return row;
};
const settled = (passId: string) => until(async () => (await rowOf(passId))?.state === "sent");

describe("passes at Google", () => {
  it("that a publication does not concern are not marked: those of other types, and all after a file unseen at Google", async () => {
    const { id } = await seedPass(api, "acme");
    const link = await askForLink(api, "acme", id);
    assert.equal(link.status, 200, link.text);
    await settled(id);
    const before = await rowOf(id);
    const jobs = async () => {
      const open = "state in ('created', 'active', 'retry')";
      return await api.sql(
        `select from pgboss.job where name = 'google-object.refresh' and ${open}`,
      );
    };
    const publish = async (files: Record<string, string>) => {
      const { status, text } = await api.patch("/api/tenants/acme", { key, body: { files } });
      assert.equal(status, 200, text);
      await until(async () => (await jobs()).length === 0);
    };
    const coupon = String(PASS_FILES["server/passes/coupon.yml"]);
    await publish({ "server/passes/coupon.yml": coupon.replace("label: Offer", "label: Gift") });
    await publish({ "server/schedule.yml": "tasks: []\n" });
    await publish({ "layouts/loyalty.apple.yml": "groupingIdentifier: a\n" });
    assert.deepEqual(await rowOf(id), before);
    await publish({ "locales/en.yml": "Member: Holder\n" });
    assert.notEqual((await rowOf(id))?.revision, before?.revision);
    await settled(id);
  });
});
