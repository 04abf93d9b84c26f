import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { importStage, outcomeOf, processNext } from "#test/support/import-stage.ts";
import { startApi } from "#test/support/start-api.ts";
import { IMPORT_HINT } from "./file.signal.ts";
import { findNextReadyAt, listTenantsWithFiles } from "./file-claim.repository.ts";
import {
  ClaimLost,
  failImport,
  finishImport,
  releaseFile,
  renewClaims,
} from "./file-claim.service.ts";

let now = new Date("2026-03-01T12:00:00.000Z");
const api = await startApi({ after }, { env: { ROLES: "api" }, clock: { now: () => now } });
const key = api.operatorKey;
const system = systemCall(api.runtime, "import.work");

let tenants = 0;

async function newStage() {
  tenants += 1;
  const tenantId = `acme-${tenants}`;
  await api.seed.tenant(tenantId);
  return { ...importStage(api, tenantId), tenantId };
}

/** As if the worker had died half a minute ago. */
const loseClaims = () =>
  api.sql("update import_file set claimed_until = now() where claim is not null");

describe("claiming files", () => {
  it("gives one file of a tenant at a time, the oldest first, to one of many workers", async () => {
    const stage = await newStage();
    const [first, second] = [await stage.pending("1"), await stage.pending("2")];
    assert.deepEqual(await listTenantsWithFiles(system), [stage.tenantId]);
    const claims = await Promise.all(Array.from({ length: 8 }, () => stage.claim()));
    const [won, ...more] = claims.filter((claim) => claim !== undefined);
    assert.deepEqual([won?.file.id, more.length], [first, 0]);
    assert.equal(await stage.claim(), undefined);
    assert.ok(won !== undefined);
    await stage.finish(won);
    assert.equal((await stage.claim())?.file.id, second);
  });

  it("gives a file whose worker died again, with the rows that are done; the dead one changes nothing", async () => {
    const stage = await newStage();
    const id = await stage.pending();
    const dead = await stage.claim();
    assert.ok(dead !== undefined);
    await stage.record(dead, [outcomeOf(1), outcomeOf(2)], 10);
    await loseClaims();
    assert.ok((await listTenantsWithFiles(system)).includes(stage.tenantId));
    const next = await stage.claim();
    assert.deepEqual([next?.file.id, next?.file.rows, next?.file.bytesDone], [id, 2, 10]);
    assert.ok(next !== undefined);
    await assert.rejects(stage.record(dead, [outcomeOf(3)], 20), ClaimLost);
    await assert.rejects(stage.finish(dead), ClaimLost);
    await assert.rejects(stage.fail(dead, "x"), ClaimLost);
    await stage.record(next, [outcomeOf(3)], 20);
    await assert.rejects(stage.record(next, [outcomeOf(3)], 20), ClaimLost);
    await assert.rejects(stage.record(next, [outcomeOf(5)], 20), ClaimLost);
    await stage.finish(next);
    const { body } = await stage.log(id);
    assert.deepEqual(
      body.map(({ row }: { row: number }) => row),
      [1, 2, 3],
    );
    assert.equal((await stage.get(id)).body.created, 3);
  });

  it("keeps claims that are renewed, and gives a file that was released at once", async () => {
    const stage = await newStage();
    await stage.pending();
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    await loseClaims();
    const renewed = await renewClaims(system, [claimed.claim, randomUUID()]);
    assert.deepEqual(renewed, [claimed]);
    assert.equal(await stage.claim(), undefined);
    await releaseFile(stage.context, claimed);
    assert.equal((await stage.claim())?.file.id, claimed.file.id);
  });

  it("gives up a file at which its worker dies again and again, and says so", async () => {
    const stage = await newStage();
    const id = await stage.pending();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      assert.equal((await stage.claim())?.file.id, id);
      await loseClaims();
    }
    assert.equal(await stage.claim(), undefined);
    const { body } = await stage.get(id);
    assert.equal(body.status, "error");
    assert.match(body.problem, /given up/);
    const events = await api.sql("select name from event where data ->> 'importId' = $1", [id]);
    assert.deepEqual(events, [{ name: "import.failed" }]);
  });

  it("ends a cancelled import whose worker died", async () => {
    const stage = await newStage();
    const id = await stage.pending();
    await stage.claim();
    assert.equal((await api.delete(`${stage.base}/${id}`, { key })).status, 202);
    await loseClaims();
    assert.equal(await stage.claim(), undefined);
    assert.equal((await stage.get(id)).body.problem, "The import was cancelled.");
  });
});

describe("the same contents", () => {
  it("are imported once: the second file is done at once, and names the first", async () => {
    const stage = await newStage();
    await stage.pending("same");
    const first = await processNext(stage);
    const second = await stage.pending("same", "fileName=other.csv");
    assert.equal(await stage.claim(), undefined);
    const { body } = await stage.get(second);
    assert.deepEqual([body.status, body.duplicateOf, body.rows], ["processed", first, 0]);
    assert.equal(
      body.problem,
      "This file has the same contents as 'members.csv' of 2026-03-01, which was imported. Nothing was done.",
    );
    const events = await api.sql(
      `select name, data ->> 'duplicateOf' as "duplicateOf" from event where data ->> 'importId' = $1`,
      [second],
    );
    assert.deepEqual(events, [{ name: "import.completed", duplicateOf: first }]);
    assert.equal((await stage.log(second)).text, "[]");
  });

  it("are imported again if it is asked for, in a dry run, and where nothing came of them", async () => {
    const stage = await newStage();
    await stage.pending("again", "fileName=a.csv&dryRun=true");
    await processNext(stage);
    const failed = outcomeOf(1, { outcome: "failed" });
    await stage.pending("again");
    await processNext(stage, [failed]);
    await stage.pending("again");
    await processNext(stage);
    const dry = await stage.pending("again", "fileName=a.csv&dryRun=true");
    assert.equal(await processNext(stage), dry);
    const forced = await stage.pending("again", "fileName=a.csv&again=true");
    assert.equal(await processNext(stage), forced);
    assert.equal((await stage.get(forced)).body.duplicateOf, null);
  });

  it("are imported again if rows of them failed, until none does", async () => {
    const stage = await newStage();
    await stage.pending("some failed");
    await processNext(stage, [outcomeOf(1), outcomeOf(2, { outcome: "failed", passId: null })]);
    const second = await stage.pending("some failed");
    assert.equal(await processNext(stage, [outcomeOf(1, { outcome: "unchanged" })]), second);
    assert.equal((await stage.get(second)).body.problem, null);
    const third = await stage.pending("some failed");
    assert.equal(await stage.claim(), undefined);
    assert.equal((await stage.get(third)).body.duplicateOf, second);
  });

  it("send no message twice: what failed beside messages is to be sent alone", async () => {
    const stage = await newStage();
    await stage.pending("messages");
    const message = "The message was sent to its holder.";
    await processNext(stage, [
      outcomeOf(1, { outcome: "updated", message }),
      outcomeOf(2, { outcome: "failed", passId: null }),
    ]);
    const second = await stage.pending("messages");
    assert.equal(await stage.claim(), undefined);
    const { body } = await stage.get(second);
    assert.equal(body.status, "processed");
    assert.match(body.problem, /which sent messages\..* Send the row that failed/);
  });

  it("set values back if other contents of the name were imported since", async () => {
    const stage = await newStage();
    await stage.pending("on Monday");
    await processNext(stage);
    await stage.pending("on Tuesday");
    await processNext(stage);
    const third = await stage.pending("on Monday");
    assert.equal(await processNext(stage), third);
    const fourth = await stage.pending("on Monday", "fileName=elsewhere.csv");
    assert.equal(await stage.claim(), undefined);
    assert.equal((await stage.get(fourth)).body.duplicateOf, third);
  });

  it("of another tenant are none of this tenant's business", async () => {
    const [stage, other] = [await newStage(), await newStage()];
    await stage.pending("shared");
    await processNext(stage);
    const id = await other.pending("shared");
    assert.equal(await processNext(other), id);
    assert.equal((await other.get(id)).body.duplicateOf, null);
  });
});

describe("a file that is not ready yet", () => {
  it("waits until its time comes, which workers can ask for", async () => {
    const stage = await newStage();
    const id = await stage.pending();
    const readyAt = new Date(now.getTime() + 2_000);
    await api.sql("update import_file set ready_at = $2 where id = $1", [id, readyAt]);
    assert.equal(await stage.claim(), undefined);
    assert.deepEqual(await findNextReadyAt(stage.context), readyAt);
    now = readyAt;
    assert.equal((await stage.claim())?.file.id, id);
  });

  it("behind an import is not asked for again and again: its turn is told when that ends", async () => {
    const stage = await newStage();
    for (const end of [finishImport, failImport]) {
      await stage.pending(`running, ${end.name}`);
      const claimed = await stage.claim();
      assert.ok(claimed !== undefined);
      const id = await stage.pending(`waiting, ${end.name}`);
      assert.equal(await findNextReadyAt(stage.context), undefined);
      const hints = await stage.context.transaction(async (tx) => {
        await end(tx, claimed, "It cannot be read.");
        return tx.pendingHints.filter(({ channel }) => channel === IMPORT_HINT);
      });
      assert.deepEqual(hints, [{ channel: IMPORT_HINT, payload: stage.tenantId }]);
      assert.notEqual(await findNextReadyAt(stage.context), undefined);
      const next = await stage.claim();
      assert.equal(next?.file.id, id);
      // Nobody is told of the death of a worker, so the file behind is looked for again.
      await stage.pending(`third, ${end.name}`);
      await loseClaims();
      assert.notEqual(await findNextReadyAt(stage.context), undefined);
      assert.ok(next !== undefined);
      await stage.finish(next);
      const third = await stage.claim();
      assert.ok(third !== undefined);
      await stage.finish(third);
    }
  });
});
