import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createSealer } from "#kernel/crypto/sealer.ts";
import { makeDataKey, openValue, type SecretPlace, sealValue } from "./secret.envelope.ts";

const sealer = createSealer([randomBytes(32)]);
const place: SecretPlace = { tenantId: "acme", key: "SFTP-PASSWORD", dataKeyId: "sdk_1" };
const wrapped = makeDataKey(sealer, "acme", "sdk_1");

function seal(value: string): Buffer {
  const sealed = sealValue(sealer, wrapped, place, value);
  assert.ok(sealed !== undefined);
  return sealed;
}

function flip(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 0x80;
  return changed;
}

describe("the envelope of a secret", () => {
  const sealed = seal("open sesame");

  it("property: any text comes back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        assert.equal(openValue(sealer, wrapped, place, seal(text)), text);
      }),
    );
  });

  it("does not open under another tenant, key or data key", () => {
    for (const moved of [{ tenantId: "rival" }, { key: "sftp-password" }, { dataKeyId: "sdk_2" }]) {
      assert.equal(openValue(sealer, wrapped, { ...place, ...moved }, sealed), undefined);
    }
    const other = makeDataKey(sealer, "acme", "sdk_1");
    assert.equal(openValue(sealer, other, place, sealed), undefined);
  });

  it("does not open when any byte of it or of its data key was changed", () => {
    for (let at = 0; at < sealed.length; at += 1) {
      assert.equal(openValue(sealer, wrapped, place, flip(sealed, at)), undefined, `value ${at}`);
    }
    for (let at = 0; at < wrapped.length; at += 1) {
      assert.equal(openValue(sealer, flip(wrapped, at), place, sealed), undefined, `key ${at}`);
    }
  });

  it("does not open with a tag cut short by any number of bytes", () => {
    for (let length = 0; length < sealed.length; length += 1) {
      assert.equal(openValue(sealer, wrapped, place, sealed.subarray(0, length)), undefined);
    }
  });

  it("seals nothing under a data key that does not open", () => {
    assert.equal(sealValue(sealer, flip(wrapped, 20), place, "open sesame"), undefined);
  });

  it("takes a nonce of its own for each of 10,000 values", () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 10_000; count += 1) {
      nonces.add(seal("same").toString("latin1", 1, 13));
    }
    assert.equal(nonces.size, 10_000);
  });
});
