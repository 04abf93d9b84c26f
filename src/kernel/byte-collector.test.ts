import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ByteCollector } from "./byte-collector.ts";

const MIB = 1024 * 1024;

describe("bytes that arrive in pieces", () => {
  it("are the same bytes in the end, however they were cut", () => {
    const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(3_000), fc.nat(80_000)), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, fc.boolean(), (lengths, inParts) => {
        const chunks = lengths.map((length) => randomBytes(length));
        const collector = new ByteCollector();
        for (const chunk of chunks) collector.add(chunk);
        const whole = Buffer.concat(chunks);

        assert.equal(collector.sizeBytes, whole.length);
        const taken = inParts ? Buffer.concat(collector.takeParts()) : collector.take();
        assert.ok(taken.equals(whole));
        assert.equal(collector.sizeBytes, 0);
        assert.equal(collector.take().length, 0);
      }),
    );
  });

  it("are not copied when they come in one piece", () => {
    const collector = new ByteCollector();
    const chunk = randomBytes(10);
    collector.add(chunk);
    assert.equal(collector.take(), chunk);
  });

  it("are held in few parts, with at most as much room as there are bytes", () => {
    const collector = new ByteCollector();
    for (let count = 0; count < MIB / 8; count += 1) collector.add(Buffer.of(count));
    // A large chunk must not leave the free space of the block before it unused.
    for (let count = 0; count < 100; count += 1) {
      collector.add(Buffer.alloc(16 * 1024));
      collector.add(Buffer.of(count));
    }
    const size = collector.sizeBytes;
    const parts = collector.takeParts();

    assert.ok(parts.length < 220, `${parts.length} parts`);
    const memory = new Set(parts.map(({ buffer }) => buffer));
    const held = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
    assert.ok(held < 2 * size, `${held} bytes for ${size}`);
  });
});
