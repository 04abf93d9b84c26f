import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AddressCounter, addressGroup, networkGroup } from "./address-counter.ts";

describe("failed attempts", () => {
  it("exhaust an address after the limit and free it when the minute is over", () => {
    let now = 0;
    const attempts = new AddressCounter(3, () => now);
    for (let count = 0; count < 3; count += 1) {
      assert.equal(attempts.isExhausted("192.0.2.1"), false);
      attempts.record("192.0.2.1");
      now += 1_000;
    }
    assert.equal(attempts.isExhausted("192.0.2.1"), true);
    assert.equal(attempts.secondsLeft("192.0.2.1"), 57);
    assert.equal(attempts.isExhausted("192.0.2.2"), false);

    now = 60_000;
    assert.equal(attempts.isExhausted("192.0.2.1"), false);
    attempts.record("192.0.2.1");
    assert.equal(attempts.isExhausted("192.0.2.1"), false);
  });

  it("remember ten thousand addresses and forget the oldest first", () => {
    const attempts = new AddressCounter(1, () => 0);
    for (let count = 0; count < 10_001; count += 1) {
      attempts.record(`10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`);
    }
    assert.equal(attempts.isExhausted("10.0.0.0"), false);
    assert.equal(attempts.isExhausted("10.0.0.1"), true);
    assert.equal(attempts.isExhausted("10.0.39.16"), true);
  });

  it("count an IPv6 network as one caller, and a mapped IPv4 address as itself", () => {
    assert.equal(addressGroup("2001:db8:1:2:aaaa::1"), addressGroup("2001:0db8:1:2::9"));
    assert.notEqual(addressGroup("2001:db8:1:2::1"), addressGroup("2001:db8:1:3::1"));
    assert.equal(addressGroup("::1"), "0:0:0:0::/64");
    assert.equal(addressGroup("fe80::1%eth0"), "fe80:0:0:0::/64");
    assert.equal(addressGroup("::ffff:192.0.2.7"), "192.0.2.7");
    assert.equal(addressGroup("192.0.2.7"), "192.0.2.7");
  });

  it("count by networks where that is asked for", () => {
    const attempts = new AddressCounter(1, () => 0, networkGroup);
    attempts.record("192.0.2.7");
    attempts.record("2001:db8:1:2::1");
    for (const near of ["192.0.2.200", "::ffff:192.0.2.1", "2001:db8:1:ffff::9"]) {
      assert.equal(attempts.isExhausted(near), true, near);
    }
    for (const far of ["192.0.3.7", "2001:db8:2:2::1", "::1"]) {
      assert.equal(attempts.isExhausted(far), false, far);
    }
    attempts.takeBack("192.0.2.99");
    assert.equal(attempts.isExhausted("192.0.2.7"), false);
  });
});
