import { createPublicKey } from "node:crypto";
import type { CompiledTemplate, JsonObject, RenderedPass } from "#src/templates/language/public.ts";
import { defined, orUndefined } from "../json.values.ts";

/** What the pass tells readers that the phone is held to, and the beacons that it comes forward at. */

/** Apple Wallet cuts a longer message off, and a reader would take the rest for another pass. */
export const NFC_BYTES_MAX = 64;

export function proximity(
  { template: { nfc } }: Pick<CompiledTemplate, "template">,
  main: RenderedPass,
): JsonObject {
  const beacons = main.beacons.map(({ uuid, major, minor, text }) =>
    defined({ proximityUUID: uuid, major, minor, relevantText: orUndefined(text) }),
  );
  return {
    beacons: beacons.length === 0 ? undefined : beacons,
    nfc:
      nfc?.encryptionPublicKey === undefined || !isNfcMessage(main.nfc?.message)
        ? undefined
        : defined({
            message: main.nfc?.message,
            encryptionPublicKey: nfc.encryptionPublicKey,
            requiresAuthentication: nfc.requiresAuthentication,
          }),
  };
}

function isNfcMessage(message = ""): boolean {
  return message !== "" && Buffer.byteLength(message) <= NFC_BYTES_MAX;
}

/** SubjectPublicKeyInfo of a compressed key of the curve P-256, up to the key itself. */
const COMPRESSED = Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex");
const KEY_BYTES = 33;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What is wrong with the key of readers, in words that follow "the key"; undefined if nothing is. */
export function nfcKeyProblem(key: string): string | undefined {
  if (key.includes("-----")) return "is PEM: only what stands between its first and last line";
  if (!BASE64.test(key)) return "is not base64";
  const der = Buffer.from(key, "base64");
  if (curveOf(der) !== "prime256v1") return "is not a SubjectPublicKeyInfo of the curve P-256";
  const isCompressed =
    der.length === COMPRESSED.length + KEY_BYTES &&
    der.subarray(0, COMPRESSED.length).equals(COMPRESSED);
  return isCompressed ? undefined : "is not compressed";
}

/** Undefined for what is no key, and for a point that is not on its curve. */
function curveOf(der: Buffer): string | undefined {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" }).asymmetricKeyDetails
      ?.namedCurve;
  } catch {
    return undefined;
  }
}
