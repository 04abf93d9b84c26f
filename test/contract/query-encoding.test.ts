import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { addressOf, readOperations, shareParameters } from "#test/support/operations.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const api = await startApi({ after });
await seedPassTenant(api, TENANT);
const key = api.operatorKey;

describe("percent-encoding of the query", () => {
  const passes = `/api/${TENANT}/passes?filter[0].field=id&filter[0].operator=equals`;

  it("400: what is broken is named, and not taken for the characters themselves", async () => {
    for (const broken of ["%FF", "%E0%A4%A", "%", "a%2", "%zz", "%C0%AE", "%ED%A0%80", "50%+off"]) {
      const { status, body } = await api.get(`${passes}&filter[0].value=${broken}`, { key });
      assert.equal(status, 400, broken);
      assert.equal(body.code, "request.invalid");
      const errors = { "filter[0].value": ["has an invalid percent-encoding"] };
      assert.deepEqual(body.errors, errors, broken);
    }
  });

  it("400: where a parameter of the route or its name is broken", async () => {
    for (const [query, name] of [
      ["publish=%FF", "publish"],
      ["message=%FF", "message"],
      ["%FFx=1", "%FFx"],
      ["a%20b=%FF", "a b"],
    ] as const) {
      const body = { files: { "images/note.txt": "x" } };
      const answer = await api.patch(`/api/tenants/${TENANT}?${query}`, { key, body });
      assert.equal(answer.status, 400, query);
      assert.deepEqual(answer.body.errors[name], ["has an invalid percent-encoding"], query);
    }
  });

  it("400: at every operation", async () => {
    const parametersOf = shareParameters(api, () => "q");
    for (const operation of await readOperations(api)) {
      const known = addressOf(operation, await parametersOf(operation, TENANT));
      const address = `${known}${known.includes("?") ? "&" : "?"}colour=%FF`;
      const { status, body } = await api.request(operation.method, address, {
        key,
        ...(operation.hasBody ? { body: operation.markedBody("query") } : {}),
      });
      const errors = { colour: ["has an invalid percent-encoding"] };
      assert.deepEqual([status, body.errors], [400, errors], operation.op);
    }
  });

  it("200: a plus is a space, and what is encoded well is read", async () => {
    const data = `/api/${TENANT}/passes?filter[0].field=additionalData.offer&filter[0].operator=equals`;
    const offer = "50% of café & more 😀";
    const sent = { key, body: { additionalData: { offer } } };
    assert.equal((await api.post(`/api/${TENANT}/passes?passType=coupon`, sent)).status, 201);
    for (const text of [
      encodeURIComponent(offer),
      encodeURIComponent(offer).replaceAll("%20", "+"),
    ]) {
      const { status, body } = await api.get(`${data}&filter[0].value=${text}`, { key });
      assert.equal(status, 200);
      assert.equal(body.length, 1, text);
    }
  });
});
