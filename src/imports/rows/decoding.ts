import { isUtf8 } from "node:buffer";
import { decodeUtf8 } from "#src/files/public.ts";
import { UnreadableFile } from "../unreadable-file.ts";

const UTF8_MARK = [0xef, 0xbb, 0xbf];
const UTF16_MARKS = { le: [0xff, 0xfe], be: [0xfe, 0xff] };
const MARK_BYTES_MAX = 4;

/** What people drop by mistake, by the bytes that such files begin with. */
const OTHER_FILES: readonly (readonly [string, readonly number[]])[] = [
  ["an Excel workbook or another packed file", [0x50, 0x4b, 0x03, 0x04]],
  ["an old Excel workbook", [0xd0, 0xcf, 0x11, 0xe0]],
  ["a PDF", [0x25, 0x50, 0x44, 0x46]],
  ["a packed file", [0x1f, 0x8b]],
];

/** What is wrong with the bytes at some place; a sentence is made of it when the line is known. */
export type DecodingFault = "encoding" | "nul";

/** Text, up to the first byte that is wrong. */
export type Decoded = { readonly text: string; readonly fault?: DecodingFault };

type Decode = (bytes: Buffer) => { readonly text: string; readonly isValid: boolean };
/** How many bytes at the end belong to a character that goes on in the next piece. */
type CountUnfinished = (bytes: Buffer) => number;
type Encoding = {
  readonly mark: readonly number[];
  readonly decode: Decode;
  readonly unfinished: CountUnfinished;
};

/** Decodes UTF-8, or UTF-16 with a byte order mark, from pieces that may cut characters. */
export class Decoding {
  #encoding: Encoding | undefined;
  #rest: Buffer = Buffer.alloc(0);

  /** Throws `UnreadableFile` for a file that is no text. */
  push(piece: Buffer): Decoded {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    if (this.#encoding === undefined && bytes.length < MARK_BYTES_MAX) return this.#keep(bytes);
    return this.#decode(bytes, false);
  }

  end(): Decoded {
    return this.#decode(this.#rest, true);
  }

  /** The piece itself belongs to its giver, so what is needed of it is copied. */
  #keep(bytes: Buffer): Decoded {
    this.#rest = Buffer.from(bytes);
    return { text: "" };
  }

  #decode(all: Buffer, isEnd: boolean): Decoded {
    let bytes = all;
    if (this.#encoding === undefined) {
      this.#encoding = encodingOf(all);
      bytes = all.subarray(this.#encoding.mark.length);
    }
    const { decode, unfinished } = this.#encoding;
    const whole = bytes.length - (isEnd ? 0 : unfinished(bytes));
    const { text, isValid } = decode(bytes.subarray(0, whole));
    this.#keep(bytes.subarray(whole));
    const nul = text.indexOf("\0");
    if (nul !== -1) return { text: text.slice(0, nul), fault: "nul" };
    return isValid ? { text } : { text, fault: "encoding" };
  }
}

function encodingOf(bytes: Buffer): Encoding {
  const begins = (mark: readonly number[]) => mark.every((byte, at) => bytes[at] === byte);
  const [other] = OTHER_FILES.find(([, mark]) => begins(mark)) ?? [];
  if (other !== undefined) {
    throw new UnreadableFile(
      "not-text",
      `This is ${other}, not a text file. Export the table as 'CSV UTF-8' and send that file.`,
    );
  }
  if (begins(UTF16_MARKS.le)) return utf16(UTF16_MARKS.le, (bytes) => bytes);
  if (begins(UTF16_MARKS.be)) {
    return utf16(UTF16_MARKS.be, (bytes) => Buffer.from(bytes).swap16());
  }
  return { mark: begins(UTF8_MARK) ? UTF8_MARK : [], decode: fromUtf8, unfinished: unfinishedUtf8 };
}

function fromUtf8(bytes: Buffer): ReturnType<Decode> {
  if (isUtf8(bytes)) return { text: bytes.toString("utf8"), isValid: true };
  const decoding = decodeUtf8(bytes);
  return { text: decoding.ok ? decoding.text : decoding.validPrefix, isValid: false };
}

function unfinishedUtf8(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function utf16(mark: readonly number[], toLittleEndian: (bytes: Buffer) => Buffer): Encoding {
  return {
    mark,
    decode(bytes) {
      const even = bytes.length - (bytes.length % 2);
      const text = toLittleEndian(bytes.subarray(0, even)).toString("utf16le");
      if (text.isWellFormed()) return { text, isValid: even === bytes.length };
      const repaired = text.toWellFormed();
      let at = 0;
      while (text.charCodeAt(at) === repaired.charCodeAt(at)) at += 1;
      return { text: text.slice(0, at), isValid: false };
    },
    unfinished(bytes) {
      const odd = bytes.length % 2;
      if (bytes.length < odd + 2) return odd;
      const last = toLittleEndian(bytes.subarray(bytes.length - odd - 2, bytes.length - odd));
      return (last.readUInt16LE() & 0xfc00) === 0xd800 ? odd + 2 : odd;
    },
  };
}

export function decodingProblem(fault: DecodingFault, line: number): UnreadableFile {
  if (fault === "nul") {
    return new UnreadableFile(
      "not-text",
      `Line ${line} has a NUL character, which no text has. Is this really a table? Save it as 'CSV UTF-8' and send it again.`,
    );
  }
  return new UnreadableFile(
    "not-text",
    `Line ${line} has a character that is not in UTF-8, so letters such as ä or é would come out wrong. Save the file as 'CSV UTF-8' and send it again.`,
  );
}
