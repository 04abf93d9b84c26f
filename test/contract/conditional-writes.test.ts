import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { ApiResponse } from "#test/support/client.ts";
import {
  addressOf,
  makeParameters,
  newMark,
  type Operation,
  readOperations,
} from "#test/support/operations.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

/** `If-Match` and `If-None-Match` of changes, at every operation of the served document. */

const TENANT = "harbour";
// Without workers, so that only these requests change versions.
const api = await startApi({ after }, { env: { ROLES: "api" } });
await seedPassTenant(api, TENANT);
const key = api.operatorKey;
const { body: document } = await api.get("/openapi.json");
const writes = (await readOperations(api)).filter(({ method }) => method !== "GET");

const REFUSED = [412, "request.precondition-failed"];

function documentedParts({ path, method }: Operation): boolean[] {
  const { parameters, responses } = document.paths[path][method.toLowerCase()];
  const names: string[] = parameters.map((one: { name?: string; $ref?: string }) => {
    const place = one.$ref?.slice("#/components/parameters/".length) ?? "";
    return one.name ?? document.components.parameters[place].name;
  });
  return [
    Object.hasOwn(responses, "412"),
    ...["If-Match", "If-None-Match"].map((name) => names.includes(name)),
  ];
}

async function senderOf(operation: Operation, tenantId = TENANT) {
  const address = addressOf(operation, await makeParameters(api, operation, tenantId, "if"));
  const body = operation.markedBody(newMark("if"));
  return (headers: Record<string, string>) =>
    api.request(operation.method, address, {
      key,
      headers,
      ...(body === undefined ? {} : { body }),
    });
}

function outcome({ status, body }: ApiResponse): unknown[] {
  return [status, body?.code];
}

describe("every change", () => {
  const heeding: Operation[] = [];

  it("412: its document says that it heeds If-Match and If-None-Match, exactly if it does", async () => {
    for (const operation of writes) {
      const send = await senderOf(operation);
      const heeds = (await send({ "if-match": '"none"' })).status === 412;
      if (heeds) heeding.push(operation);
      assert.deepEqual(documentedParts(operation), [heeds, heeds, heeds], operation.op);
    }
    assert.ok(heeding.length > 40);
  });

  it("412: If-None-Match: * never replaces what exists; a PUT creates what does not", async () => {
    for (const operation of heeding) {
      const send = await senderOf(operation);
      const first = await send({ "if-none-match": "*" });
      const isCreated = operation.method === "PUT" && first.status < 300;
      const answer = isCreated ? await send({ "if-none-match": "*" }) : first;
      assert.deepEqual(outcome(answer), REFUSED, `${operation.op}: ${answer.text}`);
    }
  });
});

describe("If-None-Match of a PUT", () => {
  const PRIVILEGE = { type: "MultiUse", value: 3 };

  async function privilege() {
    const pass = await seedPass(api, TENANT);
    const path = `/api/${TENANT}/passes/${pass.id}/privileges/coffee`;
    const put = (value: number, headers: Record<string, string>) =>
      api.put(path, { key, body: { ...PRIVILEGE, value }, headers });
    return { put, get: () => api.get(path, { key }) };
  }

  it("201, 412: * creates once, and changes nothing afterwards", async () => {
    const { put, get } = await privilege();
    assert.equal((await put(3, { "if-none-match": "*" })).status, 201);
    const again = await put(5, { "if-none-match": "*" });
    assert.deepEqual(outcome(again), REFUSED);
    assert.match(again.body.detail, /If-None-Match/);
    assert.equal((await get()).body.value, 3);
  });

  it("201, 412: of several that create at once, one does", async () => {
    const { put } = await privilege();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => put(n, { "if-none-match": "*" })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 412, 412, 412]);
    // Nothing is there to lock for who stores a new secret.
    const secret = (n: number) =>
      api.put(`/api/${TENANT}/secrets/RACED`, {
        key: api.operatorKey,
        body: { value: `value ${n}` },
        headers: { "if-none-match": "*" },
      });
    const stored = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(secret));
    assert.equal(stored.filter(({ status }) => status === 201).length, 1);
    assert.equal(stored.filter(({ status }) => status === 412).length, 7);
  });

  it("200, 412: a tag refuses the version it names, weak or strong, and no other", async () => {
    const { put, get } = await privilege();
    const old = (await put(3, {})).headers.get("etag") ?? "";
    const now = (await put(4, { "if-match": old })).headers.get("etag") ?? "";
    for (const header of [now, `W/${now}`, `"other", ${now}`, now.replace(/"$/, '+gzip"')]) {
      assert.deepEqual(outcome(await put(5, { "if-none-match": header })), REFUSED, header);
    }
    assert.equal((await get()).body.value, 4);
    assert.equal((await put(5, { "if-none-match": old })).status, 200);
  });

  it("412: what cannot be read protects what exists", async () => {
    const { put, get } = await privilege();
    await put(3, {});
    for (const header of ["", "1", '"1', "*, *", "'x'"]) {
      assert.deepEqual(outcome(await put(5, { "if-none-match": header })), REFUSED, header);
    }
    assert.equal((await get()).body.value, 3);
  });

  it("201, 412: a tenant is created once", async () => {
    const path = "/api/tenants/pier";
    const body = { files: { "tenant.yml": "name: Pier\n" } };
    const headers = { "if-none-match": "*" };
    assert.equal((await api.put(path, { key, body, headers })).status, 201);
    assert.deepEqual(outcome(await api.put(path, { key, body, headers })), REFUSED);
  });

  it("204, 412: settings of a connector are created once, in a tenant that exists", async () => {
    await seedPassTenant(api, "quay");
    const shopify = writes.find(({ op }) => op === "shopify.put");
    assert.ok(shopify);
    const send = await senderOf(shopify, "quay");
    assert.equal((await send({ "if-none-match": "*" })).status, 204);
    assert.deepEqual(outcome(await send({ "if-none-match": "*" })), REFUSED);
  });

  it("200: a read is not refused by it", async () => {
    const { put, get } = await privilege();
    await put(3, {});
    assert.equal((await get()).status, 200);
    const answer = await api.get(`/api/tenants/${TENANT}`, {
      key,
      headers: { accept: "application/json", "if-none-match": '"none"' },
    });
    assert.equal(answer.status, 200);
  });
});
