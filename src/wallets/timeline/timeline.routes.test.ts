import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { readTimelineCursor, writeTimelineCursor } from "./timeline.cursor.ts";

type Entry = {
  readonly at: string;
  readonly kind: string;
  readonly name: string;
  readonly eventId: string | null;
  readonly requestId: string | null;
  readonly reference: { readonly type: string; readonly id: string } | null;
  readonly details: Readonly<Record<string, unknown>>;
};

describe("GET /api/:tenantId/passes/:passId/timeline (pass.list-timeline)", () => {
  // Nobody answers at this address, so what was pushed is written by the tests.
  const api = shareApi({ env: { APNS_URL: "https://127.0.0.1:9" } });
  let stage: Awaited<ReturnType<typeof openAppleStage>>;
  before(async () => {
    stage = await openAppleStage(api());
  });
  const at = (passId: string, query = "") =>
    `/api/${stage.tenantId}/passes/${passId}/timeline${query}`;
  const read = async (passId: string, query = "") => {
    const answer = await api().get(at(passId, query), { key: api().operatorKey });
    assert.equal(answer.status, 200, answer.text);
    const body: Entry[] = answer.body;
    return { body, headers: answer.headers };
  };
  const asOperator = (requestId: string, body?: unknown) => ({
    key: api().operatorKey,
    headers: { "x-request-id": requestId },
    body,
  });

  it("200: changes, movements, scans, pushes and fetches, newest first, with their requests", async () => {
    const pass = await stage.pass();
    const phone = stage.device();
    await phone.fetch(pass);
    assert.equal((await phone.register(pass)).status, 201);
    const path = `/api/${stage.tenantId}/passes/${pass.id}`;
    const queued = await api().patch(
      path,
      asOperator("by-queue-1", { additionalData: { firstName: "Ada", tier: "Deck" } }),
    );
    await finishedJob(api(), stage.tenantId, queued.body.jobId);
    await api().post(`${path}/privileges/points/movements`, asOperator("by-till-1", { value: 5 }));
    await api().post(
      `/api/${stage.tenantId}/scans`,
      asOperator("by-gate-1", { data: pass.id, type: "qrcode" }),
    );
    await api().sql(
      `update apple_delivery set state = 'pushed', pushed_at = now(), pushes = 1, last_status = 200
        where pass_id = $1 and state = 'queued'`,
      [pass.id],
    );
    await phone.ask();
    await phone.fetch(pass);
    await until(async () => (await stage.events(pass)).includes("pass.update-delivered"));

    const { body } = await read(pass.id, "?pageSize=100");
    const of = (name: string) => body.find((entry) => entry.name === name);
    const times = body.map((entry) => entry.at);
    assert.deepEqual(times, times.toSorted().reverse());
    assert.equal(body.at(-1)?.name, "pass.created");
    const updated = of("pass.updated");
    assert.equal(updated?.requestId, "by-queue-1");
    assert.deepEqual(updated?.details.changed, ["additionalData.firstName", "additionalData.tier"]);
    const moved = of("privilege.moved");
    assert.deepEqual(
      [moved?.requestId, moved?.reference?.type, moved?.details.valueAfter],
      ["by-till-1", "movement", 5],
    );
    const scanned = of("scan.recorded");
    assert.deepEqual(
      [scanned?.requestId, scanned?.reference?.type, scanned?.details.decision],
      ["by-gate-1", "scan", "accepted"],
    );
    const pushed = of("apple.pushed");
    assert.deepEqual(
      [pushed?.kind, pushed?.eventId, pushed?.reference?.type, pushed?.details.status],
      ["push", null, "device", 200],
    );
    assert.notEqual(pushed?.reference?.id, phone.id);
    assert.equal(of("apple.asked")?.kind, "question");
    assert.ok(of("pass.installed")?.requestId);
    assert.ok(of("pass.update-delivered")?.requestId);
  });

  it("200: page by page, each entry once, although many have the same time", async () => {
    const { id } = await stage.pass();
    await api().sql(
      `insert into event (tenant_id, id, name, occurred_at, data, subject)
       select $1, 'evt_page_' || n, 'pass.updated', '2026-01-31T09:30:00Z', '{}', $2
         from generate_series(1, 25) as n`,
      [stage.tenantId, id],
    );
    const seen: string[] = [];
    let query = "?pageSize=4";
    for (;;) {
      const { body, headers } = await read(id, query);
      seen.push(...body.map(({ eventId }) => String(eventId)));
      const next = /[?&](cursor=[^&>]+)/.exec(headers.get("link") ?? "")?.[1];
      if (next === undefined) break;
      query = `?pageSize=4&${next}`;
    }
    assert.equal(seen.length, 26);
    assert.equal(new Set(seen).size, 26);
  });

  it("400: a cursor that is none; 404: a pass that is none, or of another tenant", async () => {
    const { id } = await stage.pass();
    const key = api().operatorKey;
    for (const cursor of ["x", "Zm9v", writeTimelineCursor({ at: new Date(0), passed: 9_999 })]) {
      assert.equal((await api().get(at(id, `?cursor=${cursor}`), { key })).status, 400, cursor);
    }
    assert.equal((await api().get(at("ps_unknown"), { key })).status, 404);
    const other = await openAppleStage(api());
    const foreign = await api().get(`/api/${other.tenantId}/passes/${id}/timeline`, { key });
    assert.equal(foreign.status, 404);
  });

  it("reads the cursors that it writes", () => {
    const place = { at: new Date("2026-01-31T09:30:00.123Z"), passed: 7 };
    assert.deepEqual(readTimelineCursor(writeTimelineCursor(place)), place);
  });
});
