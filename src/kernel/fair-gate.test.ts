import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FairGate } from "./fair-gate.ts";

/** Says nothing of who waits: it may be others of the same group, or all groups together. */
const BUSY = {
  code: "service.busy",
  message: "There is too much work of this kind at the moment. Try again shortly.",
};

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("FairGate", () => {
  it("lets a newcomer in before the rest of a crowd", async () => {
    const gate = new FairGate({ atOnceMax: 1, waitingPerGroupMax: 10 });
    const order: string[] = [];
    const work = (name: string) =>
      gate.run(name, async () => {
        await turn();
        order.push(name);
      });
    await Promise.all([work("a"), work("a"), work("a"), work("b")]);
    assert.deepEqual(order, ["a", "b", "a", "a"]);
  });

  it("runs one of each group, and never more than it may", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (names, atOnceMax) => {
          const gate = new FairGate({ atOnceMax, waitingPerGroupMax: 100 });
          const running: string[] = [];
          let done = 0;
          await Promise.all(
            names.map((name) =>
              gate.run(name, async () => {
                assert.ok(!running.includes(name));
                running.push(name);
                assert.ok(running.length <= atOnceMax);
                await turn();
                running.splice(running.indexOf(name), 1);
                done += 1;
              }),
            ),
          );
          assert.equal(done, names.length);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("503: turns away who has too many waiting, and goes on after work that fails", async () => {
    const gate = new FairGate({ atOnceMax: 1, waitingPerGroupMax: 1 });
    const failing = gate.run("a", () => Promise.reject(new Error("no")));
    const second = gate.run("a", async () => "second");
    await assert.rejects(
      gate.run("a", async () => undefined),
      { ...BUSY, reason: "the line of the group is full" },
    );
    await assert.rejects(failing, /no/);
    assert.equal(await second, "second");
    assert.equal(await gate.run("b", async () => "third"), "third");
  });

  it("503: turns away who comes when too many of all groups wait, and who has waited too long", async () => {
    const gate = new FairGate({
      atOnceMax: 1,
      waitingPerGroupMax: 5,
      waitingMax: 2,
      waitMsMax: 20,
    });
    const done = Promise.withResolvers<string>();
    const first = gate.run("a", () => done.promise);
    const late = [gate.run("b", async () => "b"), gate.run("c", async () => "c")];
    await assert.rejects(
      gate.run("d", async () => "d"),
      { ...BUSY, reason: "the line of all groups is full" },
    );
    for (const waiting of late) {
      await assert.rejects(waiting, { ...BUSY, reason: "waited too long in line" });
    }
    done.resolve("a");
    assert.equal(await first, "a");
    assert.equal(await gate.run("b", async () => "again"), "again");
  });
});
