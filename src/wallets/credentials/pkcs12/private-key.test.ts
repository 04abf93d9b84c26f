import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { integer, nothing, octets, oid, sequence } from "../../der/der.write.ts";
import { readPrivateKey } from "./private-key.ts";

const PASSPHRASE = "open sesame";
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const closed = { format: "pem", cipher: "aes-256-cbc", passphrase: PASSPHRASE } as const;

const toPem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString("base64")}\n-----END ${label}-----\n`;

/** Encrypted with nothing that opens it: reading it takes as long as its derivation. */
function lockedBy(derivation: Buffer, label = "ENCRYPTED PRIVATE KEY"): string {
  const cipher = sequence(oid("2.16.840.1.101.3.4.1.42"), octets(randomBytes(16)));
  const algorithm = sequence(oid("1.2.840.113549.1.5.13"), sequence(derivation, cipher));
  return toPem(label, sequence(algorithm, octets(randomBytes(64))));
}

function rounds(count: number): Buffer {
  const sha512 = sequence(oid("1.2.840.113549.2.11"), nothing);
  const parameters = sequence(octets(randomBytes(8)), integer(count), sha512);
  return sequence(oid("1.2.840.113549.1.5.12"), parameters);
}

const isSame = (found: unknown) =>
  typeof found === "object" && privateKey.equals(found as KeyObject);

describe("a private key in PEM", () => {
  it("is read in every usual form, with other texts around it", () => {
    const plain = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const old = privateKey.export({ type: "sec1", format: "pem" }).toString();
    for (const text of [plain, old, `Bag Attributes\n${plain}\nmore`]) {
      assert.ok(isSame(readPrivateKey(text, undefined)));
      assert.ok(isSame(readPrivateKey(text, "not needed")));
    }
    for (const type of ["pkcs8", "sec1"] as const) {
      const text = privateKey.export({ type, ...closed }).toString();
      assert.ok(isSame(readPrivateKey(text, PASSPHRASE)), type);
      assert.equal(readPrivateKey(text, "wrong"), "encrypted");
      assert.equal(readPrivateKey(text, undefined), "encrypted");
    }
    assert.equal(readPrivateKey("no key", undefined), undefined);
    assert.equal(readPrivateKey(toPem("PRIVATE KEY", randomBytes(40)), undefined), undefined);
  });

  it("is not opened if that would hold up the process", () => {
    assert.equal(readPrivateKey(lockedBy(rounds(100_000)), PASSPHRASE), "encrypted");
    const scrypt = sequence(
      oid("1.3.6.1.4.1.11591.4.11"),
      sequence(octets(randomBytes(8)), integer(2 ** 20), integer(8), integer(1)),
    );
    for (const label of ["ENCRYPTED PRIVATE KEY", "PRIVATE KEY"]) {
      for (const derivation of [rounds(100_001), rounds(2 ** 31 - 1), scrypt]) {
        assert.equal(readPrivateKey(lockedBy(derivation, label), PASSPHRASE), undefined);
      }
    }
    const old = sequence(
      oid("1.2.840.113549.1.12.1.3"),
      sequence(octets(randomBytes(8)), integer(2 ** 31 - 1)),
    );
    const text = toPem("ENCRYPTED PRIVATE KEY", sequence(old, octets(randomBytes(64))));
    assert.equal(readPrivateKey(text, PASSPHRASE), undefined);
  });
});
