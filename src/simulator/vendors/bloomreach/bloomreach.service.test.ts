import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startVendors } from "#test/support/vendors.ts";
import type { ProjectCreate } from "./bloomreach.schema.ts";

/** JSON of any shape. */
type Answer = ReturnType<typeof JSON.parse>;
type Owner = { after(undo: () => Promise<void>): void };

const ADA = { registered: "ada@example.com" };

async function openProject(owner: Owner, wish: ProjectCreate = {}) {
  const vendors = await startVendors(owner);
  const { bloomreach } = vendors;
  const project = bloomreach.createProject(wish);
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    { token = project.token, id = project.apiKeyId, secret = project.apiKeySecret } = {},
  ): Promise<{ status: number; body: Answer }> => {
    const [area, rest] = [path.split(" ")[0], path.split(" ")[1]];
    const response = await fetch(`${bloomreach.url}/${area}/v2/projects/${token}/${rest}`, {
      method,
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { vendors, bloomreach, project, call };
}

const event = (type: string, timestamp: number, ids: object = ADA) => ({
  customer_ids: ids,
  event_type: type,
  timestamp,
  properties: { pass: "p1" },
});

describe("Bloomreach's customer data API", () => {
  it("tells a good key from what is wrong with another", async (t) => {
    const { call, bloomreach, project } = await openProject(t, { categories: ["mail", "sms"] });
    const time = await call("GET", "track system/time");
    assert.deepEqual([time.status, time.body.success, time.body.errors], [200, true, []]);
    assert.equal(typeof time.body.time, "number");
    const categories = await call("GET", "data consent/categories");
    assert.deepEqual(
      categories.body.results.map(({ id }: Answer) => id),
      ["mail", "sms"],
    );
    for (const path of ["track system/time", "data consent/categories"]) {
      const wrong = await call("GET", path, undefined, { secret: "x" });
      assert.deepEqual([wrong.status, wrong.body.error], [403, "invalid secret"]);
      const unknown = await call("GET", path, undefined, { id: "x" });
      assert.deepEqual([unknown.status, unknown.body.error], [401, "Access key not found"]);
      const elsewhere = await call("GET", path, undefined, { token: "x" });
      assert.equal(elsewhere.status, 400);
      assert.match(elsewhere.body.error, /Could not authenticate|Invalid project id/);
    }
    const bare = await fetch(`${bloomreach.url}/track/v2/projects/${project.token}/system/time`);
    assert.equal(bare.status, 401);
    assert.equal(((await bare.json()) as Answer).error, "Access key not provided");
  });

  it("keeps customers, and lets no older update replace a newer one", async (t) => {
    const { call } = await openProject(t);
    const update = (tier: string, update_timestamp: number) =>
      call("POST", "track customers", {
        customer_ids: ADA,
        properties: { tier },
        update_timestamp,
      });
    await update("gold", 200);
    await update("silver", 100);
    const { body } = await call("POST", "data customers/attributes", {
      customer_ids: ADA,
      attributes: [
        { type: "property", property: "tier" },
        { type: "id", id: "registered" },
        { type: "property", property: "none" },
      ],
    });
    assert.deepEqual(
      body.results.map(({ value }: Answer) => value),
      ["gold", "ada@example.com", null],
    );
  });

  it("answers attributes in the order they were asked for, each with its own refusal", async (t) => {
    const { call, bloomreach } = await openProject(t, { forbiddenAttributes: ["salary"] });
    bloomreach.putCustomer({
      customer_ids: ADA,
      properties: { first_name: "Ada", salary: 1 },
      computed: { vip: "yes" },
      consents: { newsletter: true },
    });
    const { body } = await call("POST", "data customers/attributes", {
      customer_ids: ADA,
      attributes: [
        { type: "property", property: "salary" },
        { type: "segmentation", id: "vip" },
        { type: "consent", category: "newsletter", mode: "valid" },
        { type: "property", property: "first_name" },
      ],
    });
    assert.deepEqual(body, {
      success: true,
      results: [
        { success: false, error: "No permission" },
        { success: true, value: "yes" },
        { success: true, value: true },
        { success: true, value: "Ada" },
      ],
    });
  });

  it("takes a batch in part, and a 200 says which", async (t) => {
    const { call, bloomreach } = await openProject(t, { forbiddenEvents: ["secret_event"] });
    const commands = [
      { name: "customers/events", command_id: "a", data: event("pass_created", 2) },
      { name: "customers/events", command_id: "b", data: event("secret_event", 3) },
      { name: "customers/events", data: event("pass_scanned", 1, {}) },
      { name: "customers", data: { customer_ids: ADA, properties: { tier: "gold" } } },
      { name: "system/time" },
    ];
    const { status, body } = await call("POST", "track batch", { commands });
    assert.equal(status, 200);
    assert.equal(body.success, true);
    const results: Answer[] = body.results;
    assert.deepEqual(
      results.map(({ success }) => success),
      [true, false, false, true, true],
    );
    assert.equal(results[0].command_id, "a");
    assert.ok(Array.isArray(results[1].errors));
    assert.deepEqual(
      bloomreach.arrivals.map(({ name }) => name),
      ["customers/events", "customers"],
    );
  });

  it("refuses a batch of 51 whole, and single commands with a 200", async (t) => {
    const { call, bloomreach } = await openProject(t);
    const commands = Array.from({ length: 51 }, () => ({ name: "system/time" }));
    const large = await call("POST", "track batch", { commands });
    assert.equal(large.status, 400);
    assert.equal(typeof large.body.message, "string");
    const nobody = await call("POST", "track customers/events", event("x", 1, {}));
    assert.deepEqual([nobody.status, nobody.body.success], [200, false]);
    const inMilliseconds = await call("POST", "track customers/events", event("x", 1.7e12));
    assert.equal(inMilliseconds.body.success, false);
    assert.deepEqual(bloomreach.arrivals, []);
  });

  it("exports and anonymizes one customer", async (t) => {
    const { call } = await openProject(t);
    await call("POST", "track customers/events", event("second", 2));
    await call("POST", "track customers/events", event("first", 1));
    const exported = await call("POST", "data customers/export-one", { customer_ids: ADA });
    assert.deepEqual(
      exported.body.events.map(({ type }: Answer) => type),
      ["first", "second"],
    );
    assert.equal(
      (await call("POST", "data customers/anonymize", { customer_ids: ADA })).status,
      200,
    );
    const gone = await call("POST", "data customers/export-one", { customer_ids: ADA });
    assert.equal(gone.status, 404);
    assert.deepEqual(gone.body.errors, { _global: ["Customer does not exist"] });
  });

  it("drops what comes above its limit, until the next minute", async (t) => {
    const { vendors, bloomreach, call, project } = await openProject(t, { requestsPerMinute: 2 });
    const send = async (name: string) =>
      (await call("POST", "track customers/events", event(name, 1))).status;
    assert.deepEqual([await send("a"), await send("b"), await send("c")], [200, 200, 429]);
    assert.equal(project.dropped, 1);
    await vendors.advance(60_000);
    assert.equal(await send("d"), 200);
    assert.deepEqual(
      bloomreach.events().map(({ event_type }) => event_type),
      ["a", "b", "d"],
    );
  });
});
