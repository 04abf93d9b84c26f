import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { allRoutes } from "#main/modules.ts";
import type { ApiResponse } from "#test/support/client.ts";
import { inTurn } from "#test/support/combinations.ts";
import {
  addressOf,
  makeParameters,
  type Operation,
  readOperations,
  shareParameters,
} from "#test/support/operations.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

/** What every operation of the served document accepts and refuses, and with which words. */

const TENANT = "harbour";
const api = await startApi({ after });
await seedPassTenant(api, TENANT);
const key = api.operatorKey;
const operations = await readOperations(api);

/** Without the operations that would end the tenant or change its pass types. */
const harmless = operations.filter(({ endsTenant, op }) => !endsTenant && op !== "tenant.put");

async function addressFor(operation: Operation): Promise<string> {
  return addressOf(operation, await makeParameters(api, operation, TENANT, "q"));
}

const toRefuse = shareParameters(api, () => "q");

/** Where everything is refused before anything is done, so that others can be sent there as well. */
async function refusedAddress(operation: Operation): Promise<string> {
  return addressOf(operation, await toRefuse(operation, TENANT));
}

function withQuery(address: string, query: string): string {
  return `${address}${address.includes("?") ? "&" : "?"}${query}`;
}

describe("query parameters", () => {
  it("400: one that an operation does not know is named, by every operation", async () => {
    for (const operation of operations) {
      const address = withQuery(await refusedAddress(operation), "colour=red");
      const body = operation.hasBody ? { body: operation.markedBody("query") } : {};
      const { status, body: problem } = await api.request(operation.method, address, {
        key,
        ...body,
      });
      assert.equal(status, 400, operation.op);
      assert.deepEqual(
        problem.errors,
        { colour: ["is not a parameter of this operation"] },
        operation.op,
      );
    }
  });

  it("400: those of a list are none elsewhere", async () => {
    for (const operation of operations.filter(({ isList }) => !isList)) {
      const address = withQuery(await refusedAddress(operation), "pageIndex=0");
      const { status } = await api.request(operation.method, address, { key });
      assert.equal(status, 400, operation.op);
    }
  });

  it("400: a parameter that is sent twice, or is no number or truth value", async () => {
    const tries = [
      [`/api/${TENANT}/passes?passType=a&passType=b`, "POST", "passType", "must not be repeated"],
      [`/api/tenants/${TENANT}?version=`, "GET", "version", "must be a whole number"],
      [`/api/tenants/${TENANT}?version=true`, "GET", "version", "must be a whole number"],
      [`/api/tenants/${TENANT}?version=1.5`, "GET", "version", "must be a whole number"],
      [`/api/tenants/${TENANT}?version=0`, "GET", "version", "must be at least 1"],
      [`/api/tenants/${TENANT}?draft=maybe`, "GET", "draft", "must be true or false"],
      [`/api/tenants/${TENANT}?draft=`, "GET", "draft", "must be true or false"],
      [`/api/${TENANT}/events?pageSize=many`, "GET", "pageSize", "must be a whole number"],
      [`/api/${TENANT}/passes?=5`, "GET", '""', "is not a parameter of this operation"],
      [`/api/${TENANT}/jobs/x?=5`, "GET", '""', "is not a parameter of this operation"],
      [
        `/api/${TENANT}/jobs/x?__proto__=1`,
        "GET",
        "__proto__",
        "is not a parameter of this operation",
      ],
      [
        `/api/${TENANT}/passes/pass-x?__proto__=1&__proto__=2`,
        "DELETE",
        "__proto__",
        "is not a parameter of this operation",
      ],
      [
        `/api/${TENANT}/passes?__proto__=1`,
        "GET",
        "__proto__",
        "is not a parameter of this operation",
      ],
    ] as const;
    for (const [path, method, name, reason] of tries) {
      const { status, body } = await api.request(method, path, { key });
      assert.equal(status, 400, path);
      assert.deepEqual(body.errors[name], [reason], path);
    }
  });
});

describe("bodies", () => {
  it("200: publishing needs none", async () => {
    await api.seed.tenant("lighthouse");
    const files = { "images/note.txt": "summer" };
    await api.patch("/api/tenants/lighthouse?publish=false", { key, body: { files } });
    const { status, text } = await api.post("/api/tenants/lighthouse/publish", { key });
    assert.equal(status, 200, text);
  });

  it("says in the document where none is needed: wherever an empty object is enough", async () => {
    const { body: document } = await api.get("/openapi.json");
    for (const { op, url, method, upload } of allRoutes()) {
      const path = url.replaceAll(/:(\w+)/g, "{$1}");
      const sent = document.paths[path][method.toLowerCase()].requestBody;
      if (sent === undefined) continue;
      const without = await tryWithout(op, undefined);
      const withEmpty = await tryWithout(op, {});
      // A file is taken whatever is in it, and read later.
      const expected = upload === undefined ? without.status : 202;
      assert.equal(withEmpty.status, expected, `${op}: ${without.text} ${withEmpty.text}`);
      const needsBody = without.body?.detail?.startsWith("This operation needs a body: ") === true;
      assert.equal(sent.required === true, needsBody, op);
    }
  });

  async function tryWithout(op: string, body: unknown): Promise<ApiResponse> {
    const operation = operations.find((known) => known.op === op);
    assert.ok(operation);
    return await api.request(operation.method, await addressFor(operation), {
      key,
      ...(body === undefined ? {} : { body }),
    });
  }

  it("400: a number in additionalData that would come back changed is named", async () => {
    const path = `/api/${TENANT}/passes?passType=coupon`;
    const post = (price: string) =>
      api.post(path, {
        key,
        rawBody: `{"additionalData":{"price":${price}}}`,
        headers: { "content-type": "application/json" },
      });
    for (const price of ["123456789012345.1234", "0.10000000000000000001", "9007199254740993"]) {
      const { status, body } = await post(price);
      assert.equal(status, 400, price);
      assert.deepEqual(Object.keys(body.errors), ["additionalData.price"]);
      assert.match(body.errors["additionalData.price"][0], /more digits than can be kept/);
    }
    for (const price of ["12345678901.1234", "0.30000000000000004", "1.50"]) {
      const { status, body } = await post(price);
      assert.equal(status, 201, price);
      assert.equal(body.additionalData.price, Number(price));
    }
  });

  it("415: names every type that the operation takes", async () => {
    const { body: document } = await api.get("/openapi.json");
    for (const operation of operations.filter(({ hasBody }) => hasBody)) {
      const { requestBody } = document.paths[operation.path][operation.method.toLowerCase()];
      const types = Object.keys(requestBody.content);
      if (types.includes("*/*")) continue;
      const last = types.pop();
      const address = await refusedAddress(operation);
      for (const type of ["text/html", "nonsense", "application/x-zip"]) {
        const { status, body } = await api.request(operation.method, address, {
          key,
          rawBody: "hello",
          headers: { "content-type": type },
        });
        assert.equal(status, 415, operation.op);
        assert.equal(body.detail, `Send ${types.join(", ")} or ${last}.`, operation.op);
      }
    }
  });
});

describe("the endpoint of a webhook", () => {
  it("400: without // and a host", async () => {
    const bad = [
      ...["https:hooks.example", "https:/hooks.example/x", "https:///hooks.example/x", "https://"],
      ...["http:hooks.example", "https:\\\\hooks.example", "https://?x", "https://#x", "//hooks"],
      ...["https:/\\hooks.example/x", "https://\\hooks.example", "hooks.example/x", "https://:443"],
    ];
    for (const endpoint of bad) {
      const body = { events: ["pass.*"], endpoint };
      const { status, body: problem } = await api.post(`/api/${TENANT}/webhooks`, { key, body });
      assert.equal(status, 400, endpoint);
      assert.deepEqual(Object.keys(problem.errors), ["endpoint"], endpoint);
      assert.equal(problem.errors.endpoint.length, 1, endpoint);
    }
  });

  it("200: with both, however it is spelt", async () => {
    for (const endpoint of ["https://hooks.example", "HTTPS://Hooks.Example:8443/x?y#z"]) {
      const body = { events: ["pass.*"], endpoint };
      assert.equal((await api.post(`/api/${TENANT}/webhooks`, { key, body })).status, 200);
    }
  });
});

describe("the words of a refusal", () => {
  const LONG = "x".repeat(70_000);
  const BAD: readonly unknown[] = [
    ...[5, -1, 1.5, 1e12, "", " ", "x", "a b", "ä@@", LONG, "\u0007", true, null],
    ...[[], [5], [null], ["", ""], ["x", "x"], {}, { x: 5 }, { "": "" }, [[]], [{}], { x: {} }],
  ];
  /** Regular expressions and words of the validation library, which callers do not understand. */
  const JARGON =
    /[\^\\]|\[[A-Za-z0-9_.-]*-[A-Za-z0-9_.-]*\]|match|pattern|schema|format "|any allowed form|undefined|regular|instance|integer|boolean|array/i;

  /** Yields copies of the body, each with the value at one place replaced. */
  function* spoiled(body: unknown, bad: unknown): Generator<unknown> {
    yield bad;
    if (typeof body !== "object" || body === null) return;
    for (const [name, value] of Object.entries(body)) {
      for (const inner of spoiled(value, bad)) {
        yield Array.isArray(body)
          ? body.map((item, at) => (String(at) === name ? inner : item))
          : { ...body, [name]: inner };
      }
    }
  }

  function assertPlain({ status, body, text }: ApiResponse, place: () => string): void {
    if (status !== 500 && (status !== 400 || body.errors === undefined)) return;
    const where = place();
    assert.notEqual(status, 500, `${where}: ${text}`);
    for (const [field, reasons] of Object.entries<string[]>(body.errors)) {
      // A checked set of files may have several mistakes in one file.
      if (body.code === "configuration.invalid") continue;
      assert.equal(reasons.length, 1, `${where}: ${text}`);
      assert.doesNotMatch(reasons[0] ?? "", JARGON, `${where}, ${field}`);
    }
  }

  for (const operation of harmless.filter(({ hasBody }) => hasBody)) {
    it(`400: one reason in plain words for each field (${operation.op})`, async () => {
      const address = await addressFor(operation);
      const good = operation.markedBody("q");
      for (const bad of BAD) {
        for (const body of spoiled(good, bad)) {
          const answer = await api.request(operation.method, address, { key, body });
          assertPlain(answer, () => `${operation.op} ${JSON.stringify(body).slice(0, 200)}`);
        }
      }
    });
  }

  const BAD_IN_ADDRESS = ["%20", "..%5C", "%5E", "5", "x".repeat(300), "%C3%A4"];

  it("400: the same for what stands in the path", async () => {
    for (const operation of harmless) {
      const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      for (const name of names.filter((known) => known !== "tenantId")) {
        for (const bad of BAD_IN_ADDRESS) {
          const address = addressOf(operation, { tenantId: TENANT, [name]: bad });
          const answer = await api.request(operation.method, address, { key });
          assertPlain(answer, () => `${operation.op} ${address}`);
        }
      }
    }
  });

  it("400: the same for what stands in the query", async () => {
    const { body: document } = await api.get("/openapi.json");
    for (const [place, operation] of harmless.entries()) {
      const { parameters } = document.paths[operation.path][operation.method.toLowerCase()];
      for (const name of ["locale", "version"]) {
        const isKnown = JSON.stringify(parameters).includes(name);
        // The value of a parameter that the operation does not know is never read, so one is enough.
        for (const bad of isKnown ? BAD_IN_ADDRESS : inTurn(BAD_IN_ADDRESS, place)) {
          const address = withQuery(addressOf(operation, { tenantId: TENANT }), `${name}=${bad}`);
          const answer = await api.request(operation.method, address, { key });
          assertPlain(answer, () => `${operation.op} ${address}`);
        }
      }
    }
  });

  it("400: says what a field may be", async () => {
    const webhooks = `/api/${TENANT}/webhooks`;
    const hook = { events: ["pass.*"], endpoint: "https://hooks.example" };
    const customers = `/api/${TENANT}/customers`;
    const keys = `/api/${TENANT}/admin/apiKeys`;
    const tries: readonly [path: string, body: unknown, field: string, reason: string][] = [
      [webhooks, { ...hook, description: 5 }, "description", "must be a string or null"],
      [webhooks, { ...hook, events: [] }, "events", "must not be empty"],
      [webhooks, { ...hook, events: "pass.*" }, "events", "must be a list"],
      [webhooks, { ...hook, events: [5] }, "events[0]", "must be a string"],
      [webhooks, { ...hook, enabled: "yes" }, "enabled", "must be true or false"],
      [
        webhooks,
        { ...hook, endpoint: "x" },
        "endpoint",
        "must be an address such as https://example.com/path",
      ],
      [webhooks, [], "$", "must be an object"],
      [customers, { email: "x" }, "email", "must be an email address"],
      [
        customers,
        { phone: "0123" },
        "phone",
        "must be a phone number with its country code, such as +33142720000",
      ],
      [customers, { locale: "?" }, "locale", "must be a language tag, such as de or pt-BR"],
      [customers, { consents: { news: {} } }, "consents.news.granted", "is required"],
      [customers, { firstName: "" }, "firstName", "must not be empty"],
      [customers, { firstName: LONG }, "firstName", "must not have more than 200 characters"],
      [customers, { identifiers: { "crm.id": 5 } }, "identifiers.crm.id", "must be a string"],
      [
        keys,
        { name: "a\nb", scopes: ["Pass.Read"] },
        "name",
        "must be 1 to 64 letters, digits, spaces, '.', '_' or '-', without a space at either end",
      ],
      [
        keys,
        { name: "x", scopes: ["Pass.Read", "Pass.Read"] },
        "scopes",
        "must not have the same entry twice",
      ],
      [
        keys,
        { name: "x", scopes: ["Pass.Read"], expiresAt: "soon" },
        "expiresAt",
        "must be a date and time with its offset from UTC, such as 2026-01-31T09:30:00Z",
      ],
      [
        keys,
        { name: "x", scopes: ["Pass.Read"], colour: "red" },
        "colour",
        "is not a known property",
      ],
    ];
    for (const [path, body, field, reason] of tries) {
      const answer = await api.post(path, { key, body });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(answer.body.errors[field], [reason], answer.text);
    }
  });
});
