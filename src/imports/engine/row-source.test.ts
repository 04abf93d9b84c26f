import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { importStage } from "#test/support/import-stage.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { mappingGroundOf } from "../mapping/mapping.service.ts";
import { RowSource } from "./row-source.service.ts";

const MIB = 1024 * 1024;
const api = await startApi({ after }, { env: { ROLES: "api" } });

describe("a batch of rows", () => {
  it("is bounded by what its rows take, and no row is left out", async () => {
    await seedPassTenant(api, "wide");
    const stage = importStage(api, "wide");
    const row = (at: number) => `loyalty;N${at};${"x".repeat(at <= 20 ? 1_000_000 : 10)}`;
    const rows = Array.from({ length: 120 }, (_, at) => row(at + 1));
    const head = "passType;identifiers.loyalty.number;additionalData.firstName";
    await stage.pending([head, ...rows].join("\n"));
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    const ground = await mappingGroundOf(stage.context);
    const source = new RowSource(stage.context, claimed.file, ground);
    const sizes: number[] = [];
    const seen: number[] = [];
    let bytes = 0;
    for (let batch = await source.next(500); batch; batch = await source.next(500)) {
      sizes.push(batch.rows.length);
      seen.push(...batch.rows.map((one) => one.row));
      assert.ok(batch.bytesDone - bytes < 4 * MIB, `${batch.bytesDone - bytes} bytes at once`);
      bytes = batch.bytesDone;
    }
    assert.ok(Math.max(...sizes.slice(0, -1)) <= 4, JSON.stringify(sizes));
    assert.deepEqual(
      seen,
      rows.map((_, at) => at + 1),
    );
    // One that goes on passes over what is done, and has its first batch full all the same.
    const later = new RowSource(stage.context, { ...claimed.file, rows: 20 }, ground);
    assert.equal((await later.next(500))?.rows.length, 100);
  });
});
