import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32, type InflateRaw, inflateRaw, type ZlibOptions } from "node:zlib";
import { type FileProblems, type FileSet, ProblemList, toFileSet } from "../file-set.ts";
import type { ZipEntry } from "./directory.ts";

export type ZipReading =
  | { readonly ok: true; readonly files: Map<string, Buffer> }
  | { readonly ok: false; readonly problems: FileProblems };

/**
 * The memory that the contents need beside the archive. Stored contents need none, because they are
 * slices of the archive.
 */
export function inflatedBytes(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, { deflated, sizeBytes }) => sum + (deflated ? sizeBytes : 0), 0);
}

/**
 * Returns the files of an untrusted archive, or everything that is wrong with it. Needs no more
 * than the limits of a file set allow, whatever the archive declares. An archive in an archive is
 * not opened.
 */
export async function readEntries(entries: readonly ZipEntry[]): Promise<ZipReading> {
  const problems = new ProblemList();
  const files: [string, Buffer][] = [];
  for (const entry of entries) {
    const content = await readContent(entry);
    if (content === undefined)
      problems.add(entry.path, "is damaged: its content is not as described");
    else files.push([entry.path, content]);
  }
  const refused = problems.result();
  return refused === undefined
    ? { ok: true, files: toFileSet(files) }
    : { ok: false, problems: refused };
}

/** Undefined if the size or the checksum differs from the declared one. */
async function readContent(entry: ZipEntry): Promise<Buffer | undefined> {
  const content = entry.deflated ? await inflate(entry.data, entry.sizeBytes) : entry.data;
  if (content === undefined || content.length !== entry.sizeBytes) return undefined;
  return (await checksum(content)) === entry.crc32 ? content : undefined;
}

/** The checksum of so many bytes takes a few milliseconds. */
const TURN_BYTES = 4 * 1024 * 1024;

async function checksum(content: Buffer): Promise<number> {
  let sum = 0;
  for (let at = 0; at < content.length; at += TURN_BYTES) {
    if (at > 0) await nextTurn();
    sum = crc32(content.subarray(at, at + TURN_BYTES), sum);
  }
  return sum;
}

const CHUNK_BYTES_MIN = 64;
const CHUNK_BYTES_MAX = 1024 * 1024;

/** Stops at the declared size, so that a false size costs no memory. Refuses data after the end. */
function inflate(data: Buffer, sizeBytes: number): Promise<Buffer | undefined> {
  const options: ZlibOptions = {
    maxOutputLength: Math.max(1, sizeBytes),
    chunkSize: Math.min(Math.max(CHUNK_BYTES_MIN, sizeBytes), CHUNK_BYTES_MAX),
    info: true,
  };
  return new Promise((resolve) => {
    inflateRaw(data, options, (error, result) => {
      if (error !== null) return resolve(undefined);
      // With `info`, the result also has the engine, which knows how many bytes were read.
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: InflateRaw };
      resolve(engine.bytesWritten === data.length ? buffer : undefined);
    });
  });
}

const LOCAL_SIGNATURE = 0x04034b50;
const DIRECTORY_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const VERSION_NEEDED = 20;
const MADE_ON_UNIX = 3 << 8;
const UTF8_FLAG = 0x800;
const READABLE_FILE = 0o100644 * 0x10000;

/**
 * Writes the same bytes for the same files and date on every machine. So nothing is compressed,
 * because the output of deflate depends on the version of zlib; pictures are compressed already,
 * and texts are small. No library is used, because libraries write the date in the local time zone.
 */
export async function* zipPieces(files: FileSet, date: Date): AsyncGenerator<Buffer> {
  const { dosTime, dosDate } = toDosTime(date);
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of toFileSet(files)) {
    const name = Buffer.from(path, "utf8");
    // The fields from "version needed" to "extra field length", which both descriptions share.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(VERSION_NEEDED, 0);
    facts.writeUInt16LE(UTF8_FLAG, 2);
    facts.writeUInt16LE(dosTime, 6);
    facts.writeUInt16LE(dosDate, 8);
    facts.writeUInt32LE(await checksum(content), 10);
    facts.writeUInt32LE(content.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    yield Buffer.concat([uint32(LOCAL_SIGNATURE), facts, name]);
    yield content;
    directory.push(directoryRecord(facts, name, offset));
    offset += 4 + facts.length + name.length + content.length;
  }
  yield Buffer.concat([...directory, endRecord(directory, offset)]);
}

export async function writeZip(files: FileSet, date: Date): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of zipPieces(files, date)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const HEAD_BYTES = 30;
const DIRECTORY_BYTES = 46;
const END_BYTES = 22;

/** The size of the whole archive, known before it is written. */
export function zipSizeBytes(files: FileSet): number {
  let size = END_BYTES;
  for (const [path, content] of files) {
    size += HEAD_BYTES + DIRECTORY_BYTES + 2 * Buffer.byteLength(path) + content.length;
  }
  return size;
}

function directoryRecord(facts: Buffer, name: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(DIRECTORY_SIGNATURE, 0);
  head.writeUInt16LE(MADE_ON_UNIX | VERSION_NEEDED, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(READABLE_FILE, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, facts, tail, name]);
}

function endRecord(directory: readonly Buffer[], offset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(END_SIGNATURE, 0);
  record.writeUInt16LE(directory.length, 8);
  record.writeUInt16LE(directory.length, 10);
  record.writeUInt32LE(
    directory.reduce((total, entry) => total + entry.length, 0),
    12,
  );
  record.writeUInt32LE(offset, 16);
  return record;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** In UTC, in steps of two seconds, and within the years of the format. */
function toDosTime(date: Date): { dosTime: number; dosDate: number } {
  const earliest = Date.UTC(1980, 0, 1);
  const latest = Date.UTC(2107, 11, 31, 23, 59, 58);
  const at = new Date(Math.min(Math.max(date.getTime(), earliest), latest));
  return {
    dosTime: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    dosDate: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}
