import { TextError } from "./failure.ts";

/**
 * Limits the work of rendering a pass, in steps of about a microsecond. Steps are counted and time
 * is not measured, so that the same template and data always have the same result, also on a busy
 * machine.
 */

/**
 * The steps of one text: its visited tags, outputs and pieces of text, and the cost of its filters.
 */
const TEXT_STEPS_MAX = 5_000;
const LANGUAGE_STEPS_MAX = 20_000;
const PASS_STEPS_MAX = 60_000;
/** The characters and list members that one text may process. */
const TEXT_UNITS_MAX = 250_000;
const UNITS_PER_STEP = 100;
/** The characters of all texts of a pass together, in all languages. */
const OUTPUT_MAX = 1024 * 1024;
/** Making a formatter takes at least fifty microseconds, using a formatter takes a few. */
const FORMATTER_STEPS = 60;
const FORMAT_STEPS = 3;
/** The bytes of all long barcodes of a pass. To search one for its shortest form takes a microsecond or two each. */
const SEARCHED_BYTES_MAX = 32 * 1024;

export type BudgetLimits = { readonly steps: number; readonly units: number };

export class RenderBudget {
  readonly #textSteps: number;
  readonly #textUnits: number;
  /**
   * The formatters that this pass has asked for. Formatters that other passes have made do not
   * count, because they would change the result.
   */
  readonly #formatters = new Set<string>();
  #passLeft = PASS_STEPS_MAX;
  #languageLeft = LANGUAGE_STEPS_MAX;
  #stepsLeft: number;
  #unitsLeft: number;
  #outputLeft = OUTPUT_MAX;
  /** What was found in barcodes, which most passes repeat in each of their languages. */
  readonly #found = new Map<string, boolean>();
  #searchLeft = SEARCHED_BYTES_MAX;

  constructor({ steps, units }: BudgetLimits = { steps: TEXT_STEPS_MAX, units: TEXT_UNITS_MAX }) {
    this.#textSteps = steps;
    this.#textUnits = units;
    this.#stepsLeft = steps;
    this.#unitsLeft = units;
  }

  beginLanguage(): void {
    this.#languageLeft = LANGUAGE_STEPS_MAX;
  }

  beginText(): void {
    this.#stepsLeft = this.#textSteps;
    this.#unitsLeft = this.#textUnits;
  }

  step(count = 1): void {
    this.#stepsLeft -= count;
    this.#languageLeft -= count;
    this.#passLeft -= count;
    if (this.#stepsLeft < 0) {
      throw new TextError("too-slow", `needs more than ${this.#textSteps} steps`);
    }
    if (this.#languageLeft < 0 || this.#passLeft < 0) {
      throw new TextError(
        "too-slow",
        "needs more steps than all texts of a pass may take together",
      );
    }
  }

  /** Charges for characters or list members that are processed. */
  use(units: number): void {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0) throw new TextError("too-large", "handles too much text");
    this.step(Math.floor(units / UNITS_PER_STEP));
  }

  /** Charges for one use of the formatter with this name, for a number, an amount or a time. */
  format(name: string): void {
    this.step(this.#formatters.has(name) ? FORMAT_STEPS : FORMATTER_STEPS);
    this.#formatters.add(name);
  }

  /**
   * Charges for a search in so many bytes, once for each name. Undefined, without a search, if all of a pass would
   * be longer than they may.
   */
  search(name: string, sizeBytes: number, find: () => boolean): boolean | undefined {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    if (sizeBytes > this.#searchLeft) return undefined;
    this.#searchLeft -= sizeBytes;
    const found = find();
    this.#found.set(name, found);
    return found;
  }

  /** Charges for a finished text of this many characters. */
  output(characters: number): void {
    this.#outputLeft -= characters;
    if (this.#outputLeft < 0) {
      throw new TextError("too-large", "gives more text than all texts of a pass may together");
    }
  }
}
