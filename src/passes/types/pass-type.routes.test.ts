import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

describe("GET /api/{tenantId}/pass-types (pass-type.list)", () => {
  const api = shareApi();
  const list = async (tenantId: string) => {
    const key = await api().seed.key(tenantId, "Pass.Read");
    return await api().get(`/api/${tenantId}/pass-types`, { key });
  };

  it("200: what a form must ask for, from the template", async () => {
    await seedPassTenant(api(), "harbour", { "locales/fr.yml": "Member: Membre\n" });
    const { status, body } = await list("harbour");
    assert.equal(status, 200);
    const [coupon, loyalty] = body;
    assert.deepEqual([coupon.passType, loyalty.passType], ["coupon", "loyalty"]);
    assert.deepEqual([coupon.fields, coupon.allowsOtherFields], [[], true]);
    assert.deepEqual([loyalty.name, loyalty.kind], ["Harbour Card", "loyalty"]);
    assert.deepEqual(loyalty.languages, ["en", "fr"]);
    assert.deepEqual(loyalty.identifiers, {
      required: ["loyalty.number"],
      unique: ["loyalty.number", "crm.id"],
    });
    const plain = { title: null, description: null, format: null, options: null, sample: null };
    assert.deepEqual(loyalty.fields, [
      { ...plain, name: "firstName", type: "string", isRequired: true },
      { ...plain, name: "points", type: "integer", isRequired: false },
      { ...plain, name: "tier", type: "string", isRequired: false, options: ["Deck", "Bridge"] },
    ]);
    assert.deepEqual(loyalty.privileges, [{ id: "points", name: "Points", unit: null }]);
  });

  it("200: nothing for a tenant that has published no template", async () => {
    await api().seed.tenant("bare");
    assert.deepEqual((await list("bare")).body, []);
  });
});
