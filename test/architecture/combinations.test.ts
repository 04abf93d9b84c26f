import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { isTurn, LONG_VARIABLE, pairInTurn } from "#test/support/combinations.ts";

const OPERATIONS = Array.from({ length: 12 }, (_none, at) => at);
const CREDENTIALS = ["key", "person", "device", "nobody"];
const TENANTS = ["missing", "*", "wrong"];

function setLong(t: TestContext, value: "0" | "1"): void {
  const before = process.env[LONG_VARIABLE];
  t.after(() => {
    if (before === undefined) delete process.env[LONG_VARIABLE];
    else process.env[LONG_VARIABLE] = before;
  });
  process.env[LONG_VARIABLE] = value;
}

/** As the matrices use it. */
function triples(): string[] {
  return OPERATIONS.flatMap((operation) =>
    CREDENTIALS.flatMap((credential, which) =>
      pairInTurn(TENANTS, operation + which, CREDENTIALS.length).map(
        (tenant) => `${operation} ${credential} ${tenant}`,
      ),
    ),
  );
}

describe("a matrix of operations, credentials and tenants", () => {
  it("lets every two of them meet in an ordinary run", (t) => {
    setLong(t, "0");
    const met = triples();
    assert.equal(met.length, OPERATIONS.length * CREDENTIALS.length);
    for (const tenant of TENANTS) {
      for (const credential of CREDENTIALS) {
        assert.ok(met.some((triple) => triple.endsWith(` ${credential} ${tenant}`)));
      }
      for (const operation of OPERATIONS) {
        assert.ok(
          met.some((triple) => triple.startsWith(`${operation} `) && triple.endsWith(` ${tenant}`)),
        );
      }
    }
    assert.deepEqual([0, 1, 2, 3].map(isTurn), [true, false, true, false]);
  });

  it("is refused where tenants have fewer turns than there are of them", (t) => {
    setLong(t, "0");
    assert.throws(() => pairInTurn(TENANTS, 0, 2), /2 turns do not reach 3 values/);
  });

  it("is tried whole in a long run", (t) => {
    setLong(t, "1");
    const met = triples();
    assert.equal(new Set(met).size, OPERATIONS.length * CREDENTIALS.length * TENANTS.length);
    assert.deepEqual([0, 1].map(isTurn), [true, true]);
  });
});
