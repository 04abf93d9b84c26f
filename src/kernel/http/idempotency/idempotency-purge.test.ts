import assert from "node:assert/strict";
import { it } from "node:test";
import { collectLog, lendDatabase, testClock } from "#test/support/kernel.ts";
import { systemCall } from "../../call.ts";
import type { Runtime } from "../../runtime.ts";
import { purgeIdempotentAnswers } from "./idempotency-purge.ts";

it("answers older than a day go, of every tenant and in any number; younger ones stay", async (t) => {
  const database = await lendDatabase(t);
  await database.sql(`
    insert into idempotent_answer
      (tenant_id, credential_id, op, key_hash, body_hash, answer, created_at)
    select tenant, 'key', 'thing.make', decode(md5(n::text), 'hex'), 'hash', 'sealed',
           now() - case when n > 3 then interval '25 hours' else interval '23 hours' end
      from generate_series(1, 1203) as n, unnest(array['acme', 'rival']) as tenant`);
  const { log } = collectLog();
  const runtime = { db: database.open(1), clock: testClock, log } as Runtime;
  const call = systemCall(runtime, purgeIdempotentAnswers.name);
  await purgeIdempotentAnswers.run(call, {}, new AbortController().signal);
  const left = "select tenant_id, count(*)::int from idempotent_answer group by 1 order by 1";
  assert.deepEqual(await database.sql(left), [
    { tenant_id: "acme", count: 3 },
    { tenant_id: "rival", count: 3 },
  ]);
});
