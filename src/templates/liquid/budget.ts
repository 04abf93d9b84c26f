import { TextError } from "./failure.ts";

/**
 * What rendering a pass may take, in steps of about a microsecond. Counted, not measured: the same
 * template and the same data always have the same outcome, on a busy machine too.
 */

/** Tags, outputs and pieces of text visited in one text, and what its filters cost. */
const TEXT_STEPS_MAX = 5_000;
const LANGUAGE_STEPS_MAX = 20_000;
const PASS_STEPS_MAX = 60_000;
/** Characters and list members that one text handles. */
const TEXT_UNITS_MAX = 250_000;
const UNITS_PER_STEP = 100;
/** Characters of all texts of a pass together, in all its languages. */
const OUTPUT_MAX = 1024 * 1024;
/** Making a formatter takes fifty microseconds or more, using one a few. */
const FORMATTER_STEPS = 60;
const FORMAT_STEPS = 3;

export type BudgetLimits = { readonly steps: number; readonly units: number };

export class RenderBudget {
  readonly #textSteps: number;
  readonly #textUnits: number;
  /** Those asked for so far: that another pass has made one already must not change the outcome. */
  readonly #formatters = new Set<string>();
  #passLeft = PASS_STEPS_MAX;
  #languageLeft = LANGUAGE_STEPS_MAX;
  #stepsLeft: number;
  #unitsLeft: number;
  #outputLeft = OUTPUT_MAX;

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

  /** So many characters or list members are handled. */
  use(units: number): void {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0) throw new TextError("too-large", "handles too much text");
    this.step(Math.floor(units / UNITS_PER_STEP));
  }

  /** A number, an amount or a time is written by the formatter of that name. */
  format(name: string): void {
    this.step(this.#formatters.has(name) ? FORMAT_STEPS : FORMATTER_STEPS);
    this.#formatters.add(name);
  }

  /** A text was made, of so many characters. */
  output(characters: number): void {
    this.#outputLeft -= characters;
    if (this.#outputLeft < 0) {
      throw new TextError("too-large", "gives more text than all texts of a pass may together");
    }
  }
}
