import { createPublicKey, type JsonWebKey } from "node:crypto";

const RSA_BITS_MIN = 2_048;
/** Beyond this, nobody can check a signature. */
const RSA_BITS_MAX = 16_384;
/** To check a signature by a key with a large exponent takes as long as it wants. */
const EXPONENT_BYTES_MAX = 8;

const CURVES: Readonly<Record<string, { readonly crv: string; readonly bytes: number }>> = {
  nistp256: { crv: "P-256", bytes: 32 },
  nistp384: { crv: "P-384", bytes: 48 },
  nistp521: { crv: "P-521", bytes: 66 },
};
const ECDSA = "ecdsa-sha2-";
/** Before the two coordinates of a point that is written in full. */
const WHOLE_POINT = 4;

/**
 * Why nobody can sign in with this line of a public key file; undefined for a good key. The comment
 * after the key may be anything.
 */
export function sshKeyProblem(line: string): string | undefined {
  const [type = "", base64 = ""] = line.trim().split(/\s+/);
  const blob = Buffer.from(base64, "base64");
  if (blob.toString("base64").replace(/=+$/, "") !== base64.replace(/=+$/, "")) {
    return "is not whole: its second part must be base64";
  }
  const fields = fieldsOf(blob);
  if (fields === undefined) return "is cut off, or has something after its end";
  const [name, ...parts] = fields;
  if (name?.toString("latin1") !== type) return `is not a key of the type ${type}`;
  const { problem, jwk } = readKey(type, parts);
  if (problem !== undefined) return problem;
  return jwk !== undefined && isKey(jwk) ? undefined : `is not a key of the type ${type}`;
}

type Reading = { readonly problem?: string; readonly jwk?: JsonWebKey };

function readKey(type: string, parts: readonly Buffer[]): Reading {
  const [first, second] = parts;
  if (type === "ssh-ed25519" && first !== undefined && parts.length === 1) {
    return { jwk: { kty: "OKP", crv: "Ed25519", x: first.toString("base64url") } };
  }
  if (first === undefined || second === undefined || parts.length !== 2) return {};
  if (type === "ssh-rsa") return readRsa(withoutZeros(first), withoutZeros(second));
  const curveName = first.toString("latin1");
  const curve = type === `${ECDSA}${curveName}` ? CURVES[curveName] : undefined;
  if (curve === undefined) return { problem: "is of a type that nobody can sign in with" };
  const { crv, bytes } = curve;
  if (second[0] !== WHOLE_POINT || second.length !== 1 + 2 * bytes) return {};
  const [x, y] = [second.subarray(1, 1 + bytes), second.subarray(1 + bytes)];
  return { jwk: { kty: "EC", crv, x: x.toString("base64url"), y: y.toString("base64url") } };
}

function readRsa(exponent: Buffer, modulus: Buffer): Reading {
  const bits = modulus.length * 8 - (modulus.length === 0 ? 0 : Math.clz32(modulus[0] ?? 0) - 24);
  if (bits < RSA_BITS_MIN) {
    return { problem: `has ${bits} bits, and an RSA key must have at least ${RSA_BITS_MIN}` };
  }
  if (bits > RSA_BITS_MAX) {
    return { problem: `has ${bits} bits, and an RSA key may have at most ${RSA_BITS_MAX}` };
  }
  const isOdd = ((exponent.at(-1) ?? 0) & 1) === 1;
  const isOne = exponent.length === 1 && exponent[0] === 1;
  if (!isOdd || isOne || exponent.length > EXPONENT_BYTES_MAX) {
    return { problem: "has an exponent that no program chooses" };
  }
  return {
    jwk: { kty: "RSA", n: modulus.toString("base64url"), e: exponent.toString("base64url") },
  };
}

/** The parts of a key, each of which has its length before it; undefined if they do not fit. */
function fieldsOf(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields.length === 0 ? undefined : fields;
}

/** Numbers have a zero in front if their first bit is set. */
function withoutZeros(number: Buffer): Buffer {
  const first = number.findIndex((byte) => byte !== 0);
  return first === -1 ? number.subarray(0, 0) : number.subarray(first);
}

/** False for a point that is not on its curve. */
function isKey(jwk: JsonWebKey): boolean {
  try {
    createPublicKey({ key: jwk, format: "jwk" });
    return true;
  } catch {
    return false;
  }
}
