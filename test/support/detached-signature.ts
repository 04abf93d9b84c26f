import { spawn } from "node:child_process";
import { createHash, verify, X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * Checks detached CMS signatures in two ways that share nothing with the product: by a small reader of
 * its own, and by OpenSSL where the machine has it.
 */

type Node = { readonly tag: number; readonly whole: Buffer; readonly inside: Buffer };

function readAll(bytes: Buffer): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at);
    let length = bytes.readUInt8(at + 1);
    let head = 2;
    if (length >= 0x80) {
      const digits = length - 0x80;
      length = Number.parseInt(bytes.subarray(at + 2, at + 2 + digits).toString("hex"), 16);
      head += digits;
    }
    const whole = bytes.subarray(at, at + head + length);
    if (whole.length !== head + length) throw new Error("The value is cut off.");
    nodes.push({ tag, whole, inside: whole.subarray(head) });
    at += whole.length;
  }
  return nodes;
}

function child({ inside }: Node, ...path: readonly number[]): Node {
  const [at = 0, ...rest] = path;
  const found = readAll(inside)[at];
  if (found === undefined) throw new Error("A part of the signature is missing.");
  return rest.length === 0 ? found : child(found, ...rest);
}

/** Object identifiers as the bytes they are written by. */
const OIDS: Readonly<Record<string, string>> = {
  "2a864886f70d010702": "signedData",
  "2a864886f70d010701": "data",
  "2a864886f70d010903": "contentType",
  "2a864886f70d010904": "messageDigest",
  "2a864886f70d010905": "signingTime",
  "608648016503040201": "sha256",
  "2a864886f70d010101": "rsaEncryption",
  "2a8648ce3d040302": "ecdsaWithSha256",
};
const nameOf = ({ inside }: Node): string => OIDS[inside.toString("hex")] ?? inside.toString("hex");

export type SignatureFacts = {
  readonly certificates: readonly X509Certificate[];
  readonly digest: string;
  readonly algorithm: string;
  /** In the order in which they stand. */
  readonly attributes: readonly string[];
  /** As written, with the name of its form before it. */
  readonly signingTime: string;
};

/** Throws unless the signature is over this content, by a certificate that the root vouches for. */
export function checkSignature(
  signature: Buffer,
  content: Uint8Array,
  rootPem: string,
): SignatureFacts {
  const [message, ...more] = readAll(signature);
  if (message === undefined || more.length > 0) throw new Error("There is more than one value.");
  if (nameOf(child(message, 0)) !== "signedData") throw new Error("These are no signed data.");
  const parts = readAll(child(message, 1, 0).inside);
  const [version, , encapsulated, certificateSet, signers] = parts;
  if (!version || !encapsulated || !certificateSet || !signers)
    throw new Error("Parts are missing.");
  if (version.inside.toString("hex") !== "01") throw new Error("The version is not 1.");
  if (readAll(encapsulated.inside).length !== 1) throw new Error("The content is inside.");
  const certificates = readAll(certificateSet.inside).map(
    ({ whole }) => new X509Certificate(whole),
  );
  const signer = readAll(child({ ...signers, inside: signers.inside }, 0).inside);
  const [signerVersion, named, digest, attributes, algorithm, value] = signer;
  if (!signerVersion || !named || !digest || !attributes || !algorithm || !value) {
    throw new Error("Parts of the signer are missing.");
  }
  const leaf = leafOf(certificates, child(named, 1).inside);
  const listed = readAll(attributes.inside);
  const find = (name: string) => {
    const found = listed.find((each) => nameOf(child(each, 0)) === name);
    if (found === undefined) throw new Error(`There is no ${name}.`);
    return child(found, 1, 0);
  };
  const expected = createHash("sha256").update(content).digest();
  if (!find("messageDigest").inside.equals(expected)) throw new Error("Another content is signed.");
  if (nameOf(find("contentType")) !== "data") throw new Error("The content type is not data.");
  const signed = Buffer.from(attributes.whole);
  signed[0] = 0x31;
  if (!verify("sha256", signed, leaf.publicKey, value.inside))
    throw new Error("It does not verify.");
  requireChain(leaf, certificates, new X509Certificate(rootPem));
  const sorted = listed.map(({ whole }) => whole).toSorted(Buffer.compare);
  if (!Buffer.concat(sorted).equals(attributes.inside)) throw new Error("Attributes are unsorted.");
  const time = find("signingTime");
  return {
    certificates,
    digest: nameOf(child(digest, 0)),
    algorithm: nameOf(child(algorithm, 0)),
    attributes: listed.map((each) => nameOf(child(each, 0))),
    signingTime: `${time.tag === 0x17 ? "UTCTime" : time.tag} ${time.inside.toString("latin1")}`,
  };
}

function leafOf(certificates: readonly X509Certificate[], serial: Buffer): X509Certificate {
  const wanted = BigInt(`0x${serial.toString("hex")}`);
  const leaf = certificates.find(({ serialNumber }) => BigInt(`0x${serialNumber}`) === wanted);
  if (leaf === undefined) throw new Error("The certificate of the signer is not inside.");
  return leaf;
}

function requireChain(
  leaf: X509Certificate,
  certificates: readonly X509Certificate[],
  root: X509Certificate,
): void {
  let last = leaf;
  for (let step = 0; step <= certificates.length; step += 1) {
    if (last.checkIssued(root) && last.verify(root.publicKey)) return;
    const above = certificates.find(
      (each) => last.checkIssued(each) && last.verify(each.publicKey),
    );
    if (above === undefined) break;
    last = above;
  }
  throw new Error("The certificates do not lead to the root.");
}

/** False where the machine has no OpenSSL; throws what OpenSSL says if it refuses the signature. */
export async function checkByOpenssl(
  signature: Buffer,
  content: Uint8Array,
  rootPem: string,
): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "billfold-cms-"));
  try {
    const at = (name: string) => join(folder, name);
    await writeFile(at("signature"), signature);
    await writeFile(at("content"), content);
    await writeFile(at("root.pem"), rootPem);
    const words = ["cms", "-verify", "-binary", "-inform", "DER", "-in", at("signature")];
    words.push("-content", at("content"), "-CAfile", at("root.pem"), "-purpose", "any");
    words.push("-out", at("out"));
    return await run("openssl", words);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** True if the program ended well, false if there is no such program. */
export function run(program: string, words: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
    });
    child.stderr.on("data", (text) => {
      said += text;
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve(false);
      else reject(error);
    });
    child.on("close", (code) => {
      if (code === 0) resolve(true);
      else if (code !== null) reject(new Error(`${program} refuses it: ${said}`));
    });
  });
}

/** By everyone who can: returns what the reader above found. */
export async function requireSignature(
  signature: Buffer,
  content: Uint8Array,
  rootPem: string,
): Promise<SignatureFacts> {
  const facts = checkSignature(signature, content, rootPem);
  await checkByOpenssl(signature, content, rootPem);
  return facts;
}
