import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { diffStores } from "./store.diff.ts";
import type { StoredStore, StoreResource } from "./store.schema.ts";

const store = fc.record({
  id: fc.constantFrom("a", "b", "c", "d", "e", "constructor"),
  name: fc.constantFrom("North", "South"),
  address: fc.option(fc.constantFrom("1 High Street", "2 High Street"), { nil: undefined }),
});
const stores = fc.uniqueArray(store, { selector: ({ id }) => id });

/** Leaves out members that are undefined, as a file does. */
const written = ({
  address,
  ...rest
}: {
  id: string;
  name: string;
  address: string | undefined;
}) => (address === undefined ? rest : { ...rest, address });

const stored = ({ id, name, address }: StoreResource): StoredStore => ({
  id,
  name,
  address: address ?? null,
  location: null,
  text: null,
});

const byId = (all: readonly StoreResource[]) =>
  [...all].sort((left, right) => (left.id < right.id ? -1 : 1));

describe("diffStores", () => {
  it("leads from what is known to what is wanted, and tells nothing that stays", () => {
    fc.assert(
      fc.property(stores, stores, (before, after) => {
        const [known, wanted] = [before.map(written), after.map(written)];
        const { created, updated, deleted } = diffStores(known.map(stored), wanted);
        const result = new Map<string, StoreResource>(known.map((one) => [one.id, one]));
        for (const one of deleted) assert.ok(result.delete(one.id));
        for (const { before: old, after: one } of updated) {
          assert.deepEqual(result.get(one.id), old);
          assert.notDeepEqual(old, one);
          result.set(one.id, one);
        }
        for (const one of created) {
          assert.ok(!result.has(one.id));
          result.set(one.id, one);
        }
        assert.deepEqual(byId([...result.values()]), byId(wanted));
      }),
    );
  });
});
