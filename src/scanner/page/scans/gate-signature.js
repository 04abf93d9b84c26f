// Proves that a page of the gate list comes from the service, as it is.

const TYPE = "billfold-gate-list";
const HASH_BYTES = 16;
const encoder = new TextEncoder();

/** Without https, browsers have no cryptography: then there is no list. */
export const canVerify = () => globalThis.crypto?.subtle !== undefined;

function fromBase64Url(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

function toBase64Url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const sha256 = async (text) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));

/** What the list holds instead of a code. */
export async function hashCode(salt, code) {
  return toBase64Url((await sha256(salt + code)).subarray(0, HASH_BYTES));
}

async function digestOf(entries) {
  const lines = entries.map(({ codes, state, reason, validFrom, validUntil }) => {
    const members = [codes.join(","), state, reason, validFrom, validUntil];
    return `${members.map((member) => member ?? "-").join(" ")}\n`;
  });
  return toBase64Url(await sha256(lines.join("")));
}

const readPart = (part) => JSON.parse(new TextDecoder().decode(fromBase64Url(part)));

/**
 * The signed head of a page whose entries are those that it promises. Throws for anything else.
 * `findKey` gives the public key with an id, or undefined.
 */
export async function verifyPage({ head, entries }, findKey) {
  const [protectedPart, payloadPart, signature] = head.split(".");
  const { alg, kid, typ } = readPart(protectedPart);
  if (alg !== "ES256" || typ !== TYPE) throw new Error("Another kind of signature.");
  const jwk = await findKey(kid);
  if (jwk === undefined) throw new Error("Unknown key.");
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const { kty, crv, x, y } = jwk;
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, curve, false, ["verify"]);
  const isGenuine = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    fromBase64Url(signature),
    encoder.encode(`${protectedPart}.${payloadPart}`),
  );
  if (!isGenuine) throw new Error("Wrong signature.");
  const payload = readPart(payloadPart);
  if (payload.digest !== (await digestOf(entries))) throw new Error("Other entries.");
  return payload;
}
