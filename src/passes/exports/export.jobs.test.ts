import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { provide } from "#kernel/port.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { columnSources } from "./export.columns.ts";

/** Values of privileges come when a test lets them: a pass can change between two steps of an export. */
let pause: { readonly reached: () => void; readonly go: Promise<void> } | undefined;
const slowColumns = {
  prefix: "privileges.",
  columnsOf: () => [],
  async read() {
    pause?.reached();
    await pause?.go;
    return new Map();
  },
};
const paused = await startApi({ after }, { provides: [provide(columnSources, slowColumns)] });
const api = await startApi({ after });
const key = api.operatorKey;
const SCHEDULE = `tasks:
  - { id: all, kind: export, cron: "0 4 * * *" }
  - { id: cards, kind: export, cron: "0 4 * * *", settings: { passType: loyalty, status: active } }
  - id: chosen
    kind: export
    cron: "0 4 * * *"
    settings:
      passType: loyalty
      columns: [passId, additionalData.firstName, identifiers.crm.id, privileges.points, metadata.crm.tier]
`;
await seedPassTenant(api, "acme", { "server/schedule.yml": SCHEDULE });

async function exported(taskId: string) {
  const execution = await finishTask(api, "acme", taskId);
  assert.equal(execution.status, "succeeded", JSON.stringify(execution));
  const path = `/api/acme/scheduler/${taskId}/executions/${execution.executionId}/file`;
  const { text, headers } = await api.get(path, { key });
  const [head = "", ...lines] = text.trimEnd().split("\r\n");
  return { execution, path, head: head.split(","), lines, headers };
}

describe("export", () => {
  it("writes what every pass has and what the templates name, one line for each pass", async () => {
    const card = await seedPass(api, "acme");
    const offer = { additionalData: { offer: "Tea" } };
    const coupon = (await api.post("/api/acme/passes?passType=coupon", { key, body: offer })).body;
    const { execution, head, lines, headers } = await exported("all");
    assert.deepEqual(execution.counts, { passes: 2 });
    assert.match(execution.file.name, /^passes-\d{4}-\d\d-\d\d\.csv$/);
    assert.equal(execution.file.rows, 2);
    assert.match(headers.get("content-type") ?? "", /^text\/csv/);
    assert.match(headers.get("content-disposition") ?? "", /attachment; filename="passes-/);
    assert.deepEqual(head.slice(0, 3), ["passId", "passType", "status"]);
    for (const column of [
      "identifiers.loyalty.number",
      "identifiers.crm.id",
      "additionalData.firstName",
      "privileges.points",
    ]) {
      assert.ok(head.includes(column), column);
    }
    assert.deepEqual(
      lines.map((line) => line.split(",").slice(0, 2)),
      [
        [card.id, "loyalty"],
        [coupon.id, "coupon"],
      ],
    );
  });

  it("has the columns that were chosen, exact values, and nothing that a spreadsheet runs", async () => {
    const identifiers = { "loyalty.number": "77", "crm.id": '=HYPERLINK("x")' };
    const additionalData = { firstName: "Ana, María" };
    const { id } = await seedPass(api, "acme", { identifiers, additionalData });
    const movement = { body: { value: 12.3456 }, key };
    await api.post(`/api/acme/passes/${id}/privileges/points/movements`, movement);
    await api.sql(`update pass set metadata = '{"crm": {"tier": "@gold"}}' where id = $1`, [id]);
    const { head, lines } = await exported("chosen");
    assert.deepEqual(head, [
      "passId",
      "additionalData.firstName",
      "identifiers.crm.id",
      "privileges.points",
      "metadata.crm.tier",
    ]);
    assert.equal(
      lines.find((line) => line.startsWith(id)),
      `${id},"Ana, María","'=HYPERLINK(""x"")",12.3456,'@gold`,
    );
  });

  it("leaves out passes of other types and states", async () => {
    const { id } = await seedPass(api, "acme");
    const body = { status: "disabled", options: { BypassQueue: true } };
    await api.patch(`/api/acme/passes/${id}`, { key, body });
    const { lines } = await exported("cards");
    assert.ok(lines.length > 0);
    assert.ok(lines.every((line) => line.includes(",loyalty,active,")));
  });

  it("keeps no line of a pass that is erased later, in any file", async () => {
    const { id } = await seedPass(api, "acme");
    const kept = await seedPass(api, "acme");
    const files = [await exported("all"), await exported("all")];
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
    for (const { path, execution } of files) {
      const { text } = await api.get(path, { key });
      assert.equal(text.includes(id), false);
      assert.equal(text.includes(kept.id), true);
      const address = path.replace(/\/file$/, "");
      const shown = await api.get(address, { key });
      assert.equal(shown.body.file.rows, execution.file.rows - 1);
      assert.equal(shown.body.file.sizeBytes, Buffer.byteLength(text));
    }
  });

  it("writes no line of a pass that is erased after it was read", async () => {
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await seedPassTenant(paused, "swift", { "server/schedule.yml": SCHEDULE });
    const erased = await seedPass(paused, "swift");
    const kept = await seedPass(paused, "swift");
    pause = { reached: reached.resolve, go: go.promise };
    const path = "/api/swift/scheduler/chosen/executions";
    const { headers } = await paused.post(path, { key });
    await reached.promise;
    assert.equal((await paused.delete(`/api/swift/passes/${erased.id}`, { key })).status, 204);
    go.resolve();
    const read = () => paused.get(headers.get("location") ?? "", { key });
    await until(async () => (await read()).body.status === "succeeded");
    const { text } = await paused.get(`${headers.get("location")}/file`, { key });
    assert.deepEqual([text.includes(erased.id), text.includes(kept.id)], [false, true]);
    const { file, counts } = (await read()).body;
    assert.deepEqual([file.rows, counts], [1, { passes: 1 }]);
  });

  it("keeps the files of the last ten runs of a task", async () => {
    await seedPassTenant(api, "often", { "server/schedule.yml": SCHEDULE });
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      ids.push((await finishTask(api, "often", "cards")).executionId);
    }
    const statuses = await Promise.all(
      ids.map(async (id) => {
        const path = `/api/often/scheduler/cards/executions/${id}/file`;
        return (await api.get(path, { key })).status;
      }),
    );
    assert.deepEqual(statuses, [404, 404, ...Array<number>(10).fill(200)]);
  });

  it("401, 403, 404: its file is for those who may read passes of the tenant", async () => {
    const { path } = await exported("cards");
    await api.seed.tenant("rival");
    const foreign = await api.seed.key("rival", "Pass.Read");
    const historian = await api.seed.key("acme", "Scheduler.History");
    const reader = await api.seed.key("acme", "Pass.Read");
    assert.equal((await api.get(path)).status, 401);
    assert.equal((await api.get(path, { key: foreign })).status, 401);
    assert.equal((await api.get(path, { key: historian })).status, 403);
    assert.equal((await api.get(path, { key: reader })).status, 200);
    const elsewhere = path.replace("/api/acme/", "/api/rival/");
    assert.equal((await api.get(elsewhere, { key })).status, 404);
  });
});
