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
  const endAt = directoryAt + directoryBytes;
  const count = start.count + files.length;
  rest.writeUInt32LE(END_SIGNATURE, endAt);
  rest.writeUInt16LE(count, endAt + 8);
  rest.writeUInt16LE(count, endAt + 10);
  rest.writeUInt32LE(directoryBytes, endAt + 12);
  rest.writeUInt32LE(start.records.length + sizes.records, endAt + 16);
  return rest;
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
    records.writeUInt32LE(LOCAL_SIGNATURE, at);
    const nameBytes = records.write(name, at + LOCAL_BYTES);
    writeFacts(records, at + 4, nameBytes, content);
    records.set(content, at + LOCAL_BYTES + nameBytes);
    directory.writeUInt32LE(DIRECTORY_SIGNATURE, listedAt);
    directory.writeUInt16LE(MADE_ON_UNIX | VERSION_NEEDED, listedAt + 4);
    records.copy(directory, listedAt + 6, at + 4, at + LOCAL_BYTES);
    directory.writeUInt32LE(READABLE_FILE, listedAt + 38);
    directory.writeUInt32LE(offset + at - recordsAt, listedAt + 42);
    directory.write(name, listedAt + DIRECTORY_BYTES);
    at += LOCAL_BYTES + nameBytes + content.length;
    listedAt += DIRECTORY_BYTES + nameBytes;
  }
}

/** The fields from "version needed" to "length of the name", which both descriptions share. */
function writeFacts(target: Buffer, at: number, nameBytes: number, content: Buffer): void {
  target.writeUInt16LE(VERSION_NEEDED, at);
  target.writeUInt16LE(UTF8_FLAG, at + 2);
  target.writeUInt16LE(DOS_DATE, at + 8);
  target.writeUInt32LE(crc32(content), at + 10);
  target.writeUInt32LE(content.length, at + 14);
  target.writeUInt32LE(content.length, at + 18);
  target.writeUInt16LE(nameBytes, at + 22);
}
