import { createHash } from "node:crypto";
import { promisify } from "node:util";
import ssh2 from "ssh2";
import { systemCall } from "#kernel/call.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { findInstallationFact, putIfAbsent } from "#kernel/db/installation-fact.ts";
import { sql } from "#kernel/db/sql.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";

const NAME = "sftp-host-keys";
const PURPOSE = "sftp-host-keys";
const PLACE = "installation";

/** By these keys clients recognise the server: others would look to them like an attack. */
export const sealedHostKeys: SealedColumn = {
  table: "installation",
  column: "value",
  key: ["name"],
  where: sql`name = ${NAME}`,
  purpose: PURPOSE,
  contextOf: () => PLACE,
  essential: true,
};

/**
 * ECDSA is for clients that do not know Ed25519. There is no RSA key: with one, the library also offers
 * signatures with SHA-1, whatever its list of algorithms says.
 */
const ECDSA_BITS = 256;

const TRIES_MAX = 20;
/** The name of the algorithm and 32 bytes, each with its length. */
const ED25519_BLOB_BYTES = 4 + 11 + 4 + 32;

export type HostKeys = {
  readonly privateKeys: readonly string[];
  /** As in `known_hosts`, without the host: the algorithm and the key. */
  readonly publicKeys: readonly string[];
  /** Of the first key, as `ssh-keygen -l` shows it. */
  readonly fingerprint: string;
};

const keptIn = perRuntime((): { keys?: Promise<HostKeys> } => ({}));

/** The same on every node. Made by whichever node needs them first, and kept in the database. */
export function hostKeysOf(runtime: Runtime): Promise<HostKeys> {
  const kept = keptIn(runtime);
  if (kept.keys === undefined) {
    const loading = loadHostKeys(runtime);
    kept.keys = loading;
    // Tried again by the next one who needs them.
    loading.catch(() => delete kept.keys);
  }
  return kept.keys;
}

async function loadHostKeys(runtime: Runtime): Promise<HostKeys> {
  const call = systemCall(runtime, "sftp.host-keys");
  const { sealer } = runtime;
  let sealed = await findInstallationFact(call, NAME);
  if (sealed === undefined) {
    const made = Buffer.from(JSON.stringify(await makeKeys()));
    sealed = (await putIfAbsent(call, NAME, sealer.seal(PURPOSE, PLACE, made))).value;
    made.fill(0);
  }
  const plain = sealer.open(PURPOSE, PLACE, sealed);
  if (plain === undefined) throw new Error("MASTER_KEY does not open the host keys of SFTP.");
  const privateKeys = JSON.parse(plain.toString("utf8")) as string[];
  plain.fill(0);
  return describeKeys(privateKeys);
}

const generate = promisify(ssh2.utils.generateKeyPair) as (
  type: "ed25519" | "ecdsa",
  options: { readonly bits?: number },
) => Promise<{ readonly private: string }>;

async function makeKeys(): Promise<string[]> {
  return [
    await makeKey(() => generate("ed25519", {})),
    await makeKey(() => generate("ecdsa", { bits: ECDSA_BITS })),
  ];
}

/** The library spoils a key that begins with a zero: one of 256. */
async function makeKey(make: () => Promise<{ readonly private: string }>): Promise<string> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const pair = await make();
    if (isSound(pair.private)) return pair.private;
  }
  throw new Error("No host key could be made.");
}

function isSound(text: string): boolean {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) return false;
  const blob = key.getPublicSSH();
  if (key.type === "ssh-ed25519" && blob.length !== ED25519_BLOB_BYTES) return false;
  const signature = key.sign(PURPOSE);
  return Buffer.isBuffer(signature) && key.verify(PURPOSE, signature) === true;
}

function describeKeys(privateKeys: readonly string[]): HostKeys {
  const blobs = privateKeys.map((text) => {
    const key = ssh2.utils.parseKey(text);
    if (key instanceof Error) throw key;
    return { type: key.type, blob: key.getPublicSSH() };
  });
  const [first] = blobs;
  if (first === undefined) throw new Error("There is no host key.");
  return {
    privateKeys,
    publicKeys: blobs.map(({ type, blob }) => `${type} ${blob.toString("base64")}`),
    fingerprint: fingerprintOf(first.blob),
  };
}

/** As OpenSSH shows it. */
export function fingerprintOf(publicKey: Buffer): string {
  const hash = createHash("sha256").update(publicKey).digest("base64");
  return `SHA256:${hash.replace(/=+$/, "")}`;
}
