import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { createSealer, MARK_BYTES } from "./sealer.ts";

const [old, current] = [randomBytes(32), randomBytes(32)];
const plain = Buffer.from("a text worth sealing");

describe("createSealer", () => {
  const sealer = createSealer([current, old]);
  const sealed = sealer.seal("cookie", "here", plain);

  it("opens what it sealed, for the same purpose and place only", () => {
    assert.deepEqual(sealer.open("cookie", "here", sealed), plain);
    assert.equal(sealer.open("cookie", "there", sealed), undefined);
    assert.equal(sealer.open("signing", "here", sealed), undefined);
  });

  it("opens nothing that was changed in any byte, cut or prolonged", () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(sealer.open("cookie", "here", changed), undefined, `byte ${at}`);
      assert.equal(sealer.open("cookie", "here", sealed.subarray(0, at)), undefined, `cut ${at}`);
    }
    assert.equal(sealer.open("cookie", "here", Buffer.concat([sealed, Buffer.of(0)])), undefined);
  });

  it("never seals twice alike", () => {
    assert.notDeepEqual(sealer.seal("cookie", "here", plain), sealed);
  });

  it("seals with the first key and opens with all of them", () => {
    const before = createSealer([old]).seal("cookie", "here", plain);
    assert.deepEqual(sealer.open("cookie", "here", before), plain);
    assert.equal(createSealer([old]).open("cookie", "here", sealed), undefined);
    assert.deepEqual(createSealer([current]).open("cookie", "here", sealed), plain);
  });

  it("makes codes that are the same each time, by purpose and key, the current one first", () => {
    const codes = (keys: [Buffer, ...Buffer[]], purpose = "cursor") => [
      ...createSealer(keys).macs(purpose, plain),
    ];
    assert.deepEqual(codes([current, old]), [...codes([current]), ...codes([old])]);
    assert.deepEqual(codes([current]), codes([current]));
    assert.notDeepEqual(codes([current]), codes([old]));
    assert.notDeepEqual(codes([current]), codes([current], "cookie"));
    assert.equal(codes([current])[0]?.length, 32);
  });

  it("marks what it sealed by its key, and says nothing of the key itself", () => {
    assert.deepEqual(sealed.subarray(0, MARK_BYTES), sealer.mark);
    assert.deepEqual(sealer.mark, createSealer([current]).mark);
    assert.deepEqual(sealer.knownMarks, [sealer.mark, createSealer([old]).mark]);
    assert.notDeepEqual(sealer.mark, createSealer([old]).mark);
    assert.ok(!current.includes(sealer.mark.subarray(1)));
  });
});
