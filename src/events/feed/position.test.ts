import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createSealer } from "#kernel/crypto/sealer.ts";
import { BEGINNING, createCursors, isSamePosition } from "./position.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64url");
const [former, current] = [randomBytes(32), randomBytes(32)];
const acme = createCursors(createSealer([current]), "acme");
const rival = createCursors(createSealer([current]), "rival");

const xact = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const sequence = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const position = fc.record({ xact, sequence }, { noNullPrototype: true });

describe("the cursor of the feed", () => {
  it("property: gives back the place it was made of, to the digit, and is the same each time", () => {
    fc.assert(
      fc.property(position, (place) => {
        const cursor = acme.encode(place);
        assert.deepEqual(acme.decode(cursor), place);
        assert.equal(acme.encode(place), cursor);
        assert.match(cursor, /^[\w-]{1,60}$/);
      }),
    );
    assert.deepEqual(acme.decode(acme.encode(BEGINNING)), BEGINNING);
  });

  it("property: shows nothing of its numbers: neighbours differ everywhere, and so do tenants", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (left, right) => {
        const place = { xact: String(left), sequence: String(right) };
        const next = { xact: String(left), sequence: String(right + 1) };
        const bytesOf = (cursor: string) => Buffer.from(cursor, "base64url");
        const bytes = bytesOf(acme.encode(place));
        assert.ok(!bytes.toString("latin1").includes(place.xact.padStart(4, "0")));
        for (const other of [acme.encode(next), rival.encode(place)]) {
          const same = bytesOf(other).filter((byte, at) => byte === bytes[at]);
          assert.ok(same.length <= 6, `${same.length} of ${bytes.length} bytes are alike`);
        }
      }),
    );
  });

  it("is refused by another tenant, and changed in any character", () => {
    const cursor = acme.encode({ xact: "1234", sequence: "567" });
    assert.equal(rival.decode(cursor), undefined);
    for (let at = 0; at < cursor.length; at += 1) {
      const letter = cursor[at] === "A" ? "B" : "A";
      const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1);
      assert.equal(acme.decode(changed), undefined, changed);
    }
  });

  it("property: is refused, and nothing worse, when it is anything else", () => {
    const sized = fc.uint8Array({ minLength: 28, maxLength: 28 });
    const texts = fc.oneof(
      fc.string(),
      fc.string().map(base64),
      sized.map((bytes) => Buffer.from(bytes).toString("base64url")),
    );
    fc.assert(fc.property(texts, (text) => assert.equal(acme.decode(text), undefined)));
    for (const text of ["1.1", "0.0", "x.y", ""])
      assert.equal(acme.decode(base64(text)), undefined);
    assert.equal(acme.decode(`${acme.encode(BEGINNING)}=`), undefined);
  });

  it("is taken while the master key changes, from both sides", () => {
    const place = { xact: "77", sequence: "8" };
    const before = createCursors(createSealer([former]), "acme");
    const meanwhile = createCursors(createSealer([current, former]), "acme");
    assert.deepEqual(meanwhile.decode(before.encode(place)), place);
    assert.equal(meanwhile.encode(place), acme.encode(place));
    assert.equal(acme.decode(before.encode(place)), undefined);
  });

  it("tells places apart", () => {
    assert.ok(isSamePosition(BEGINNING, { xact: "0", sequence: "0" }));
    assert.ok(!isSamePosition(BEGINNING, { xact: "0", sequence: "1" }));
  });
});
