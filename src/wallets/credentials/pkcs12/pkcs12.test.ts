import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { issueCertificate } from "#test/support/certificates.ts";
import { makeKeyStore } from "#test/support/key-stores.ts";
import { DerError, readDer } from "../../der/der.read.ts";
import { nothing, sequence } from "../../der/der.write.ts";
import { LockedError } from "./password-encryption.ts";
import { isKeyStore, readKeyStore } from "./pkcs12.ts";

const authority = issueCertificate({ name: { CN: "Example Authority", OU: "G4" } });
const leaf = issueCertificate({ name: { CN: "Pass", UID: "pass.x" }, issuer: authority });
const make = (passphrase: string, options: readonly string[] = []) =>
  makeKeyStore({ ...leaf, chain: authority.certificate, passphrase, options });

const KINDS: Readonly<Record<string, readonly string[]>> = {
  "as OpenSSL makes it today (AES-256, PBKDF2)": [],
  "as Keychain makes it (RC2 of 40 bits, Triple DES)": ["-legacy"],
  "with RC2 of 128 bits and Triple DES of two keys": [
    ...["-legacy", "-certpbe", "PBE-SHA1-RC2-128", "-keypbe", "PBE-SHA1-2DES"],
  ],
  "with Triple DES alone": ["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES"],
  "with AES-128 and AES-192, closed by SHA-512": [
    ...["-certpbe", "AES-192-CBC", "-keypbe", "AES-128-CBC", "-macalg", "sha512"],
  ],
  "closed, but not encrypted": ["-certpbe", "NONE", "-keypbe", "NONE"],
  "encrypted, but not closed": ["-nomac"],
};

describe("a key store", () => {
  for (const [kind, options] of Object.entries(KINDS)) {
    it(`${kind}: opens with its passphrase, and with no other`, async () => {
      for (const passphrase of ["schlüssel ✓", ""]) {
        const bytes = make(passphrase, options);
        assert.ok(isKeyStore(bytes));
        const { certificates, keys } = await readKeyStore(bytes, passphrase);
        const [first, second] = certificates.map((der) => new X509Certificate(der));
        const key = createPrivateKey({ key: keys[0] ?? "", format: "der", type: "pkcs8" });
        assert.ok(first?.checkPrivateKey(key));
        assert.equal(second?.toString(), new X509Certificate(authority.certificate).toString());
        await assert.rejects(readKeyStore(bytes, "another"), LockedError);
      }
    });
  }

  it("with more rounds than are allowed or with none, is refused before they are made", async () => {
    const costly = make("x", ["-legacy", "-nomac", "-iter", "100001"]);
    await assert.rejects(readKeyStore(costly, "x"), { why: "too-costly" });
    const bytes = make("x", ["-iter", "2048"]);
    const at = bytes.lastIndexOf(Buffer.from("02020800", "hex"));
    const zero = Buffer.from(bytes);
    zero.writeUInt16BE(0, at + 2);
    await assert.rejects(readKeyStore(zero, "x"), { why: "too-costly" });
  });

  it("cut off at any byte is refused", async () => {
    const bytes = make("x");
    for (let length = 0; length < bytes.length; length += 7) {
      await assert.rejects(readKeyStore(bytes.subarray(0, length), "x"), DerError);
    }
  });

  it("property: bytes changed anywhere open nothing, or fail in a known way", async () => {
    const bytes = make("x", ["-iter", "1", "-nomaciter"]);
    const change = fc.record({
      at: fc.nat(bytes.length - 1),
      flip: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, flip }) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ flip;
        try {
          await readKeyStore(changed, "x");
        } catch (error) {
          assert.ok(error instanceof DerError || error instanceof LockedError, String(error));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("property: noise is never taken for one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (noise) => {
        const reading = readKeyStore(Buffer.from(noise), "x");
        await assert.rejects(reading, (error) => error instanceof DerError);
      }),
    );
  });
});

describe("DER", () => {
  it("that is nested too deeply, or in too many parts, is refused", () => {
    let deep = nothing;
    for (let depth = 0; depth < 100; depth += 1) deep = sequence(deep);
    assert.throws(() => readDer(deep), DerError);
    const many = sequence(...Array.from({ length: 20_000 }, () => nothing));
    assert.throws(() => readDer(many), DerError);
  });

  it("with an open end is read as Firefox writes it", () => {
    const open = Buffer.from("30802480040101040102000004010300 00".replaceAll(" ", ""), "hex");
    const { parts } = readDer(open);
    assert.equal(parts.length, 2);
    assert.throws(() => readDer(open.subarray(0, -1)), DerError);
  });
});
