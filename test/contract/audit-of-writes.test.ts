import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { addressOf, makeParameters, newMark, readOperations } from "#test/support/operations.ts";
import { startApi } from "#test/support/start-api.ts";

/** Operations that change nothing although they are not GET, each with the reason. */
const CHANGES_NOTHING: Readonly<Record<string, string>> = {
  "apple-bundle-link.create": "joins addresses that the passes have already, and stores nothing",
  "bot-check.verify": "asks the vendor, and changes nothing here or there",
  "extension.test": "asks the vendor, and changes nothing here or there",
  "preview.create": "shows what files would give, and stores none of them",
  "google-account.check": "asks Google, and changes nothing here or there",
};

// Without workers: the job that erases a deleted tenant would delete its audit rows too.
const api = await startApi({ after }, { env: { ROLES: "api" } });
await api.seed.tenant("acme");
const operations = await readOperations(api);
const writes = operations.filter(
  ({ method, isPublic, op }) => method !== "GET" && !isPublic && !(op in CHANGES_NOTHING),
);

describe("every write", () => {
  it("is known by its document", () => {
    assert.ok(writes.length > 0);
    const ops = new Set(operations.map(({ op }) => op));
    assert.deepEqual(
      Object.keys(CHANGES_NOTHING).filter((op) => !ops.has(op)),
      [],
    );
  });

  for (const operation of writes) {
    it(`2xx: ${operation.op} leaves an audit row that says who, what and by which request`, async () => {
      const parameters = await makeParameters(api, operation, "acme", "audited");
      const requestId = `audit-of-${operation.op}`;
      const body = operation.markedBody(newMark("audited"));
      const { status, text } = await api.request(
        operation.method,
        addressOf(operation, parameters),
        {
          key: api.operatorKey,
          headers: { "x-request-id": requestId },
          ...(body === undefined ? {} : { body }),
        },
      );

      assert.ok(status >= 200 && status < 300, `${status} ${text}`);
      const rows = await api.sql("select * from audit where request_id = $1", [requestId]);
      assert.equal(rows.length, 1);
      const { op, tenant_id: tenantId, actor_kind: kind, actor_id: id, ip, target } = rows[0] ?? {};
      assert.deepEqual(
        { op, tenantId, kind, id, ip },
        {
          op: operation.op,
          tenantId: operation.hasTenant ? parameters.tenantId : "*",
          kind: "operator",
          id: "operator",
          ip: "127.0.0.1",
        },
      );
      assert.match(String(target), /^[a-z-]+:./);
    });
  }
});
