import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KeyUse } from "#src/api-keys/public.ts";
import { LastUsed } from "./last-used.ts";

describe("the last use of keys", () => {
  it("is written once per key with the latest time, and not again without a new use", async () => {
    const writes: (readonly KeyUse[])[] = [];
    const lastUsed = new LastUsed(async (uses) => void writes.push(uses));
    lastUsed.note("acme", "key_1", 1_000);
    lastUsed.note("acme", "key_1", 3_000);
    lastUsed.note("acme", "key_1", 2_000);
    lastUsed.note("rival", "key_2", 1_500);
    await lastUsed.flush();
    await lastUsed.flush();
    assert.deepEqual(writes, [
      [
        { tenantId: "acme", keyId: "key_1", at: new Date(3_000) },
        { tenantId: "rival", keyId: "key_2", at: new Date(1_500) },
      ],
    ]);
  });

  it("survives a failed write and is written by the next one", async () => {
    const writes: (readonly KeyUse[])[] = [];
    const lastUsed = new LastUsed(async (uses) => {
      writes.push(uses);
      if (writes.length === 1) throw new Error("no database");
    });
    lastUsed.note("acme", "key_1", 2_000);
    const failing = lastUsed.flush();
    lastUsed.note("acme", "key_1", 1_000);
    await assert.rejects(failing, /no database/);
    await lastUsed.flush();
    assert.deepEqual(writes[1], [{ tenantId: "acme", keyId: "key_1", at: new Date(2_000) }]);
  });
});
