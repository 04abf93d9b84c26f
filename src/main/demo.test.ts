import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilSettled } from "#test/support/until-settled.ts";
import { seedDemo } from "./demo.ts";

const api = await startApi({ after }, { env: { DEMO: "1" } });
const demo = api.application.firstStart?.demo;
const key = demo?.token;
const JOBS = { "pass.update": 1, "pass.notify": 1 };

async function list(path: string): Promise<Record<string, unknown>[]> {
  const { status, body, text } = await api.get(`/api/demo/${path}`, { key });
  assert.equal(status, 200, text);
  return body;
}

function count(rows: readonly Record<string, unknown>[], ...names: string[]) {
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const group = names.map((name) => row[name]).join(" ");
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

describe("the demo tenant of a first start", () => {
  it("200: has passes of every type and state", async () => {
    assert.deepEqual(count(await list("passes?pageSize=500"), "passType", "status"), {
      "loyalty active": 13,
      "loyalty disabled": 1,
      "coupon active": 4,
      "coupon expired": 2,
      "event-ticket active": 6,
      "membership active": 4,
    });
  });

  it("200: has customers with passes, events and a job", async () => {
    const customers = await list("customers");
    assert.equal(customers.length, 8);
    const amelie = customers.find(({ firstName }) => firstName === "Amélie");
    const hers = await list(`customers/${amelie?.customerId}/passes`);
    assert.deepEqual(count(hers, "passType"), { membership: 1, coupon: 1, loyalty: 1 });

    await untilSettled(api);
    const events = count(await list("events?pageSize=500"), "event");
    assert.equal(events["pass.created"], 30);
    assert.equal(events["customer.created"], 8);
    for (const name of ["pass.updated", "pass.disabled", "pass.notified"]) {
      assert.ok((events[name] ?? 0) > 0, name);
    }
    assert.deepEqual(count(await list("jobs"), "kind"), JOBS);
  });

  it("200: its passes say something to their holders", async () => {
    for (const { id } of await list("passes?pageSize=500")) {
      const { status, text } = await api.get(`/api/demo/passes/${id}/content?locale=fr`, { key });
      assert.equal(status, 200, text);
    }
  });

  it("200: has receipts, to which cards link", async () => {
    const [receipt, ...others] = await list("receipts");
    assert.equal(others.length, 2);
    const { body, text } = await api.get(`/api/demo/passes/${receipt?.passId}`, { key });
    assert.equal(body.metadata.receipts.url, receipt?.url, text);
    const content = await api.get(`/api/demo/passes/${receipt?.passId}/content`, { key });
    assert.ok(content.text.includes(String(receipt?.url)), content.text);
    const page = await api.get(new URL(String(receipt?.url)).pathname);
    assert.ok(page.status === 200 && page.text.includes("Café Lune Marais"), page.text);
  });

  it("is filled once: a start that was not told of fills nothing again", async () => {
    const again = await seedDemo(systemCall(api.runtime, "demo.seed"));
    assert.notEqual(again?.token, key);
    assert.equal((await list("passes?pageSize=500")).length, 30);
    assert.equal((await list("customers")).length, 8);
    assert.equal((await list("receipts")).length, 3);
  });

  it("is filled to the end by the start after one that was killed half way", async () => {
    await api.sql("delete from job");
    for (const { id, passType } of await list("passes?pageSize=500")) {
      if (passType !== "loyalty") await api.delete(`/api/demo/passes/${id}`, { key });
    }
    const hugo = (await list("customers")).find(({ firstName }) => firstName === "Hugo");
    await api.delete(`/api/demo/customers/${hugo?.customerId}`, { key });

    await seedDemo(systemCall(api.runtime, "demo.seed"));

    assert.equal((await list("passes?pageSize=500")).length, 30);
    assert.equal((await list("customers")).length, 8);
    assert.deepEqual(count(await list("jobs"), "kind"), JOBS);
  });
});
