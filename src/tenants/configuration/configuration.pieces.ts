import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileSet } from "#src/files/public.ts";
import { textOf } from "./configuration.schema.ts";

/** Writing a larger set as one text would block the event loop for too long. */
const WHOLE_BYTES_MAX = 1024 * 1024;
/** A multiple of three, so that the base64 texts of the pieces can be joined. */
const PIECE_BYTES = 3 * 256 * 1024;

export function isLargeSet(files: FileSet): boolean {
  let total = 0;
  for (const content of files.values()) total += content.length;
  return total > WHOLE_BYTES_MAX;
}

type Configuration = {
  readonly tenantId: string;
  readonly version: number;
  readonly files: FileSet;
};

/** Writes the same JSON as for a small set, but piece by piece. */
export async function* jsonPieces(configuration: Configuration): AsyncGenerator<Buffer> {
  const { tenantId, version, files } = configuration;
  yield Buffer.from(`${JSON.stringify({ tenantId, version }).slice(0, -1)},"files":{`);
  let separator = "";
  for (const [path, content] of files) {
    yield Buffer.from(`${separator}${JSON.stringify(path)}:`);
    separator = ",";
    for (const piece of filePieces(content)) {
      yield Buffer.from(piece);
      await nextTurn();
    }
  }
  yield Buffer.from("}}");
}

function* filePieces(content: Buffer): Generator<string> {
  const text = textOf(content);
  if (text === undefined) {
    yield '{"base64":"';
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      yield content.toString("base64", at, at + PIECE_BYTES);
    }
    yield '"}';
    return;
  }
  yield '"';
  let at = 0;
  while (at < text.length) {
    let end = at + PIECE_BYTES;
    // A surrogate pair must stay in one piece: JSON would write its halves as two escapes.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
