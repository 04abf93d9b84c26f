import { UnreadableFile } from "../unreadable-file.ts";
import { readObject, tooLong } from "./json-object.ts";
import { ROW_CHARS_MAX } from "./limits.ts";
import type { RowReader } from "./row-reader.ts";
import type { SourceRow } from "./source-row.ts";

/** Reads NDJSON: one object in every line. */
export class JsonLinesReader implements RowReader {
  readonly #isNamedSo: boolean;
  line = 1;
  #rows = 0;
  #rest = "";
  /** The rest was too long and is not kept; its line has not ended yet. */
  #isSkipping = false;

  /** `isNamedSo`: the name of the file says that it is NDJSON, whatever its first line is. */
  constructor(isNamedSo: boolean) {
    this.#isNamedSo = isNamedSo;
  }

  push(text: string, rows: SourceRow[]): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#add(text.slice(from, end));
      this.#finishLine(rows);
      this.line += 1;
      from = end + 1;
    }
    this.#add(text.slice(from));
  }

  end(rows: SourceRow[]): void {
    this.#finishLine(rows);
    if (this.#rows === 0) throw new UnreadableFile("empty", "The file is empty.");
  }

  #add(part: string): void {
    if (this.#isSkipping) return;
    this.#rest += part;
    if (this.#rest.length <= ROW_CHARS_MAX) return;
    this.#rest = "";
    this.#isSkipping = true;
  }

  #finishLine(rows: SourceRow[]): void {
    const [text, isTooLong] = [this.#rest.trim(), this.#isSkipping];
    this.#rest = "";
    this.#isSkipping = false;
    if (text === "" && !isTooLong) return;
    const place = { row: this.#rows + 1, line: this.line };
    const row = isTooLong ? tooLong(place) : readObject(text, place);
    if (row.kind === "broken" && this.#rows === 0 && !this.#isNamedSo) {
      throw new UnreadableFile(
        "bad-json",
        "The file must hold a list of rows: '[' at its start and one object for each row, or one whole object in every line.",
      );
    }
    this.#rows += 1;
    rows.push(row);
  }
}
