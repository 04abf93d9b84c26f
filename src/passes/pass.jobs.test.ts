import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { expirePasses } from "./pass.jobs.ts";

// Without workers, which would expire the passes within a minute.
const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
for (const tenantId of ["acme", "rival"]) await seedPassTenant(api, tenantId);

const expire = () =>
  expirePasses.run(systemCall(api.runtime, "pass.expire"), {}, new AbortController().signal);
const read = async (tenantId: string, id: string) =>
  (await api.get(`/api/${tenantId}/passes/${id}`, { key })).body;
const namesOf = async (id: string) => {
  const text = "select name from event where subject = $1 order by sequence";
  return (await api.sql(text, [id])).map(({ name }) => name);
};
/** Sets the expiry to the past. */
const age = (id: string) =>
  api.sql(
    `update pass set expires_at = now() - interval '1 second', has_own_expiry = true where id = $1`,
    [id],
  );

describe("pass.expire", () => {
  it("expires what is over, in all tenants, once, with one event", async () => {
    const over = await seedPass(api, "acme");
    const foreign = await seedPass(api, "rival");
    const valid = await seedPass(api, "acme");
    const disabled = await seedPass(api, "acme");
    const body = { status: "disabled", options: { BypassQueue: true } };
    await api.patch(`/api/acme/passes/${disabled.id}`, { key, body });
    for (const { id } of [over, foreign, disabled]) await age(id);
    await Promise.all([expire(), expire()]);
    await expire();
    assert.deepEqual(await namesOf(over.id), ["pass.created", "pass.expired"]);
    assert.deepEqual(await namesOf(foreign.id), ["pass.created", "pass.expired"]);
    const pass = await read("acme", over.id);
    assert.deepEqual([pass.status, pass.version], ["expired", 2]);
    assert.equal((await read("acme", valid.id)).status, "active");
    assert.equal((await read("acme", disabled.id)).status, "disabled");
  });

  it("expires also what its template would not take any more", async () => {
    const { id } = await seedPass(api, "acme");
    await api.sql(`update pass set data = '{}' where id = $1`, [id]);
    await age(id);
    await expire();
    assert.equal((await read("acme", id)).status, "expired");
  });

  it("brings back one whose time is set anew", async () => {
    const { id } = await seedPass(api, "acme");
    await age(id);
    await expire();
    const body = { expirationDate: "2040-01-01T00:00:00Z", options: { BypassQueue: true } };
    const { body: pass } = await api.patch(`/api/acme/passes/${id}`, { key, body });
    assert.equal(pass.status, "active");
    assert.deepEqual(await namesOf(id), [
      "pass.created",
      "pass.expired",
      "pass.updated",
      "pass.enabled",
    ]);
  });
});
