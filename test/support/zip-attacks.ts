import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

/*
 * ZIP archives byte by byte, with every field open to lies. Shares nothing with the product, so that
 * neither can hide a mistake of the other.
 */

export type AttackEntry = {
  readonly name: string | Buffer;
  readonly content?: Buffer | string;
  /** 0 stored, 8 deflated (given), anything else: the content as it is. */
  readonly method?: number;
  readonly flags?: number;
  /** Bytes in place of the compressed content. */
  readonly data?: Buffer;
  readonly crc?: number;
  readonly compressedSize?: number;
  readonly uncompressedSize?: number;
  readonly attributes?: number;
  readonly extra?: Buffer;
  readonly madeBy?: number;
  /** Fields of the local header that differ from the directory. */
  readonly local?: {
    readonly name?: string;
    readonly method?: number;
    readonly flags?: number;
    readonly crc?: number;
    readonly compressedSize?: number;
    readonly uncompressedSize?: number;
    readonly extra?: Buffer;
  };
  /** Where the directory says the local header is; no local header is written then. */
  readonly offset?: number;
  /** Written behind the data. */
  readonly trailer?: Buffer;
};

export type AttackArchive = {
  readonly before?: Buffer;
  readonly beforeDirectory?: Buffer;
  readonly beforeEnd?: Buffer;
  readonly after?: Buffer;
  readonly comment?: Buffer;
  readonly count?: number;
  readonly countOnDisk?: number;
  readonly disk?: number;
  readonly directorySize?: number;
  readonly directoryOffset?: number;
};

const le = (bytes: 2 | 4 | 8, value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer.subarray(0, bytes);
};

export function buildZip(entries: readonly AttackEntry[], archive: AttackArchive = {}): Buffer {
  const parts: Buffer[] = [archive.before ?? Buffer.alloc(0)];
  const directory: Buffer[] = [];
  let at = parts[0]?.length ?? 0;
  for (const entry of entries) {
    const offset = entry.offset ?? at;
    if (entry.offset === undefined) {
      const body = localPart(entry);
      parts.push(body);
      at += body.length;
    }
    directory.push(directoryPart(entry, offset));
  }
  const list = Buffer.concat(directory);
  const before = archive.beforeDirectory ?? Buffer.alloc(0);
  const comment = archive.comment ?? Buffer.alloc(0);
  const end = Buffer.concat([
    Buffer.from("PK\x05\x06"),
    le(2, archive.disk ?? 0),
    le(2, archive.disk ?? 0),
    le(2, archive.countOnDisk ?? archive.count ?? entries.length),
    le(2, archive.count ?? entries.length),
    le(4, archive.directorySize ?? list.length),
    le(4, archive.directoryOffset ?? at + before.length),
    le(2, comment.length),
    comment,
  ]);
  const beforeEnd = archive.beforeEnd ?? Buffer.alloc(0);
  return Buffer.concat([...parts, before, list, beforeEnd, end, archive.after ?? Buffer.alloc(0)]);
}

function facts(entry: AttackEntry) {
  const content = Buffer.from(entry.content ?? "");
  const method = entry.method ?? 8;
  const data = entry.data ?? (method === 8 ? deflateRawSync(content) : content);
  return {
    name: Buffer.from(entry.name),
    method,
    data,
    flags: entry.flags ?? 0x800,
    crc: entry.crc ?? crc32(content),
    compressedSize: entry.compressedSize ?? data.length,
    uncompressedSize: entry.uncompressedSize ?? content.length,
    extra: entry.extra ?? Buffer.alloc(0),
  };
}

const shared = (f: ReturnType<typeof facts>): Buffer[] => [
  le(2, 20),
  le(2, f.flags),
  le(2, f.method),
  le(2, 0),
  le(2, 0x21),
  le(4, f.crc),
  le(4, f.compressedSize),
  le(4, f.uncompressedSize),
  le(2, f.name.length),
  le(2, f.extra.length),
];

/** A local header and its data, as they lie in the archive. */
export function localPart(entry: AttackEntry): Buffer {
  const { data, ...directoryFacts } = facts(entry);
  const { name, ...lies } = entry.local ?? {};
  const f = { ...directoryFacts, ...lies, data };
  if (name !== undefined) f.name = Buffer.from(name);
  const trailer = entry.trailer ?? Buffer.alloc(0);
  return Buffer.concat([Buffer.from("PK\x03\x04"), ...shared(f), f.name, f.extra, data, trailer]);
}

function directoryPart(entry: AttackEntry, offset: number): Buffer {
  const f = facts(entry);
  return Buffer.concat([
    Buffer.from("PK\x01\x02"),
    le(2, entry.madeBy ?? 0x0314),
    ...shared(f),
    le(2, 0),
    le(2, 0),
    le(2, 0),
    le(4, entry.attributes ?? 0),
    le(4, offset),
    f.name,
    f.extra,
  ]);
}

export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([le(2, id), le(2, data.length), data]);
}

/** A ZIP64 end record and its locator, to stand before the plain end record. */
export function zip64End(
  count: number,
  directorySize: number,
  directoryOffset: number,
  recordOffset: number,
): Buffer {
  const record = Buffer.concat([
    Buffer.from("PK\x06\x06"),
    le(8, 44),
    le(2, 45),
    le(2, 45),
    le(4, 0),
    le(4, 0),
    le(8, count),
    le(8, count),
    le(8, directorySize),
    le(8, directoryOffset),
  ]);
  const locator = Buffer.concat([
    Buffer.from("PK\x06\x07"),
    le(4, 0),
    le(8, recordOffset),
    le(4, 1),
  ]);
  return Buffer.concat([record, locator]);
}

/** Data that follows an entry written to a pipe. */
export function descriptor(content: Buffer, compressedSize: number): Buffer {
  return Buffer.concat([
    Buffer.from("PK\x07\x08"),
    le(4, crc32(content)),
    le(4, compressedSize),
    le(4, content.length),
  ]);
}

/** Reads an honest archive from front to back by its local headers alone. */
export function readHonestZip(bytes: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let at = 0;
  while (bytes.toString("latin1", at, at + 4) === "PK\x03\x04") {
    const nameBytes = bytes.readUInt16LE(at + 26);
    const start = at + 30 + nameBytes + bytes.readUInt16LE(at + 28);
    const end = start + bytes.readUInt32LE(at + 18);
    const data = bytes.subarray(start, end);
    const content = bytes.readUInt16LE(at + 8) === 8 ? inflateRawSync(data) : data;
    files.set(bytes.toString("utf8", at + 30, at + 30 + nameBytes), Buffer.from(content));
    at = end;
  }
  return files;
}
