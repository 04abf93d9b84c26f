import { crc32, inflateRawSync } from "node:zlib";

/** Limits far above what a pass needs. */
const ENTRIES_MAX = 500;
const FILE_BYTES_MAX = 8 * 1024 * 1024;
const TOTAL_BYTES_MAX = 32 * 1024 * 1024;

const END = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;

/** Reads the files of an archive as a phone does: strictly, and from its directory. */
export function readZip(archive: Buffer): Map<string, Buffer> {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > ENTRIES_MAX) throw new Error("The archive has too many files.");
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > end || archive.readUInt32LE(at) !== ENTRY) {
      throw new Error("The directory of the archive is broken.");
    }
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    const isFolder = name.endsWith("/");
    if (!isFolder) {
      if (files.has(name)) throw new Error(`The archive holds ${name} twice.`);
      const content = readFile(archive, at, name);
      total += content.length;
      if (total > TOTAL_BYTES_MAX) throw new Error("The archive is too large.");
      files.set(name, content);
    }
    at += ENTRY_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

function findEnd(archive: Buffer): number {
  const last = archive.length - END_BYTES;
  for (let at = last; at >= 0 && at >= last - COMMENT_BYTES_MAX; at -= 1) {
    if (archive.readUInt32LE(at) === END) return at;
  }
  throw new Error("The file is no ZIP archive.");
}

function readFile(archive: Buffer, entry: number, name: string): Buffer {
  if ((archive.readUInt16LE(entry + 8) & ENCRYPTED_FLAG) !== 0) {
    throw new Error(`${name} is encrypted.`);
  }
  const method = archive.readUInt16LE(entry + 10);
  const [packedBytes, bytes] = [archive.readUInt32LE(entry + 20), archive.readUInt32LE(entry + 24)];
  const local = archive.readUInt32LE(entry + 42);
  if (bytes > FILE_BYTES_MAX) throw new Error(`${name} is too large.`);
  if (local + LOCAL_BYTES > archive.length || archive.readUInt32LE(local) !== LOCAL) {
    throw new Error(`${name} is not where the directory says.`);
  }
  const start =
    local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + packedBytes);
  const content = unpack(method, packed, name);
  if (content.length !== bytes || crc32(content) !== archive.readUInt32LE(entry + 16)) {
    throw new Error(`${name} is damaged.`);
  }
  return content;
}

function unpack(method: number, packed: Buffer, name: string): Buffer {
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed, { maxOutputLength: FILE_BYTES_MAX });
  throw new Error(`${name} is compressed in an unknown way.`);
}
