import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { sql } from "#kernel/db/sql.ts";
import { installPass, openAppleStage, startApiWithApns } from "#test/support/apple-stage.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";
import { listDueTenants } from "../push/push.repository.ts";
import { tellAllAsBefore } from "./fan-out.jobs.ts";
import { tellAllDevices } from "./fan-out.service.ts";

const BATCH = 500;
const { apns, api } = await startApiWithApns({ after });

describe("the worker that pushes", () => {
  async function installOne() {
    const stage = await openAppleStage(api);
    const { pass, phone } = await installPass(stage);
    const call = systemCall(api.runtime, "test.push", { tenantId: stage.tenantId });
    return { stage, pass, phone, call };
  }

  it("tells publications that a node enqueued before the upgrade", async () => {
    const { stage, pass, call } = await installOne();
    await call.transaction(async (tx) => tx.enqueue(tellAllAsBefore, { after: "pas_z" }));
    await until(async () => (await stage.deliveries(pass)).deliveries[0]?.state === "pushed");
  });

  it("takes a step of a publication between full batches of what is due", async () => {
    const { stage, phone, call } = await installOne();
    const { id } = await stage.pass();
    const count = 4.4 * BATCH;
    const { tenantId, passType } = stage;
    await api.sql(
      `insert into apple_pass (tenant_id, pass_id, pass_type, revision, tag, modified_at)
       values ($1, $2, 'coupon', 1, 1, now())`,
      [tenantId, id],
    );
    await api.sql(
      `with device as (
         insert into apple_device (tenant_id, device_id, pass_type_identifier, push_token, token_at)
         select $1, 'busy-' || number, $3, lpad(to_hex(number), 64, '0'), now()
           from generate_series(1, $4::integer) as number
         returning device_id
       )
       insert into apple_delivery (tenant_id, pass_id, device_id, pass_type_identifier, revision, state,
                                   queued_at, next_push_at)
       select $1, $2, device_id, $3, 1, 'queued', now(), now() + interval '1 hour' from device`,
      [tenantId, id, passType, count],
    );
    apns.received.length = 0;
    await call.transaction(async (tx) => {
      tx.defer(sql`update apple_delivery set next_push_at = ${tx.now} where pass_id = ${id}`);
      await tellAllDevices(tx);
    });
    await until(() => apns.received.length > count);
    const place = apns.received.findIndex(({ token }) => token === phone.pushToken);
    assert.ok(place >= 0 && place < 3 * BATCH, String(place));
  });

  it("does not look again and again at an unfinished batch while pushes rest", async () => {
    const { stage, call } = await installOne();
    const { tenantId } = stage;
    await api.sql(
      `insert into apple_push_pause (tenant_id, kind, reason, since, until, count)
       values ($1, 'refused', 'BadCertificate', now(), now() + interval '1 hour', 1)`,
      [tenantId],
    );
    await api.sql(
      `insert into apple_push_batch (tenant_id, claim, after_pass_id, last_pass_id, claimed_until)
       values ($1, gen_random_uuid(), '', 'z', now())`,
      [tenantId],
    );
    const listed = async () =>
      (await listDueTenants(systemCall(api.runtime, "test.push"), new Date())).includes(tenantId);
    assert.equal(await listed(), false);
    await api.sql("delete from apple_push_pause where tenant_id = $1", [tenantId]);
    await call.transaction(async (tx) => tx.hint(PUSH_HINT, tenantId));
    const batches = "select from apple_push_batch where tenant_id = $1";
    await until(async () => (await api.sql(batches, [tenantId])).length === 0);
  });
});
