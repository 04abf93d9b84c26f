import assert from "node:assert/strict";
import { it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { abortAfter } from "#test/support/abort-after.ts";
import { startApi } from "#test/support/start-api.ts";
import { purgeNonces } from "./callback.jobs.ts";

it("google-nonce.purge deletes expired nonces in batches, and stops when it is told to", async (t) => {
  const api = await startApi(t, { env: { ROLES: "api" } });
  await api.seed.tenant("acme");
  await api.sql(
    `insert into google_nonce (tenant_id, nonce, expires_at)
     select 'acme', 'old-' || n, now() - interval '2 hours' from generate_series(1, 2500) as n
      union all select 'acme', 'new', now()`,
  );
  const left = async () => (await api.sql("select nonce from google_nonce order by nonce")).length;
  const purge = (signal: AbortSignal) =>
    purgeNonces.run(systemCall(api.runtime, purgeNonces.name), {}, signal);
  await purge(AbortSignal.abort());
  assert.equal(await left(), 2_501);
  await purge(abortAfter(1));
  assert.equal(await left(), 1_501);
  await purge(new AbortController().signal);
  assert.deepEqual(await api.sql("select nonce from google_nonce"), [{ nonce: "new" }]);
});
