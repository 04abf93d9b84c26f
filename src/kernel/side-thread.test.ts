import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProblemError } from "./errors.ts";
import { SideThread } from "./side-thread.ts";

/** A program that answers with the message itself, or does what the message says. */
const ECHO = `
  import { parentPort } from "node:worker_threads";
  let count = 0;
  parentPort.on("message", (ask) => {
    if (ask === "hang") for (;;);
    if (ask === "fail") throw new Error("a mistake");
    if (ask === "grow") { const all = []; for (;;) all.push(new Array(100_000).fill(all.length)); }
    count += 1;
    parentPort.postMessage(ask + " " + count);
  });
`;

function echo({ answerMsMax = 10_000, waitingMax = 10 } = {}) {
  return new SideThread<string, string>({
    program: new URL(`data:text/javascript,${encodeURIComponent(ECHO)}`),
    waitingPerGroupMax: 10,
    waitingMax,
    waitMsMax: 10_000,
    answerMsMax,
    memoryMbMax: 32,
  });
}

const isBusy = (error: unknown) => error instanceof ProblemError && error.status === 503;

describe("SideThread", () => {
  it("belongs to one caller until it is done, and to the groups in turn", async () => {
    const thread = echo();
    const order: string[] = [];
    const work = (group: string) =>
      thread.run(group, async (exchange) => {
        order.push(await exchange(group), await exchange(group));
      });
    await Promise.all([work("a"), work("a"), work("b")]);
    assert.deepEqual(order, ["a 1", "a 2", "b 3", "b 4", "a 5", "a 6"]);
  });

  it("503: one that takes too long is ended, and the next caller gets a new one", async () => {
    // The limit also covers the start of a new thread, even on a busy machine.
    const thread = echo({ answerMsMax: 2_000 });
    await assert.rejects(
      thread.run("a", (exchange) => exchange("hang")),
      isBusy,
    );
    assert.equal(await thread.run("a", (exchange) => exchange("again")), "again 1");
  });

  it("503: one that needs too much memory is ended, and the process lives on", async () => {
    const thread = echo();
    await assert.rejects(
      thread.run("a", (exchange) => exchange("grow")),
      isBusy,
    );
    assert.equal(await thread.run("a", (exchange) => exchange("again")), "again 1");
  });

  it("tells its own mistakes apart from what it was asked for", async () => {
    const thread = echo();
    await assert.rejects(
      thread.run("a", (exchange) => exchange("fail")),
      /a mistake/,
    );
    assert.equal(await thread.run("a", (exchange) => exchange("again")), "again 1");
  });

  it("503: whoever finds too many waiting is turned away at once", async () => {
    const thread = echo({ waitingMax: 1 });
    const ask = (group: string) => thread.run(group, (exchange) => exchange(group));
    const first = [ask("a"), ask("b")];
    await assert.rejects(ask("c"), isBusy);
    assert.deepEqual(await Promise.all(first), ["a 1", "b 2"]);
  });
});
