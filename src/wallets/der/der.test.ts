import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DerError, readDer } from "./der.read.ts";
import { bits, der, integer, octets, oid, sequence, setOf, time } from "./der.write.ts";

const hex = (bytes: Buffer) => bytes.toString("hex");

describe("DER", () => {
  it("writes lengths in the shortest form", () => {
    assert.equal(hex(der(0x04)), "0400");
    assert.equal(hex(octets(Buffer.alloc(127)).subarray(0, 2)), "047f");
    assert.equal(hex(octets(Buffer.alloc(128)).subarray(0, 3)), "048180");
    assert.equal(hex(octets(Buffer.alloc(256)).subarray(0, 4)), "04820100");
    assert.equal(hex(octets(Buffer.alloc(70_000)).subarray(0, 5)), "0483011170");
  });

  it("writes numbers without needless zeros, and never as negative", () => {
    assert.equal(hex(integer(0)), "020100");
    assert.equal(hex(integer(127)), "02017f");
    assert.equal(hex(integer(128)), "02020080");
    assert.equal(hex(integer(65_537)), "0203010001");
    assert.equal(hex(integer(Buffer.from("0000ff", "hex"))), "020200ff");
  });

  it("writes identifiers as the standards list them", () => {
    assert.equal(hex(oid("1.2.840.113549.1.7.2")), "06092a864886f70d010702");
    assert.equal(hex(oid("2.5.4.3")), "0603550403");
    assert.equal(hex(oid("0.9.2342.19200300.100.1.1")), "060a0992268993f22c640101");
  });

  it("writes times by year: two digits up to 2049, four from 2050 on", () => {
    assert.equal(
      time(new Date("2049-12-31T23:59:59.999Z")).toString("latin1"),
      "\x17\r491231235959Z",
    );
    assert.equal(
      time(new Date("2050-01-01T00:00:00Z")).toString("latin1"),
      "\x18\x0f20500101000000Z",
    );
  });

  it("sorts the members of a set by their bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5 })), (values) => {
        const parts = values.map((value) => octets(value));
        const shuffled = parts.toReversed();
        assert.deepEqual(setOf(...parts), setOf(...shuffled));
        const written = readDer(setOf(...parts)).parts.map(({ whole }) => whole);
        assert.deepEqual(written, written.toSorted(Buffer.compare));
      }),
    );
  });

  it("reads back what it wrote, and refuses what is cut off", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (values) => {
        const whole = sequence(...values.map((value) => octets(value)));
        const read = readDer(whole).parts.map(({ content }) => hex(content));
        assert.deepEqual(
          read,
          values.map((value) => Buffer.from(value).toString("hex")),
        );
        assert.throws(() => readDer(whole.subarray(0, -1)), DerError);
      }),
    );
    assert.equal(hex(bits(Buffer.from([0x80]), 7)), "03020780");
  });
});
