import assert from "node:assert/strict";
import { after, it } from "node:test";
import fc from "fast-check";
import { sql } from "#kernel/db/sql.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });

const value = fc.oneof(
  fc.constantFrom("5", 5, -5, true, "true", "x".repeat(300), null, [1]),
  fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("5", 5, "y"), { maxKeys: 2 }),
);
const document = fc.dictionary(fc.constantFrom("a", "b", "a.b"), value, { maxKeys: 3 });
const contents = fc.record({ data: document, metadata: document });

it("five thousand values of a pass, some with dots, are replaced within the time of a statement", async () => {
  const dataOf = (text: string) => {
    const group = () =>
      Object.fromEntries(Array.from({ length: 49 }, (_, at) => [`m${at}`, `${text}${at}`]));
    return JSON.stringify({
      "x.y": text,
      ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`g${at}`, group()])),
    });
  };
  await api.sql(
    `insert into pass (tenant_id, id, pass_type, status, identifiers, data, metadata, secret,
                       created_at, updated_at)
     values ('acme', 'ps_many', 'loyalty', 'active', '{}', $1, '{}', 's', now(), now())`,
    [dataOf("a")],
  );
  await api.runtime.db.read("acme", sql`update pass set data = ${dataOf("b")}::jsonb`);
  const [known, right] = await Promise.all([
    api.sql("select term from pass_term order by term"),
    api.sql("select term from pass, pass_terms(data, metadata) as term order by term"),
  ]);
  assert.equal(known.length, 5_001);
  assert.deepEqual(known, right);
});

it("property: the terms of a pass are those of what it holds, whatever it held before", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(contents, { minLength: 2, maxLength: 5 }), async (history) => {
      await api.sql("delete from pass");
      for (const [at, { data, metadata }] of history.entries()) {
        const values = [JSON.stringify(data), JSON.stringify(metadata)];
        await api.sql(
          at === 0
            ? `insert into pass (tenant_id, id, pass_type, status, identifiers, data, metadata,
                                 secret, created_at, updated_at)
               values ('acme', 'ps_1', 'loyalty', 'active', '{}', $1, $2, 's', now(), now())`
            : "update pass set data = $1, metadata = $2",
          values,
        );
        const [known, right] = await Promise.all([
          api.sql("select term from pass_term order by term"),
          api.sql("select term from pass, pass_terms(data, metadata) as term order by term"),
        ]);
        assert.deepEqual(known, right);
      }
      await api.sql("delete from pass");
      assert.deepEqual(await api.sql("select term from pass_term"), []);
    }),
    { numRuns: 300 },
  );
});
