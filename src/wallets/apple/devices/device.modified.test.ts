import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

const SECOND_MS = 1_000;

/** One request after the other, because these tests set the clock. */
describe("Last-Modified of a pass", () => {
  const undos: (() => Promise<void>)[] = [];
  const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  const clock = { ms: Date.now(), now: () => new Date(clock.ms) };
  let api: TestApi;
  let stage: Awaited<ReturnType<typeof openAppleStage>>;
  before(async () => {
    api = await startApi(owner, { clock, env: { ROLES: "api" } });
    stage = await openAppleStage(api);
  });
  after(async () => {
    for (const undo of undos) await undo();
  });

  let changes = 0;
  /** A pass, its changes, and phones that remember what they got. */
  async function open() {
    const pass = await stage.pass();
    const phone = stage.device();
    let current = "";
    return {
      async change(): Promise<void> {
        changes += 1;
        current = `Ada ${changes}`;
        const { status, text } = await api.patch(`/api/${stage.tenantId}/passes/${pass.id}`, {
          key: api.operatorKey,
          body: { additionalData: { firstName: current }, options: { BypassQueue: true } },
        });
        assert.equal(status, 200, text);
      },
      holder() {
        let [held, since]: [string | undefined, string | undefined] = [undefined, undefined];
        return async (): Promise<number> => {
          const { status, headers } = await phone.fetch(pass, since);
          const modified = headers.get("last-modified") ?? "";
          assert.ok(Date.parse(modified) <= Date.parse(headers.get("date") ?? ""), modified);
          assert.equal(headers.get("date"), clock.now().toUTCString());
          if (status === 304) assert.equal(held, current, "a change was not sent");
          else assert.equal(status, 200);
          [held, since] = [current, modified];
          return status;
        };
      },
    };
  }

  it("of ten changes in a second, each fetched, is never ahead of the clock, and none is answered with 304", async () => {
    const { change, holder } = await open();
    const [always, once, never] = [holder(), holder(), holder()];
    assert.equal(await always(), 200);
    for (let count = 0; count < 10; count += 1) {
      await change();
      assert.equal(await always(), 200);
      if (count === 0) assert.equal(await once(), 200);
    }
    assert.deepEqual([await once(), await never()], [200, 200]);
    // Once more in a second of its own; from then on nothing is sent.
    clock.ms += SECOND_MS;
    assert.deepEqual([await always(), await once(), await never()], [200, 200, 200]);
    assert.deepEqual([await always(), await once(), await never()], [304, 304, 304]);
  });

  it("of a single change is answered with 304 at once", async () => {
    const { change, holder } = await open();
    const fetch = holder();
    assert.equal(await fetch(), 200);
    assert.equal(await fetch(), 304);
    clock.ms += SECOND_MS;
    await change();
    assert.deepEqual([await fetch(), await fetch()], [200, 304]);
  });

  it("loses no change to any phone, in any order of changes, fetches and questions", async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant("change" as const) },
      { weight: 4, arbitrary: fc.nat({ max: 2 }) },
      // The clock of another process may be behind.
      {
        weight: 1,
        arbitrary: fc.constantFrom(200, 700, SECOND_MS, -SECOND_MS).map((ms) => ({ ms })),
      },
    );
    const run = fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { change, holder } = await open();
      const holders = [holder(), holder(), holder()];
      await change();
      for (const taken of steps) {
        if (taken === "change") await change();
        else if (typeof taken === "number") await holders[taken]?.();
        else clock.ms += taken.ms;
      }
      clock.ms += 30 * SECOND_MS;
      for (const fetch of holders) await fetch();
      for (const fetch of holders) assert.equal(await fetch(), 304);
    });
    await fc.assert(run, { numRuns: 12 });
  });

  it("that a former release gave ahead of the clock does no harm", async () => {
    const { change, holder } = await open();
    const fetch = holder();
    assert.equal(await fetch(), 200);
    await api.sql("update apple_pass set modified_at = modified_at + interval '9 seconds'");
    assert.equal(await fetch(), 200);
    await change();
    assert.equal(await fetch(), 200);
    clock.ms += 12 * SECOND_MS;
    await change();
    assert.deepEqual([await fetch(), await fetch()], [200, 304]);
  });
});
