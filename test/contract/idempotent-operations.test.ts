import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { addressOf, makeParameters, newMark, readOperations } from "#test/support/operations.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
await seedPassTenant(api, "acme");
const posts = (await readOperations(api)).filter(
  ({ method, isPublic }) => method === "POST" && !isPublic,
);

describe("every POST with an Idempotency-Key", () => {
  it("is known by its document", () => assert.ok(posts.length > 5));

  for (const operation of posts) {
    // A new node has nothing in its caches, so it must read everything it needs from the database.
    it(`2xx: ${operation.op} needs one connection at a time, and gives its answer again`, async (t) => {
      const node = await api.node({ DATABASE_POOL_SIZE: "2" }, { owner: t });
      const parameters = await makeParameters(api, operation, "acme", "once");
      const body = operation.markedBody(newMark("once"));
      const send = () =>
        node.request(operation.method, addressOf(operation, parameters), {
          key: api.operatorKey,
          headers: { "idempotency-key": `once-${operation.op}` },
          ...(body === undefined ? {} : { body }),
        });

      const first = await send();
      assert.ok(first.status >= 200 && first.status < 300, `${first.status} ${first.text}`);
      const again = await send();
      assert.equal(again.headers.get("idempotency-replayed"), "true");
      assert.deepEqual([again.status, again.text], [first.status, first.text]);
    });
  }
});
