import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedFormTenant, sendForm } from "#test/support/enrolment-form.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { FORM_WORDS } from "./form.words.ts";

const COUPON = "server/passes/coupon.yml";
const api = await startApi({ after });
await seedFormTenant(api, "acme", {
  [COUPON]: `${PASS_FILES[COUPON]}data: { type: object, properties: { length: { type: number } } }\n`,
  "server/enrolment.yml":
    "passTypes: { coupon: { fields: [ { member: length, label: Length } ], data: { validUntil: '2099-01-01' } } }\n",
});

describe("a number in the enrolment form", () => {
  const send = (length: string) => sendForm(api, "/e/acme/coupon", { "answer.length": length });

  it("303: is kept with the digits that were typed in", async () => {
    const kept = async (typed: string) => {
      const { status, headers } = await send(typed);
      assert.equal(status, 303, typed);
      const [, id] = /\/([^/.]+)\.\w{24}$/.exec(headers.get("location") ?? "") ?? [];
      const { body } = await api.get(`/api/acme/passes/${id}`, { key: api.operatorKey });
      return body.additionalData.length;
    };
    assert.equal(await kept("+12,50"), 12.5);
    assert.equal(await kept("-123456789.123456"), -123_456_789.123456);
    assert.equal(await kept("123456789012345.000000"), 123_456_789_012_345);
  });

  it("422: with more digits than can be kept is refused at its field", async () => {
    const sentence = FORM_WORDS.en.problems.digits.replace("{label}", "Length");
    for (const typed of ["123456789012345.123456", "-99999999999999,999999"]) {
      const { status, text } = await send(typed);
      assert.equal(status, 422, typed);
      assert.ok(text.includes(sentence), text);
      assert.ok(text.includes(`value="${typed}"`));
    }
    const rows = await api.sql(
      "select id from pass where tenant_id = 'acme' and data::text like '%999%'",
    );
    assert.deepEqual(rows, []);
  });
});
