import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Defender, FAILURES_MAX } from "./defender.ts";

const MINUTE_MS = 60_000;

function defend() {
  let now = 0;
  const defender = new Defender(() => now);
  return {
    defender,
    pass: (ms: number) => {
      now += ms;
    },
    guess: (address: string, count = FAILURES_MAX) => {
      for (let done = 0; done < count; done += 1) defender.fail(address);
    },
  };
}

describe("an address that guesses passwords", () => {
  it("is banned for half an hour, and longer the next time", () => {
    const { defender, pass, guess } = defend();
    guess("192.0.2.1");
    assert.ok(defender.isBanned("192.0.2.1"));
    assert.ok(!defender.isBanned("192.0.2.2"));
    pass(31 * MINUTE_MS);
    assert.ok(!defender.isBanned("192.0.2.1"));
    guess("192.0.2.1");
    pass(31 * MINUTE_MS);
    assert.ok(defender.isBanned("192.0.2.1"));
    pass(15 * MINUTE_MS);
    assert.ok(!defender.isBanned("192.0.2.1"));
  });

  it("is not banned for failures that are far apart, or were followed by a success", () => {
    const { defender, pass, guess } = defend();
    guess("192.0.2.1", FAILURES_MAX - 1);
    pass(31 * MINUTE_MS);
    guess("192.0.2.1", FAILURES_MAX - 1);
    defender.takeBack("192.0.2.1", 2);
    guess("192.0.2.1", 2);
    assert.ok(!defender.isBanned("192.0.2.1"));
    guess("192.0.2.1", 1);
    assert.ok(defender.isBanned("192.0.2.1"));
  });

  it("is banned with its network if it has 2^64 addresses", () => {
    const { defender, guess } = defend();
    guess("2001:db8::1");
    assert.ok(defender.isBanned("2001:db8::2"));
    assert.ok(!defender.isBanned("2001:db8:0:1::1"));
  });

  it("is banned by what another node says", () => {
    const { defender, pass } = defend();
    defender.ban("192.0.2.1", MINUTE_MS);
    assert.ok(defender.isBanned("192.0.2.1"));
    pass(MINUTE_MS);
    assert.ok(!defender.isBanned("192.0.2.1"));
  });
});
