import {
  DerError,
  type DerNode,
  octetsOf,
  oidOf,
  partOf,
  readDer,
  TAG,
} from "../../der/der.read.ts";
import { decryptWithPassphrase, isClosedWith, LockedError } from "./password-encryption.ts";

/** What a key store (`.p12`, `.pfx`) holds, all in DER. */
export type KeyStore = { readonly certificates: Buffer[]; readonly keys: Buffer[] };

const DATA = "1.2.840.113549.1.7.1";
const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const KEY_BAG = "1.2.840.113549.1.12.10.1.1";
const LOCKED_KEY_BAG = "1.2.840.113549.1.12.10.1.2";
const CERTIFICATE_BAG = "1.2.840.113549.1.12.10.1.3";
const X509 = "1.2.840.113549.1.9.22.1";
const VERSION = 3;
/** Real files have two. Each may cost as much as its iterations allow. */
const LOCKED_PARTS_MAX = 4;

/** Whether the bytes look like a key store; a certificate in DER begins otherwise. */
export function isKeyStore(bytes: Buffer): boolean {
  try {
    const [version, content] = readDer(bytes).parts;
    return version?.tag === TAG.integer && content?.tag === TAG.sequence;
  } catch {
    return false;
  }
}

/**
 * Opens a key store. Throws `DerError` if it is damaged, and `LockedError` if the passphrase is
 * wrong, or if it is protected in a way that is unknown or would take too long.
 */
export async function readKeyStore(bytes: Buffer, passphrase: string): Promise<KeyStore> {
  const whole = readDer(bytes);
  if (partOf(whole, 0, TAG.integer).content[0] !== VERSION) throw new DerError("another version");
  const content = contentOf(partOf(whole, 1, TAG.sequence));
  const mac = whole.parts[2];
  if (mac !== undefined && !(await isClosedWith(mac, passphrase, content))) {
    throw new LockedError("passphrase");
  }
  const store: KeyStore = { certificates: [], keys: [] };
  const opener = createOpener(passphrase);
  for (const part of readDer(content).parts) {
    const bags = await bagsIn(part, opener);
    for (const bag of bags) await takeBag(bag, opener, store);
  }
  return store;
}

type Opener = (algorithm: DerNode, data: Buffer) => Promise<Buffer>;

function createOpener(passphrase: string): Opener {
  let opened = 0;
  return (algorithm, data) => {
    opened += 1;
    if (opened > LOCKED_PARTS_MAX) throw new LockedError("too-costly");
    return decryptWithPassphrase(algorithm, passphrase, data);
  };
}

/** The octets of a `ContentInfo` that holds plain data. */
function contentOf(info: DerNode): Buffer {
  // Signed key stores exist on paper.
  if (oidOf(partOf(info, 0)) !== DATA) throw new LockedError("unsupported");
  return octetsOf(partOf(partOf(info, 1, TAG.zero), 0));
}

async function bagsIn(info: DerNode, open: Opener): Promise<readonly DerNode[]> {
  if (oidOf(partOf(info, 0)) !== ENCRYPTED_DATA) return readDer(contentOf(info)).parts;
  const locked = partOf(partOf(partOf(info, 1, TAG.zero), 0, TAG.sequence), 1, TAG.sequence);
  const plain = await open(partOf(locked, 1, TAG.sequence), octetsOf(partOf(locked, 2)));
  return readOpened(plain).parts;
}

/** Bytes that a wrong key opened are noise, so a mistake in them speaks of the passphrase. */
function readOpened(plain: Buffer): DerNode {
  try {
    return readDer(plain);
  } catch {
    throw new LockedError("passphrase");
  }
}

async function takeBag(bag: DerNode, open: Opener, store: KeyStore): Promise<void> {
  const kind = oidOf(partOf(bag, 0));
  const value = partOf(partOf(bag, 1, TAG.zero), 0);
  if (kind === KEY_BAG) store.keys.push(value.whole);
  if (kind === LOCKED_KEY_BAG) store.keys.push(await openKey(value, open));
  if (kind === CERTIFICATE_BAG && oidOf(partOf(value, 0)) === X509) {
    store.certificates.push(octetsOf(partOf(partOf(value, 1, TAG.zero), 0)));
  }
}

async function openKey(locked: DerNode, open: Opener): Promise<Buffer> {
  const plain = await open(partOf(locked, 0, TAG.sequence), octetsOf(partOf(locked, 1)));
  readOpened(plain);
  return plain;
}

/** Opens a key that stands alone, as in `BEGIN ENCRYPTED PRIVATE KEY`. */
export function openLockedKey(der: Buffer, passphrase: string): Promise<Buffer> {
  return openKey(readDer(der), createOpener(passphrase));
}
