import { isUtf8 } from "node:buffer";
import type { Position } from "../finding.ts";

/** A text with the offsets of its lines. Columns are UTF-16 units from 1, as in editors. */
export class YamlText {
  readonly text: string;
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.text = text;
    const starts = [0];
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1))
      starts.push(at + 1);
    this.#lineStarts = starts;
  }

  position(offset: number): Position {
    const at = Math.min(Math.max(0, offset), this.text.length);
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#lineStarts[low] ?? 0) + 1 };
  }
}

export type Decoding =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly validPrefix: string };

/** Removes a byte order mark. On failure, `validPrefix` is the text before the first wrong byte. */
export function decodeUtf8(bytes: Buffer): Decoding {
  const text = bytes.toString("utf8");
  if (isUtf8(bytes)) return { ok: true, text: text.startsWith("\ufeff") ? text.slice(1) : text };
  let bytesBefore = 0;
  let from = 0;
  for (let at = text.indexOf("\ufffd"); at !== -1; at = text.indexOf("\ufffd", from)) {
    bytesBefore += Buffer.byteLength(text.slice(from, at));
    // The replacement character may also be in the original text, as its own three bytes.
    if (bytes.toString("latin1", bytesBefore, bytesBefore + 3) !== "\xef\xbf\xbd") {
      return { ok: false, validPrefix: text.slice(0, at) };
    }
    bytesBefore += 3;
    from = at + 1;
  }
  return { ok: false, validPrefix: text };
}

/** Control characters other than tabs and line ends, single surrogates, and noncharacters. */
const NOT_TEXT = /[[\p{Cc}\p{Surrogate}\ufffe\uffff]--[\t\n\r\u0085]]/v;

export function findNotText(text: string): { offset: number; code: number } | undefined {
  const offset = text.search(NOT_TEXT);
  return offset === -1 ? undefined : { offset, code: text.codePointAt(offset) ?? 0 };
}
