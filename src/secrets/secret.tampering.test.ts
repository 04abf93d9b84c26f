import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { putSecret, readSecret, shredTenantKeys } from "./public.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await api.seed.tenant("acme");
await api.seed.tenant("rival");

const at = (tenantId: string, name: string) => `/api/${tenantId}/secrets/${name}`;
const callOf = (tenantId: string) => systemCall(api.runtime, "secret.test", { tenantId });

async function store(tenantId: string, name: string, value: string): Promise<void> {
  const res = await api.put(at(tenantId, name), { key, body: { value } });
  assert.ok(res.status < 300, res.text);
}

/** The status is 409 and not 500, because storing the value again repairs the secret. */
async function assertUnreadable(tenantId: string, name: string): Promise<void> {
  const logged = api.logLines.length;
  const res = await api.get(at(tenantId, name), { key });
  assert.equal(res.status, 409, res.text);
  assert.equal(res.body.code, "secret.unreadable");
  assert.doesNotMatch(res.text, /plum|damson/);
  const lines = api.logLines.slice(logged).filter((line) => line.includes('"level":"error"'));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /"secretId":"sec_/);
  assert.doesNotMatch(lines[0] ?? "", /plum|damson/);
}

const COPY = `update secret set sealed = source.sealed, data_key_id = source.data_key_id
                from secret as source
               where secret.tenant_id = $1 and secret.key = $2
                 and source.tenant_id = $3 and source.key = $4`;

describe("a secret in the database", () => {
  it("409: moved to another key of its tenant (secret.get)", async () => {
    await store("acme", "plain", "plum");
    await store("acme", "other", "damson");
    await api.sql(COPY, ["acme", "other", "acme", "plain"]);
    await assertUnreadable("acme", "other");
    assert.equal((await api.get(at("acme", "plain"), { key })).body.value, "plum");
  });

  it("409: moved to another tenant, alone and with its data key", async () => {
    await store("acme", "moved", "plum");
    await store("rival", "moved", "damson");
    await api.sql(COPY.replace(", data_key_id = source.data_key_id", ""), [
      "rival",
      "moved",
      "acme",
      "moved",
    ]);
    await assertUnreadable("rival", "moved");
    await api.sql(`insert into secret_data_key
                   select 'rival', id, wrapped, created_at from secret_data_key
                    where tenant_id = 'acme'`);
    await api.sql(COPY, ["rival", "moved", "acme", "moved"]);
    await assertUnreadable("rival", "moved");
  });

  it("409: changed in a byte, cut, emptied; then stored again and well", async () => {
    const damages = [
      "set_byte(sealed, 0, get_byte(sealed, 0) # 1)",
      "set_byte(sealed, 20, get_byte(sealed, 20) # 1)",
      "substring(sealed from 1 for length(sealed) - 12)",
      "''::bytea",
    ];
    for (const damage of damages) {
      await store("acme", "damaged", "plum");
      await api.sql(`update secret set sealed = ${damage} where key = 'damaged'`);
      await assertUnreadable("acme", "damaged");
      await assert.rejects(readSecret(callOf("acme"), "damaged"), { code: "secret.unreadable" });
    }
    await store("acme", "damaged", "damson");
    assert.equal(await readSecret(callOf("acme"), "damaged"), "damson");
  });

  it("409: a damaged data key; what is stored next has a new one", async () => {
    await api.seed.tenant("hurt");
    await store("hurt", "before", "plum");
    await api.sql(`update secret_data_key set wrapped = set_byte(wrapped, 20, 0) || '\\x00'
                    where tenant_id = 'hurt'`);
    await assertUnreadable("hurt", "before");
    await store("hurt", "after", "damson");
    assert.equal((await api.get(at("hurt", "after"), { key })).body.value, "damson");
    assert.equal((await api.delete(at("hurt", "before"), { key })).status, 204);
  });

  it("is under a data key of its own tenant, and under a new one after thirty days", async () => {
    await api.seed.tenant("aged");
    await store("aged", "first", "plum");
    await store("aged", "second", "plum");
    await api.sql(`update secret_data_key set created_at = created_at - interval '31 days'
                    where tenant_id = 'aged'`);
    await store("aged", "second", "damson");
    const rows = await api.sql(`select count(distinct data_key_id)::int as keys,
                                       count(distinct substring(sealed from 2 for 12))::int as nonces
                                  from secret where tenant_id = 'aged'`);
    assert.deepEqual(rows, [{ keys: 2, nonces: 2 }]);
    assert.equal((await api.get(at("aged", "first"), { key })).body.value, "plum");
    assert.equal((await api.get(at("aged", "second"), { key })).body.value, "damson");
  });
});

describe("what other modules may do with secrets", () => {
  it("store one with a change of their own, or not at all", async () => {
    const call = callOf("acme");
    const { sealer } = api.runtime;
    await call.transaction((tx) => putSecret(tx, sealer, "CDP-APIKEYSECRET", "plum"));
    assert.equal(await readSecret(call, "CDP-APIKEYSECRET"), "plum");
    const failing = call.transaction(async (tx) => {
      await putSecret(tx, sealer, "CDP-APIKEYSECRET", "damson");
      throw new Error("the change fails");
    });
    await assert.rejects(failing, /the change fails/);
    assert.equal(await readSecret(call, "CDP-APIKEYSECRET"), "plum");
    assert.equal(await readSecret(callOf("rival"), "CDP-APIKEYSECRET"), undefined);
  });

  it("destroy a tenant's keys: its ciphertext is dead and no other tenant notices", async () => {
    await store("acme", "lasting", "plum");
    await store("rival", "lasting", "damson");
    const kept = await api.sql("select * from secret where tenant_id = 'acme' and key = 'lasting'");
    await callOf("acme").transaction(shredTenantKeys);
    assert.equal(await readSecret(callOf("acme"), "lasting"), undefined);
    assert.equal(await readSecret(callOf("rival"), "lasting"), "damson");

    await store("acme", "lasting", "damson");
    await api.sql("update secret set sealed = $1 where tenant_id = 'acme' and key = 'lasting'", [
      kept[0]?.sealed,
    ]);
    await assertUnreadable("acme", "lasting");
  });

  it("go with their tenant", async () => {
    await api.seed.tenant("leaving");
    await store("leaving", "last", "plum");
    await api.sql("delete from tenant where id = 'leaving'");
    const left = "select tenant_id from secret_data_key where tenant_id = 'leaving'";
    assert.deepEqual(await api.sql(left), []);
    assert.deepEqual(await api.sql(left.replace("secret_data_key", "secret")), []);
  });
});
