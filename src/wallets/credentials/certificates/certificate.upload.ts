import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { validationProblem } from "#kernel/errors.ts";
import { DerError } from "../../der/der.read.ts";
import { LockedError } from "../pkcs12/password-encryption.ts";
import { isKeyStore, openLockedKey, readKeyStore } from "../pkcs12/pkcs12.ts";
import type { AppleCertificatePut } from "./certificate.schema.ts";

/** What was sent, read: from which member of the body each part came is kept for the answers. */
export type Upload = {
  readonly leaf: X509Certificate;
  readonly key: KeyObject | undefined;
  /** Certificates that may have issued the leaf. */
  readonly others: readonly X509Certificate[];
  readonly fields: { readonly leaf: Field; readonly key: Field; readonly others: Field };
};
export type Field = "file" | "certificate" | "key" | "passphrase" | "intermediate";

/** What one member of the body holds. */
type Holding = { readonly certificates: X509Certificate[]; readonly keys: KeyObject[] };

const FILE_BYTES_MAX = 64 * 1024;
const BLOCKS_MAX = 10;

/** Throws a 400 that names the member and says in plain words what is wrong with it. */
export async function readUpload(sent: AppleCertificatePut): Promise<Upload> {
  const field = sent.file === undefined ? "certificate" : "file";
  if (sent.file !== undefined && sent.certificate !== undefined) {
    throw fault("certificate", "must not be sent together with 'file'");
  }
  const main = await readMain(sent, field);
  const key = await readKey(sent, main, field);
  const leaf = leafOf(main.certificates, key.value);
  if (leaf === undefined) throw fault(field, "holds no certificate");
  requireKind(key.value, key.field);
  const rest = main.certificates.filter((certificate) => certificate !== leaf);
  const sentApart = sent.intermediate === undefined ? [] : readIntermediate(sent.intermediate);
  return {
    leaf,
    key: key.value,
    others: sentApart.length > 0 ? sentApart : rest,
    fields: {
      leaf: field,
      key: key.field,
      others: sentApart.length > 0 ? "intermediate" : field,
    },
  };
}

export function fault(field: Field, message: string) {
  return validationProblem({ [field]: [message] });
}

function readMain(sent: AppleCertificatePut, field: "file" | "certificate"): Promise<Holding> {
  const passphrase = sent.passphrase ?? "";
  if (sent.file !== undefined) return readFile(sent.file, passphrase);
  if (sent.certificate === undefined) {
    const message =
      "is needed: the .p12 file or the certificate in base64; or send 'certificate' in PEM";
    throw fault("file", message);
  }
  if (!isPem(sent.certificate)) throw fault(field, "is not a certificate in PEM");
  return readPem(sent.certificate, passphrase, field);
}

async function readFile(text: string, passphrase: string): Promise<Holding> {
  const bytes = fromBase64(text, "file");
  if (isPem(bytes.toString("latin1"))) return readPem(bytes.toString(), passphrase, "file");
  if (isKeyStore(bytes)) return await openKeyStore(bytes, passphrase);
  const certificate = certificateFrom(bytes);
  if (certificate !== undefined) return { certificates: [certificate], keys: [] };
  throw fault("file", "is neither a .p12 file nor a certificate, or it is damaged");
}

/** Strict, because `Buffer` passes over what is not base64 and would give other bytes. */
function fromBase64(text: string, field: Field): Buffer {
  const compact = text.replaceAll(/\s/g, "");
  const bytes = Buffer.from(compact, "base64");
  if (bytes.toString("base64").replaceAll("=", "") !== compact.replaceAll("=", "")) {
    throw fault(field, "is not base64");
  }
  if (bytes.length === 0) throw fault(field, "is empty");
  if (bytes.length > FILE_BYTES_MAX) {
    throw fault(field, `is larger than ${FILE_BYTES_MAX / 1024} KiB`);
  }
  return bytes;
}

async function openKeyStore(bytes: Buffer, passphrase: string): Promise<Holding> {
  const store = await unlocked("file", passphrase, () => readKeyStore(bytes, passphrase));
  const certificates = store.certificates.map((der) => {
    const certificate = certificateFrom(der);
    if (certificate === undefined) throw fault("file", "holds a certificate that is damaged");
    return certificate;
  });
  return { certificates, keys: store.keys.map((der) => keyFrom(der, "file")) };
}

/** Says in plain words why something that a passphrase protects does not open. */
async function unlocked<Result>(
  field: Field,
  passphrase: string,
  open: () => Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof DerError) throw fault(field, "is damaged, or not complete");
    if (!(error instanceof LockedError)) throw error;
    if (error.why === "passphrase") {
      const message =
        passphrase === ""
          ? `is needed: '${field}' is protected by one`
          : `does not open '${field}'`;
      throw fault("passphrase", message);
    }
    const reason =
      error.why === "too-costly"
        ? "is protected by more rounds than are allowed here"
        : "is protected in a way that is not known here";
    throw fault(field, `${reason}; export it again, or convert it with OpenSSL to PEM`);
  }
}

/** Real ones have 1 to 2 KiB. What is larger is taken for damaged. */
const CERTIFICATE_BYTES_MAX = 16 * 1024;

function certificateFrom(bytes: Buffer | string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(bytes);
    return certificate.raw.length > CERTIFICATE_BYTES_MAX ? undefined : certificate;
  } catch {
    return undefined;
  }
}

function requireKind(key: KeyObject | undefined, field: Field): void {
  if (key === undefined || key.asymmetricKeyType === "rsa") return;
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return;
  throw fault(field, "holds a key of another kind than RSA, or elliptic on the curve P-256");
}

function keyFrom(der: Buffer, field: Field): KeyObject {
  try {
    return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  } catch {
    throw fault(field, "holds a private key that cannot be read");
  }
}

type Block = { readonly label: string; readonly text: string; readonly body: string };
const BEGIN = "-----BEGIN ";
const DASHES = "-----";

function isPem(text: string): boolean {
  return text.includes(BEGIN);
}

/** Searches by hand: a pattern over hostile text would go over it again and again. */
function blocksIn(text: string, field: Field): Block[] {
  const blocks: Block[] = [];
  for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, at)) {
    const labelEnd = text.indexOf(DASHES, at + BEGIN.length);
    const label = text.slice(at + BEGIN.length, labelEnd < 0 ? at : labelEnd);
    const end = `-----END ${label}-----`;
    const endAt = label === "" || label.length > 40 ? -1 : text.indexOf(end, at);
    if (endAt < 0) throw fault(field, "is cut off: a block in PEM has no end");
    if (blocks.length === BLOCKS_MAX) throw fault(field, `holds more than ${BLOCKS_MAX} parts`);
    const body = text.slice(labelEnd + DASHES.length, endAt);
    blocks.push({ label, body, text: `${text.slice(at, endAt)}${end}\n` });
    at = endAt + end.length;
  }
  return blocks;
}

async function readPem(text: string, passphrase: string, field: Field): Promise<Holding> {
  const holding: Holding = { certificates: [], keys: [] };
  for (const block of blocksIn(text, field)) {
    if (block.label === "CERTIFICATE" || block.label === "TRUSTED CERTIFICATE") {
      const certificate = certificateFrom(block.text);
      if (certificate === undefined) throw fault(field, "holds a certificate that is damaged");
      holding.certificates.push(certificate);
    } else if (block.label.endsWith("PRIVATE KEY")) {
      holding.keys.push(await keyFromPem(block, passphrase, field));
    }
  }
  return holding;
}

async function keyFromPem(block: Block, passphrase: string, field: Field): Promise<KeyObject> {
  if (block.label === "ENCRYPTED PRIVATE KEY") {
    // Not by OpenSSL: it would make as many rounds as the file asks for, and hold up all others.
    const der = Buffer.from(block.body, "base64");
    const plain = await unlocked(field, passphrase, () => openLockedKey(der, passphrase));
    return keyFrom(plain, field);
  }
  try {
    return createPrivateKey({ key: block.text, format: "pem", passphrase });
  } catch {
    if (!block.text.includes("ENCRYPTED")) {
      throw fault(field, "holds a private key that cannot be read");
    }
    return await unlocked(field, passphrase, () => Promise.reject(new LockedError("passphrase")));
  }
}

async function readKey(
  sent: AppleCertificatePut,
  main: Holding,
  field: Field,
): Promise<{ value: KeyObject | undefined; field: Field }> {
  if (sent.key === undefined) return { value: belonging(main), field };
  if (!isPem(sent.key)) throw fault("key", "is not a private key in PEM");
  const { keys } = await readPem(sent.key, sent.passphrase ?? "", "key");
  if (keys[0] === undefined) throw fault("key", "holds no private key");
  return { value: belonging({ ...main, keys }), field: "key" };
}

/** Of several keys that which a certificate belongs to; a file from Keychain may hold many. */
function belonging({ certificates, keys }: Holding): KeyObject | undefined {
  const fits = (key: KeyObject) => certificates.some((each) => each.checkPrivateKey(key));
  return keys.find(fits) ?? keys[0];
}

function leafOf(
  certificates: readonly X509Certificate[],
  key: KeyObject | undefined,
): X509Certificate | undefined {
  const own = key && certificates.find((each) => each.checkPrivateKey(key));
  return own ?? certificates.find(({ subject }) => /^UID=pass\./m.test(subject)) ?? certificates[0];
}

/** Apple offers its intermediate certificates for download in DER. */
function readIntermediate(text: string): X509Certificate[] {
  const field = "intermediate";
  const found = isPem(text)
    ? blocksIn(text, field).map((block) => certificateFrom(block.text))
    : [certificateFrom(fromBase64(text, field))];
  const certificates = found.filter((each) => each !== undefined);
  if (certificates.length === 0 || certificates.length < found.length) {
    throw fault(field, "is not a certificate, or it is damaged");
  }
  return certificates;
}
