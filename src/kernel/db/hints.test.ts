import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { HintSender } from "./hints.ts";

function collect() {
  const sent: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const sender = new HintSender((hints) => {
    sent.push(hints);
    return new Promise((resolve) => ends.push(resolve));
  });
  return { sent, sender, end: () => ends.shift()?.() };
}

describe("hints", () => {
  it("of one turn go out in one message, each once", async () => {
    const { sent, sender, end } = collect();
    for (const hint of ["a", "b", "a"]) sender.add(hint);
    await Promise.resolve();
    assert.deepEqual(sent, [["a", "b"]]);
    end();
    await sender.settle();
  });

  it("collect while a message is under way, and a moment longer", async () => {
    const { sent, sender, end } = collect();
    sender.add("a");
    await Promise.resolve();
    for (const hint of ["a", "c", "c"]) sender.add(hint);
    assert.deepEqual(sent, [["a"]]);
    end();
    await nextTurn();
    sender.add("d");
    assert.deepEqual(sent, [["a"]]);
    while (sent.length < 2) await nextTurn();
    assert.deepEqual(sent, [["a"], ["a", "c", "d"]]);
    end();
    await sender.settle();
  });

  it("that cannot be sent are lost, and later ones are not", async () => {
    const sent: string[] = [];
    let isAway = true;
    const sender = new HintSender(async (hints) => {
      if (isAway) throw new Error("away");
      sent.push(...hints);
    });
    sender.add("lost");
    await sender.settle();
    isAway = false;
    sender.add("kept");
    await sender.settle();
    assert.deepEqual(sent, ["kept"]);
  });
});
