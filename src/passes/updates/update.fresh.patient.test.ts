import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { newId } from "#kernel/ids.ts";
import { type Loaded, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { shareApi } from "#test/support/start-api.ts";

const PASSES = 20_000;
/** A tenth of the time that comparing each id with each pass takes, on a busy machine. */
const TIME_MS_MAX = 2_000;

describe("PATCH /api/:tenantId/passes right after a bulk load, of which the database knows nothing yet", () => {
  const api = shareApi();
  let loaded: Loaded;
  before(async () => {
    await seedPassTenant(api(), "acme");
    // Autovacuum is off, so the database gets no statistics about the new passes.
    await api().sql("alter table pass set (autovacuum_enabled = false)");
    await api().sql("alter table pass_identifier set (autovacuum_enabled = false)");
    loaded = await loadPasses(api().database.connection, "acme", PASSES, false);
  });

  async function patch(body: object) {
    const elapsedMs = startStopwatch();
    const sent = await api().patch("/api/acme/passes", { key: api().operatorKey, body });
    const ms = elapsedMs();
    assert.equal(sent.status, 202, sent.text);
    assert.ok(ms < TIME_MS_MAX, `answered after ${Math.round(ms)} ms`);
    return sent.body;
  }
  const additionalData = { points: 7 };

  it("202: ten thousand ids that no pass has", async () => {
    const passIds = Array.from({ length: 10_000 }, () => newId("ps"));
    const { matched, notFound } = await patch({ passIds, additionalData });
    assert.equal(matched, 0);
    assert.deepEqual(notFound, passIds.slice(0, 1_000));
  });

  it("202: ten thousand ids that passes have, and one that none has, in its place", async () => {
    const known = Array.from({ length: 9_999 }, (_, at) => loadedId(loaded, at));
    const passIds = [...known.slice(0, 500), "ps_nobody", ...known.slice(500)];
    const { matched, notFound } = await patch({ passIds, additionalData });
    assert.equal(matched, 9_999);
    assert.deepEqual(notFound, ["ps_nobody"]);
  });

  for (const [name, found] of [
    ["nobody", 0],
    ["L", 1_000],
  ] as const) {
    const sets = Array.from({ length: 1_000 }, (_, at) => ({
      "loyalty.number": `${name}${at}`,
      "crm.id": `C-${at}`,
    }));

    it(`202: a thousand sets of identifiers, of which ${found} are known`, async () => {
      const shared = await patch({ identifiers: sets, additionalData });
      assert.deepEqual([shared.matched, shared.notFound.length], [found, 1_000 - found]);
      const updates = sets.map((identifiers) => ({ identifiers, additionalData }));
      const own = await patch({ updates });
      assert.deepEqual([own.matched, own.notFound.length], [found, 1_000 - found]);
    });
  }
});
