import { UnreadableFile } from "../unreadable-file.ts";
import { readObject, tooLong } from "./json-object.ts";
import { ROW_CHARS_MAX } from "./limits.ts";
import type { RowReader } from "./row-reader.ts";
import type { SourceRow } from "./source-row.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LF = 0x0a;

/**
 * `start`: nothing but space so far. `first`, `next`: an element may, or must, begin here. `within`:
 * in an element. `after`: behind one. `done`: behind the list.
 */
type State = "start" | "first" | "next" | "within" | "after" | "done";

/**
 * Reads a JSON list element by element. This class only finds where elements begin and end, which
 * takes no memory however deep or long they are; what they are is checked when they are complete.
 */
export class JsonListReader implements RowReader {
  line = 1;
  #state: State = "start";
  #rows = 0;
  #depth = 0;
  #isInString = false;
  /** The text ended behind a backslash. */
  #isEscaped = false;
  /** The line in which the element begins. */
  #lineOfElement = 1;
  /** The element so far; nothing is kept of one that is too long. */
  #element = "";
  #isTooLong = false;

  push(text: string, rows: SourceRow[]): void {
    let at = 0;
    while (at < text.length) {
      if (this.#state === "within") {
        const from = at;
        at = this.#findEnd(text, from);
        this.#keep(text.slice(from, at));
        if (this.#state !== "within") this.#finishElement(rows);
        continue;
      }
      const code = text.charCodeAt(at);
      if (code === LF) this.line += 1;
      // The first character of an element is read again, as part of it.
      if (isSpace(code) || !this.#begins(code)) at += 1;
    }
  }

  end(): void {
    if (this.#state === "done") return;
    if (this.#state === "start") throw new UnreadableFile("empty", "The file is empty.");
    const place =
      this.#state === "within" ? `, within the row that begins in line ${this.#lineOfElement}` : "";
    throw badJson(
      `The list of rows is not complete: the file ends in line ${this.line}${place}. Was it cut off, or is a bracket or a quotation mark missing?`,
    );
  }

  /**
   * Returns the position behind the element, or behind the text if the element goes on. Local
   * variables make this loop, which sees every character of a file, several times as fast.
   */
  #findEnd(text: string, from: number): number {
    const { length } = text;
    let [depth, isInString, lines] = [this.#depth, this.#isInString, 0];
    let at = from;
    let isOver = false;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    for (; at < length && !isOver; at += 1) {
      const code = text.charCodeAt(at);
      if (code === LF) lines += 1;
      if (code === QUOTE) isInString = !isInString;
      else if (isInString) {
        if (code === BACKSLASH) at += 1;
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
      else if (isClosing(code) || (code === COMMA && depth === 0)) {
        // What follows a plain value does not belong to it.
        if (depth === 0) break;
        depth -= 1;
        isOver = depth === 0;
      }
    }
    this.#isEscaped = at > length;
    this.#depth = depth;
    this.#isInString = isInString;
    this.line += lines;
    if (isOver || at < length) this.#state = "after";
    return Math.min(at, length);
  }

  /** Takes one character outside of elements; true if an element begins with it. */
  #begins(code: number): boolean {
    switch (this.#state) {
      case "start":
        if (code !== OPEN_LIST) throw badJson(NO_LIST);
        this.#state = "first";
        return false;
      case "after":
        if (code !== COMMA && code !== CLOSE_LIST) {
          throw badJson(`A comma is missing between two rows in line ${this.line}.`);
        }
        this.#state = code === COMMA ? "next" : "done";
        return false;
      case "done":
        throw badJson(`There is more text after the end of the list in line ${this.line}.`);
      default:
        return this.#beginsHere(code);
    }
  }

  #beginsHere(code: number): boolean {
    if (code === CLOSE_LIST && this.#state === "first") {
      this.#state = "done";
      return false;
    }
    if (code === COMMA || isClosing(code)) {
      throw badJson(`A row is missing beside a comma in line ${this.line}.`);
    }
    this.#state = "within";
    this.#lineOfElement = this.line;
    this.#depth = 0;
    this.#isInString = false;
    this.#isEscaped = false;
    return true;
  }

  #keep(part: string): void {
    if (this.#isTooLong) return;
    this.#element += part;
    if (this.#element.length <= ROW_CHARS_MAX) return;
    this.#element = "";
    this.#isTooLong = true;
  }

  #finishElement(rows: SourceRow[]): void {
    this.#rows += 1;
    const place = { row: this.#rows, line: this.#lineOfElement };
    rows.push(this.#isTooLong ? tooLong(place) : readObject(this.#element, place));
    this.#element = "";
    this.#isTooLong = false;
    this.#state = "after";
  }
}

const NO_LIST =
  "A JSON file must hold a list of rows: '[' at its start, then one object for each row, with commas between them.";

function badJson(message: string): UnreadableFile {
  return new UnreadableFile("bad-json", message);
}

function isClosing(code: number): boolean {
  return code === CLOSE_OBJECT || code === CLOSE_LIST;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === LF || code === 0x0d || code === 0x09;
}
