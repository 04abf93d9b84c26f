import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ByteRoom } from "./byte-room.ts";

function makeRoom(bytesMax: number, waitMsMax = 60_000, sweep = async () => undefined) {
  return new ByteRoom({ bytesMax, waitMsMax, refuse: () => new Error("no room"), sweep });
}

/** Work that the test starts and ends by hand. */
function makePiece(room: ByteRoom, group: string, bytes: number, begun: string[], name = group) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = room.run(group, bytes, () => {
    begun.push(name);
    return promise;
  });
  return {
    done,
    async end() {
      resolve();
      await done;
      await sleep(0);
    },
  };
}

describe("a room for work that holds much memory", () => {
  it("lets in as much as there is room for, and the next when some is free", async () => {
    const room = makeRoom(100);
    const begun: string[] = [];
    const pieces = [60, 40, 30].map((bytes, at) => makePiece(room, `group-${at}`, bytes, begun));
    await sleep(0);
    assert.deepEqual(begun, ["group-0", "group-1"]);

    await pieces[1]?.end();
    assert.deepEqual(begun, ["group-0", "group-1", "group-2"]);
    await Promise.all([pieces[0]?.end(), pieces[2]?.end()]);
  });

  it("lets groups take turns, and nobody overtake whoever needs much", async () => {
    const room = makeRoom(100);
    const begun: string[] = [];
    const first = makePiece(room, "busy", 100, begun, "busy 1");
    const second = makePiece(room, "busy", 50, begun, "busy 2");
    const third = makePiece(room, "busy", 50, begun, "busy 3");
    const large = makePiece(room, "other", 100, begun);
    await sleep(0);

    await first.end();
    assert.deepEqual(begun, ["busy 1", "busy 2"]);
    await second.end();
    assert.deepEqual(begun, ["busy 1", "busy 2", "other"]);
    await large.end();
    assert.deepEqual(begun, ["busy 1", "busy 2", "other", "busy 3"]);
    await third.end();
  });

  it("gives the room alone to work that needs more than there is", async () => {
    const room = makeRoom(100);
    const begun: string[] = [];
    const huge = makePiece(room, "huge", 1_000, begun);
    const small = makePiece(room, "small", 1, begun);
    await sleep(0);
    assert.deepEqual(begun, ["huge"]);
    await huge.end();
    assert.deepEqual(begun, ["huge", "small"]);
    await small.end();
  });

  it("turns away who has waited too long, and frees the way for those behind", async () => {
    const room = makeRoom(100, 20);
    const begun: string[] = [];
    const running = makePiece(room, "running", 60, begun);
    const late = makePiece(room, "late", 60, begun);
    await assert.rejects(late.done, /no room/);

    const next = makePiece(room, "next", 40, begun);
    await sleep(0);
    assert.deepEqual(begun, ["running", "next"]);
    await Promise.all([running.end(), next.end()]);
  });

  it("counts what ended work leaves behind until it is swept out", async () => {
    const sweeping = Promise.withResolvers<undefined>();
    const room = makeRoom(100, 60_000, () => sweeping.promise);
    const begun: string[] = [];
    await room.run("first", 60, async () => begun.push("first"));
    const small = makePiece(room, "small", 40, begun);
    const large = makePiece(room, "large", 60, begun);
    await sleep(0);
    assert.deepEqual(begun, ["first", "small"]);

    sweeping.resolve(undefined);
    await sleep(0);
    assert.deepEqual(begun, ["first", "small", "large"]);
    await Promise.all([small.end(), large.end()]);
  });

  it("frees the room of work that fails", async () => {
    const room = makeRoom(100);
    const failing = room.run("a", 100, () => Promise.reject(new Error("broken")));
    await assert.rejects(failing, /broken/);
    assert.equal(await room.run("b", 100, async () => "done"), "done");
  });
});
