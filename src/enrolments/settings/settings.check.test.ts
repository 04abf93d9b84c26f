import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedFormTenant } from "#test/support/enrolment-form.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await seedFormTenant(api, "rival");

describe("server/enrolment.yml", () => {
  const publish = async (settings: unknown) => {
    const files = { "server/enrolment.yml": JSON.stringify(settings) };
    const { status, body } = await api.patch("/api/tenants/rival", { key, body: { files } });
    const codes: string[] = (body.findings ?? []).map(({ code }: { code: string }) => code);
    return { status, codes: codes.filter((code) => code.startsWith("enrolment.")) };
  };
  const name = { member: "firstName" };
  const number = { "loyalty.number": { digits: 10 } };

  it("400: what could never make a pass is not published", async () => {
    const cases = [
      ["enrolment.unknown-pass-type", { nothing: { fields: [name] } }],
      ["enrolment.duplicate", { loyalty: { fields: [name, name], identifiers: number } }],
      [
        "enrolment.duplicate",
        { loyalty: { fields: [name, { member: "n", as: "firstName" }], identifiers: number } },
      ],
      [
        "enrolment.member-missing",
        { loyalty: { fields: [{ member: "lastName" }], identifiers: number } },
      ],
      ["enrolment.identifier-missing", { loyalty: { fields: [name] } }],
      [
        "enrolment.identifier-source",
        { loyalty: { fields: [name], identifiers: { ...number, "a.b": {} } } },
      ],
      [
        "enrolment.identifier-source",
        { loyalty: { fields: [name], identifiers: { ...number, "a.b": { member: "email" } } } },
      ],
      [
        "enrolment.identifier-name",
        {
          loyalty: { fields: [name], identifiers: { ...number, "enrolment.email": { digits: 8 } } },
        },
      ],
    ] as const;
    for (const [code, passTypes] of cases) {
      assert.deepEqual(
        await publish({ passTypes }),
        { status: 400, codes: [code] },
        JSON.stringify(passTypes),
      );
    }
    assert.equal(
      (await publish({ passTypes: { loyalty: { fields: [name], identifiers: number } } })).status,
      200,
    );
  });

  it("400: members that no form can ask for", async () => {
    const files = {
      "server/passes/coupon.yml": `kind: coupon
name: C
organization: C
description: C
images: { icon: images/icon.png }
data: { type: object, additionalProperties: false, properties: { tags: { type: array }, when: { type: string, format: date-time } } }
`,
      "server/enrolment.yml": JSON.stringify({
        passTypes: {
          coupon: { fields: [{ member: "tags" }, { member: "when" }, { member: "unknown" }] },
        },
      }),
    };
    const { status, body } = await api.patch("/api/tenants/rival", { key, body: { files } });
    const found = body.findings.filter(
      ({ code }: { code: string }) => code === "enrolment.member-unaskable",
    );
    assert.deepEqual([status, found.length], [400, 3]);
  });
});
