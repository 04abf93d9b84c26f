import { hash, type KeyObject, sign, type X509Certificate } from "node:crypto";
import { partOf, readDer, TAG } from "../../der/der.read.ts";
import {
  der,
  integer,
  nothing,
  octets,
  oid,
  sequence,
  setOf,
  tagged,
  time,
} from "../../der/der.write.ts";

/**
 * Detached signatures in the Cryptographic Message Syntax (RFC 5652), as Apple Wallet reads them.
 */

const SIGNED_DATA = oid("1.2.840.113549.1.7.2");
const DATA = oid("1.2.840.113549.1.7.1");
const CONTENT_TYPE = oid("1.2.840.113549.1.9.3");
const MESSAGE_DIGEST = oid("1.2.840.113549.1.9.4");
const SIGNING_TIME = oid("1.2.840.113549.1.9.5");
const SHA_256 = sequence(oid("2.16.840.1.101.3.4.2.1"));
const RSA = sequence(oid("1.2.840.113549.1.1.1"), nothing);
const ECDSA_WITH_SHA_256 = sequence(oid("1.2.840.10045.4.3.2"));

const VERSION = integer(1);
const SET_TAG = 0x31;
const ATTRIBUTES_TAG = 0xa0;

export type DetachedSigner = (content: Uint8Array, at: Date) => Promise<Buffer>;

/**
 * Everything that is the same in all signatures of a certificate is written once: signatures of the
 * same length differ only in the signed attributes and in the signature itself, which is at the
 * end. The key is used in a thread of the pool, so that the event loop does not wait for it.
 */
export function createDetachedSigner(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  key: KeyObject,
): DetachedSigner {
  const head = Buffer.concat([
    VERSION,
    setOf(SHA_256),
    sequence(DATA),
    tagged(0, ...[leaf, ...intermediates].map(({ raw }) => raw).toSorted(Buffer.compare)),
  ]);
  const signerHead = Buffer.concat([VERSION, issuerAndSerial(leaf.raw), SHA_256]);
  const algorithm = key.asymmetricKeyType === "ec" ? ECDSA_WITH_SHA_256 : RSA;
  const forms = new Map<string, MessageForm>();
  const formFor = (attributes: Buffer, signature: Buffer): MessageForm => {
    const name = `${attributes.length} ${signature.length}`;
    const known = forms.get(name);
    if (known !== undefined) return known;
    const tail = Buffer.concat([attributes, algorithm, octets(signature)]);
    const signer = der(SET_TAG, sequence(signerHead, tail));
    const message = sequence(SIGNED_DATA, tagged(0, sequence(head, signer)));
    const form = { message, attributesAt: message.length - tail.length };
    forms.set(name, form);
    return form;
  };
  return async (content, at) => {
    const attributes = signedAttributes(content, at);
    const signature = await signWith(key, attributes);
    const { message, attributesAt } = formFor(attributes, signature);
    const written = Buffer.from(message);
    written.set(attributes, attributesAt);
    // What is signed is a set. In the message, a tag tells the same bytes from other members.
    written[attributesAt] = ATTRIBUTES_TAG;
    written.set(signature, written.length - signature.length);
    return written;
  };
}

type MessageForm = { readonly message: Buffer; readonly attributesAt: number };

const TYPE_ATTRIBUTE = sequence(CONTENT_TYPE, setOf(DATA));
const SECOND_MS = 1_000;
const DIGEST_BYTES = 32;

type AttributesForm = {
  readonly second: number;
  readonly attributes: Buffer;
  readonly digestAt: number;
};
let lastForm: AttributesForm | undefined;

/** Signatures within a second differ only in the digest. */
function signedAttributes(content: Uint8Array, at: Date): Buffer {
  const second = Math.floor(at.getTime() / SECOND_MS);
  if (lastForm?.second !== second) lastForm = attributesForm(second, at);
  const attributes = Buffer.from(lastForm.attributes);
  attributes.set(hash("sha256", content, "buffer"), lastForm.digestAt);
  return attributes;
}

function attributesForm(second: number, at: Date): AttributesForm {
  const digest = sequence(MESSAGE_DIGEST, setOf(octets(Buffer.alloc(DIGEST_BYTES))));
  // The longest attribute, so it is the last one in the order of DER, whatever the digest is.
  const attributes = setOf(TYPE_ATTRIBUTE, sequence(SIGNING_TIME, setOf(time(at))), digest);
  return { second, attributes, digestAt: attributes.length - DIGEST_BYTES };
}

function signWith(key: KeyObject, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign("sha256", bytes, key, (error, signature) => {
      if (error === null) resolve(signature);
      else reject(error);
    });
  });
}

/** A certificate is named by its issuer and its number, copied byte for byte. */
function issuerAndSerial(certificate: Buffer): Buffer {
  const content = partOf(readDer(certificate), 0, TAG.sequence);
  // Certificates of version 1 have no version before the number.
  const first = content.parts[0]?.tag === TAG.zero ? 1 : 0;
  const serial = partOf(content, first, TAG.integer);
  const issuer = partOf(content, first + 2, TAG.sequence);
  return sequence(issuer.whole, serial.whole);
}
