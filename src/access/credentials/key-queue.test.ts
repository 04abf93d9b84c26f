import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ActiveKey } from "#src/api-keys/public.ts";
import { KeyQueue } from "./key-queue.ts";

const KEY: ActiveKey = {
  tenantId: "acme",
  id: "key_1",
  kind: "api-key",
  name: "till-7",
  scopes: ["Pass.Read"],
  expiresInMs: null,
  tenantSince: null,
};

type Query = {
  readonly hashes: readonly Buffer[];
  resolve(found: ReadonlyMap<string, ActiveKey>): void;
  reject(error: Error): void;
};

/** A queue whose queries the test answers. */
function createBench() {
  const queries: Query[] = [];
  const queue = new KeyQueue(
    (hashes) => new Promise((resolve, reject) => queries.push({ hashes, resolve, reject })),
  );
  const find = (name: string) => queue.find(name, Buffer.from(name));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { queries, find, settled };
}

describe("lookups for an address that keeps guessing", () => {
  it("are one query at a time, whatever comes, and find the good key among them", async () => {
    const { queries, find, settled } = createBench();
    const first = find("guess 0");
    const others = Array.from({ length: 500 }, (_, index) => find(`guess ${index + 1}`));
    const good = find("good");
    await settled();
    assert.deepEqual(
      queries.map(({ hashes }) => hashes.length),
      [1],
    );

    queries[0]?.resolve(new Map());
    assert.equal(await first, undefined);
    await settled();
    assert.deepEqual(
      queries.map(({ hashes }) => hashes.length),
      [1, 501],
    );
    queries[1]?.resolve(new Map([["good", KEY]]));
    assert.equal(await good, KEY);
    assert.deepEqual(new Set(await Promise.all(others)), new Set([undefined]));
  });

  it("ask for at most a thousand at once", async () => {
    const { queries, find, settled } = createBench();
    void find("first");
    for (let count = 0; count < 1_500; count += 1) void find(String(count));
    for (const expected of [1, 1_000, 500]) {
      await settled();
      assert.equal(queries.at(-1)?.hashes.length, expected);
      queries.at(-1)?.resolve(new Map());
    }
  });

  it("fail together when the query does, and go on after it", async () => {
    const { queries, find, settled } = createBench();
    const failing = find("a");
    queries[0]?.reject(new Error("no database"));
    await assert.rejects(failing, /no database/);
    await settled();
    const next = find("good");
    await settled();
    queries[1]?.resolve(new Map([["good", KEY]]));
    assert.equal(await next, KEY);
  });
});
