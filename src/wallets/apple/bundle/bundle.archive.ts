import { crc32 } from "node:zlib";

/**
 * Writes ZIP archives in parts, so that the part which many passes share is written once. Nothing
 * is compressed: pictures are compressed already, and texts are small. All entries have the same
 * date, so that the same files always give the same bytes.
 */

const LOCAL_SIGNATURE = 0x04034b50;
const DIRECTORY_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const LOCAL_BYTES = 30;
const DIRECTORY_BYTES = 46;
const END_BYTES = 22;
const VERSION_NEEDED = 20;
const MADE_ON_UNIX = 3 << 8;
const UTF8_FLAG = 0x800;
/** The first of January 1980, the earliest date that the format knows. */
const DOS_DATE = 0x21;
const READABLE_FILE = 0o100644 * 0x10000;

export type ArchiveFile = { readonly name: string; readonly content: Buffer };

/** The first files of an archive, which many archives share. */
export type ArchiveStart = {
  readonly records: Buffer;
  /** What the directory at the end of the archive says about these files. */
  readonly directory: Buffer;
  readonly count: number;
};

export function archiveStart(files: readonly ArchiveFile[]): ArchiveStart {
  const { records, directory } = sizesOf(files);
  const start = {
    records: Buffer.alloc(records),
    directory: Buffer.alloc(directory),
    count: files.length,
  };
  writeFiles(files, 0, start.records, 0, start.directory, 0);
  return start;
}

const NO_FILES: ArchiveStart = archiveStart([]);

/** What follows the records of the start: the other files, the directory and the end. */
export function archiveRest(files: readonly ArchiveFile[], start = NO_FILES): Buffer {
  const sizes = sizesOf(files);
  const directoryBytes = start.directory.length + sizes.directory;
  const rest = Buffer.alloc(sizes.records + directoryBytes + END_BYTES);
  const directoryAt = sizes.records;
  rest.set(start.directory, directoryAt);
  writeFiles(files, start.records.length, rest, 0, rest, directoryAt + start.directory.length);
  writeEnd(rest, directoryAt + directoryBytes, {
    count: start.count + files.length,
    directoryBytes,
    directoryAt: start.records.length + sizes.records,
  });
  return rest;
}

/** A file in pieces, which stay where they are in memory. */
export type PiecedFile = { readonly name: string; readonly pieces: readonly Buffer[] };

/** An archive in pieces: those of its files, and small ones between them. No content is copied. */
export function archivePieces(files: readonly PiecedFile[]): Buffer[] {
  const archive: Buffer[] = [];
  const listed: Buffer[] = [];
  let at = 0;
  for (const { name, pieces } of files) {
    const nameBytes = Buffer.byteLength(name);
    const header = Buffer.alloc(LOCAL_BYTES + nameBytes);
    const directory = Buffer.alloc(DIRECTORY_BYTES + nameBytes);
    writeHeader(header, 0, name, pieces);
    list(header, 0, directory, 0, { name, at });
    archive.push(header, ...pieces);
    listed.push(directory);
    at += header.length + bytesOf(pieces);
  }
  const end = Buffer.alloc(END_BYTES);
  writeEnd(end, 0, { count: files.length, directoryBytes: bytesOf(listed), directoryAt: at });
  return [...archive, ...listed, end];
}

export function bytesOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((total, { length }) => total + length, 0);
}

type End = {
  readonly count: number;
  readonly directoryBytes: number;
  readonly directoryAt: number;
};

function writeEnd(target: Buffer, at: number, { count, directoryBytes, directoryAt }: End): void {
  target.writeUInt32LE(END_SIGNATURE, at);
  target.writeUInt16LE(count, at + 8);
  target.writeUInt16LE(count, at + 10);
  target.writeUInt32LE(directoryBytes, at + 12);
  target.writeUInt32LE(directoryAt, at + 16);
}

function sizesOf(files: readonly ArchiveFile[]): { records: number; directory: number } {
  let [records, directory] = [0, 0];
  for (const { name, content } of files) {
    const nameBytes = Buffer.byteLength(name);
    records += LOCAL_BYTES + nameBytes + content.length;
    directory += DIRECTORY_BYTES + nameBytes;
  }
  return { records, directory };
}

/** `offset` is where the records of these files begin in the archive. */
function writeFiles(
  files: readonly ArchiveFile[],
  offset: number,
  records: Buffer,
  recordsAt: number,
  directory: Buffer,
  directoryAt: number,
): void {
  let [at, listedAt] = [recordsAt, directoryAt];
  for (const { name, content } of files) {
    const nameBytes = writeHeader(records, at, name, [content]);
    records.set(content, at + LOCAL_BYTES + nameBytes);
    list(records, at, directory, listedAt, { name, at: offset + at - recordsAt });
    at += LOCAL_BYTES + nameBytes + content.length;
    listedAt += DIRECTORY_BYTES + nameBytes;
  }
}

/** What stands before the content of a file. Returns how long its name is. */
function writeHeader(target: Buffer, at: number, name: string, content: readonly Buffer[]): number {
  target.writeUInt32LE(LOCAL_SIGNATURE, at);
  const nameBytes = target.write(name, at + LOCAL_BYTES);
  writeFacts(target, at + 4, nameBytes, content);
  return nameBytes;
}

type Listed = {
  readonly name: string;
  /** Where the header of the file is in the archive. */
  readonly at: number;
};

/** Lists a file in the directory, by its header. */
function list(
  headers: Buffer,
  headerAt: number,
  directory: Buffer,
  listedAt: number,
  { name, at }: Listed,
): void {
  directory.writeUInt32LE(DIRECTORY_SIGNATURE, listedAt);
  directory.writeUInt16LE(MADE_ON_UNIX | VERSION_NEEDED, listedAt + 4);
  headers.copy(directory, listedAt + 6, headerAt + 4, headerAt + LOCAL_BYTES);
  directory.writeUInt32LE(READABLE_FILE, listedAt + 38);
  directory.writeUInt32LE(at, listedAt + 42);
  directory.write(name, listedAt + DIRECTORY_BYTES);
}

/** The fields from "version needed" to "length of the name", which both descriptions share. */
function writeFacts(
  target: Buffer,
  at: number,
  nameBytes: number,
  content: readonly Buffer[],
): void {
  const checksum = content.reduce((sum, piece) => crc32(piece, sum), 0);
  const sizeBytes = bytesOf(content);
  target.writeUInt16LE(VERSION_NEEDED, at);
  target.writeUInt16LE(UTF8_FLAG, at + 2);
  target.writeUInt16LE(DOS_DATE, at + 8);
  target.writeUInt32LE(checksum, at + 10);
  target.writeUInt32LE(sizeBytes, at + 14);
  target.writeUInt32LE(sizeBytes, at + 18);
  target.writeUInt16LE(nameBytes, at + 22);
}
