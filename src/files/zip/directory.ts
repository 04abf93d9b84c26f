import { isUtf8 } from "node:buffer";
import yauzl from "yauzl";
import { messageOf } from "#kernel/errors.ts";
import {
  COMPRESSION_RATIO_MAX,
  FILE_COUNT_MAX,
  type FileProblems,
  fileSetProblems,
  ProblemList,
  pathProblem,
} from "../file-set.ts";

/** A file of an archive whose content is not checked yet. `data` is as it is in the archive. */
export type ZipEntry = {
  readonly path: string;
  readonly deflated: boolean;
  readonly crc32: number;
  readonly sizeBytes: number;
  readonly data: Buffer;
};

export type ZipDirectory =
  | { readonly ok: true; readonly entries: readonly ZipEntry[] }
  | { readonly ok: false; readonly problems: FileProblems };

/** Allows more entries than files, because most programs add an empty entry for each folder. */
const ENTRY_COUNT_MAX = 2 * FILE_COUNT_MAX;
/** Below this size the ratio is not limited, because the result is small anyway. */
const RATIO_FREE_BYTES = 1024 * 1024;

const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const DIRECTORY_RECORD_BYTES = 46;

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 0x1;
const DESCRIPTOR_FLAG = 0x8;
const UTF8_FLAG = 0x800;
const MASKED_HEADERS_FLAG = 0x2000;
const IN_ZIP64_FIELD = 0xffffffff;
/**
 * Programs that write to a pipe repeat the sizes after the data: with or without a signature, in 32
 * or 64 bits.
 */
const DESCRIPTOR_BYTES: ReadonlySet<number> = new Set([12, 16, 20, 24]);

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

type Listed = { readonly name: string; readonly record: yauzl.Entry };
type Located = Listed & { readonly header: yauzl.LocalFileHeader };

/**
 * Reads the directory of an archive and trusts none of it. Names, types and sizes are checked
 * before anything is inflated. The entries must fill the archive without gaps or overlaps, so that
 * two programs cannot see different files in it.
 */
export async function readZipDirectory(bytes: Buffer): Promise<ZipDirectory> {
  try {
    const zip = await yauzl.fromBufferPromise(bytes, {
      // Names are decoded here, so that all wrong names are reported, not only the first one.
      decodeStrings: false,
      validateEntrySizes: false,
    });
    if (zip.entryCount > ENTRY_COUNT_MAX) return refuse(`holds more than ${FILE_COUNT_MAX} files`);
    const endProblem = endRecordProblem(bytes, zip);
    if (endProblem !== undefined) return refuse(endProblem);
    return await checkEntries(bytes, zip);
  } catch (error) {
    // The reader gets nothing but the archive, so every error is caused by the archive.
    return refuse(`is not a ZIP archive, or it is damaged (${messageOf(error).split(". ")[0]})`);
  }
}

function refuse(problem: string): ZipDirectory {
  return { ok: false, problems: { archive: [problem] } };
}

/** An archive within our limits needs a single plain end record, directly after its directory. */
function endRecordProblem(bytes: Buffer, zip: yauzl.ZipFile): string | undefined {
  const end = bytes.length - END_RECORD_BYTES - zip.comment.length;
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator >= 0 && bytes.readUInt32LE(locator) === ZIP64_LOCATOR_SIGNATURE) {
    return "is in the ZIP64 format, which nothing of this size needs";
  }
  if (bytes.readUInt16LE(end + 6) !== 0 || bytes.readUInt16LE(end + 8) !== zip.entryCount) {
    return "is part of a split archive";
  }
  const { start, sizeBytes } = directoryPlace(bytes, end);
  if (start + sizeBytes !== end) return "has something between its directory and its end";
  if (zip.entryCount === 0) return "holds no files";
  return undefined;
}

function directoryPlace(bytes: Buffer, end: number): { start: number; sizeBytes: number } {
  return { start: bytes.readUInt32LE(end + 16), sizeBytes: bytes.readUInt32LE(end + 12) };
}

async function checkEntries(bytes: Buffer, zip: yauzl.ZipFile): Promise<ZipDirectory> {
  const problems = new ProblemList();
  const listed: Listed[] = [];
  let directoryBytes = 0;
  for await (const record of zip.eachEntry()) {
    directoryBytes += recordBytes(record);
    listed.push({ name: entryName(record), record });
  }
  const end = bytes.length - END_RECORD_BYTES - zip.comment.length;
  const directory = directoryPlace(bytes, end);
  if (directoryBytes !== directory.sizeBytes) {
    return refuse("lists fewer files in its end record than in its directory");
  }
  for (const entry of listed) problems.addAll(recordProblems(entry));
  problems.addAll(sizeProblems(listed, bytes.length));
  const refused = problems.result();
  if (refused !== undefined) return { ok: false, problems: refused };

  const located: Located[] = [];
  for (const entry of listed) {
    const header = await zip.readLocalFileHeaderPromise(entry.record);
    if (disagrees(entry.record, header)) {
      problems.add(entry.name, "is described differently in the archive's directory");
    }
    located.push({ ...entry, header });
  }
  problems.addAll(layoutProblems(located, directory.start));
  const misplaced = problems.result();
  if (misplaced !== undefined) return { ok: false, problems: misplaced };
  return { ok: true, entries: located.filter((entry) => !isFolder(entry)).map(toEntry(bytes)) };
}

function recordBytes(record: yauzl.Entry): number {
  return (
    DIRECTORY_RECORD_BYTES +
    record.fileNameLength +
    record.extraFieldLength +
    record.fileCommentLength
  );
}

/**
 * Old programs write names in the code page of DOS; macOS writes UTF-8 without the flag for it.
 * macOS also separates letters and accents; NFC joins them, as other systems write them.
 */
function entryName(record: yauzl.Entry): string {
  const raw = record.fileNameRaw;
  const inCodePage = yauzl.getFileNameLowLevel(0, raw, [], true);
  const inUnicodeField = yauzl.getFileNameLowLevel(0, raw, record.extraFields, true);
  const saysUtf8 = (record.generalPurposeBitFlag & UTF8_FLAG) !== 0;
  if (!saysUtf8 && inUnicodeField !== inCodePage) return inUnicodeField.normalize("NFC");
  return saysUtf8 || isUtf8(raw) ? raw.toString("utf8").normalize("NFC") : inCodePage;
}

function isFolder({ name }: Listed): boolean {
  return name.endsWith("/");
}

function recordProblems(entry: Listed): FileProblems | undefined {
  const { name, record } = entry;
  const problems = new ProblemList();
  const say = (problem: string) => problems.add(name, problem);
  const flags = record.generalPurposeBitFlag;
  if ((flags & (ENCRYPTED_FLAG | MASKED_HEADERS_FLAG)) !== 0) say("is encrypted");
  if (record.compressionMethod !== STORED && record.compressionMethod !== DEFLATED) {
    say("is compressed by a method other than deflate");
  }
  if (record.compressionMethod === STORED && record.compressedSize !== record.uncompressedSize) {
    say("has two different sizes");
  }
  if (record.extraFields.some((field) => field.id === 1)) say("has its sizes in ZIP64 fields");
  if (isFolder(entry)) {
    // The paths of files are checked with the whole set.
    const problem = pathProblem(name.slice(0, -1));
    if (problem !== undefined) say(problem);
    if (record.uncompressedSize !== 0) say("is a folder with content");
  }
  const type = (record.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type !== 0 && type !== (isFolder(entry) ? FOLDER : REGULAR_FILE)) {
    say("is a link or something else that is not a file");
  }
  return problems.result();
}

function sizeProblems(listed: readonly Listed[], archiveBytes: number): FileProblems | undefined {
  const problems = new ProblemList();
  const files = listed
    .filter((entry) => !isFolder(entry))
    .map(({ name, record }) => ({ path: name, sizeBytes: record.uncompressedSize, record }));
  if (files.length === 0) problems.add("archive", "holds no files");
  problems.addAll(fileSetProblems(files, "archive"));
  let totalBytes = 0;
  for (const { path, sizeBytes, record } of files) {
    totalBytes += sizeBytes;
    if (expandsTooMuch(sizeBytes, record.compressedSize)) {
      problems.add(path, `expands to more than ${COMPRESSION_RATIO_MAX} times its size`);
    }
  }
  if (expandsTooMuch(totalBytes, archiveBytes)) {
    problems.add("archive", `expands to more than ${COMPRESSION_RATIO_MAX} times its size`);
  }
  return problems.result();
}

function expandsTooMuch(sizeBytes: number, packedBytes: number): boolean {
  return sizeBytes > RATIO_FREE_BYTES && sizeBytes > packedBytes * COMPRESSION_RATIO_MAX;
}

/** An archive describes each file twice, and programs differ in which description they use. */
function disagrees(record: yauzl.Entry, header: yauzl.LocalFileHeader): boolean {
  if (!header.fileName.equals(record.fileNameRaw)) return true;
  if (header.compressionMethod !== record.compressionMethod) return true;
  if (header.generalPurposeBitFlag !== record.generalPurposeBitFlag) return true;
  // Sizes and checksum were not known yet when the header was written.
  if ((header.generalPurposeBitFlag & DESCRIPTOR_FLAG) !== 0) return false;
  const differs = (there: number, here: number) => there !== IN_ZIP64_FIELD && there !== here;
  return (
    header.crc32 !== record.crc32 ||
    differs(header.compressedSize, record.compressedSize) ||
    differs(header.uncompressedSize, record.uncompressedSize)
  );
}

/** Entries must be adjacent from the first byte to the directory: no shared and no hidden bytes. */
function layoutProblems(
  located: readonly Located[],
  directoryStart: number,
): FileProblems | undefined {
  const problems = new ProblemList();
  const inOrder = located.toSorted((left, right) => startOf(left) - startOf(right));
  if (inOrder[0] !== undefined && startOf(inOrder[0]) !== 0) {
    problems.add("archive", "has something before its first file");
  }
  for (const [index, entry] of inOrder.entries()) {
    const next = inOrder[index + 1];
    const gap = (next === undefined ? directoryStart : startOf(next)) - endOf(entry);
    const described = (entry.header.generalPurposeBitFlag & DESCRIPTOR_FLAG) !== 0;
    if (gap < 0) problems.add(entry.name, "overlaps another part of the archive");
    else if (gap > 0 && !(described && DESCRIPTOR_BYTES.has(gap))) {
      problems.add("archive", "has something between its files");
    }
  }
  return problems.result();
}

function startOf({ record }: Located): number {
  return record.relativeOffsetOfLocalHeader;
}

function endOf({ header, record }: Located): number {
  return header.fileDataStart + record.compressedSize;
}

function toEntry(bytes: Buffer): (entry: Located) => ZipEntry {
  return (entry) => ({
    path: entry.name,
    deflated: entry.record.compressionMethod === DEFLATED,
    crc32: entry.record.crc32,
    sizeBytes: entry.record.uncompressedSize,
    data: bytes.subarray(entry.header.fileDataStart, endOf(entry)),
  });
}
