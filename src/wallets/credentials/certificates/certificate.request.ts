import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { bits, integer, nothing, oid, sequence, setOf, tagged, utf8 } from "../../der/der.write.ts";
import { toPem } from "../../der/pem.ts";

const COMMON_NAME = oid("2.5.4.3");
const RSA_WITH_SHA_256 = sequence(oid("1.2.840.113549.1.1.11"), nothing);

/** A signing request (PKCS#10) in PEM. Of the subject Apple keeps nothing: it writes its own. */
export function buildSigningRequest(key: KeyObject, commonName: string): string {
  const content = sequence(
    integer(0),
    sequence(setOf(sequence(COMMON_NAME, utf8(commonName)))),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    tagged(0),
  );
  const signature = sign("sha256", content, key);
  return toPem("CERTIFICATE REQUEST", sequence(content, RSA_WITH_SHA_256, bits(signature)));
}
