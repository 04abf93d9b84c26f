import { RenderBudget } from "./budget.ts";
import { TextError } from "./failure.ts";

/** The only variables that a template can read. */
export const ROOTS = [
  "pass",
  "identifiers",
  "data",
  "metadata",
  "privileges",
  "tenant",
  "locale",
] as const;
export type Root = (typeof ROOTS)[number];

/** A symbol, so that templates cannot reach it: they read members by name only. */
export const TRANSLATE: unique symbol = Symbol("translate");

/** The budget that all texts of one pass share. A symbol, so that templates cannot read it. */
export const BUDGET: unique symbol = Symbol("budget");

export type Scope = Readonly<Record<Root, unknown>> & {
  readonly locale: string;
  /** Returns the text itself if there is no translation. */
  readonly [TRANSLATE]: (text: string) => string;
  readonly [BUDGET]: RenderBudget;
};

export type ScopeValues = Readonly<Record<Exclude<Root, "locale">, unknown>>;

/**
 * The scope has no prototype, so that a template finds nothing under names such as `constructor`.
 */
export function createScope(
  values: ScopeValues,
  locale: string,
  translate: (text: string) => string,
  budget: RenderBudget = new RenderBudget(),
): Scope {
  return {
    __proto__: null,
    pass: values.pass,
    identifiers: values.identifiers,
    data: values.data,
    metadata: values.metadata,
    privileges: values.privileges,
    tenant: values.tenant,
    locale,
    [TRANSLATE]: translate,
    [BUDGET]: budget,
  } as unknown as Scope;
}

export const OUTPUT_BYTES_MAX = 16 * 1024;
const UTF8_BYTES_PER_UNIT_MAX = 3;

export function boundOutput(text: string): string {
  const mayBeLarger = text.length * UTF8_BYTES_PER_UNIT_MAX > OUTPUT_BYTES_MAX;
  if (mayBeLarger && Buffer.byteLength(text) > OUTPUT_BYTES_MAX) {
    throw outputTooLarge();
  }
  return text;
}

export function outputTooLarge(): TextError {
  return new TextError("too-large", "gives more than 16 KiB of text");
}

/** The text that an output writes. An object is refused, because `[object Object]` is of no use. */
export function toText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    default:
      if (value === null || value === undefined) return "";
      if (Array.isArray(value)) return value.map(toText).join("");
      throw new TextError("render-failed", "is an object, of which one member must be named");
  }
}

/** The number of characters, or the number of list members including those of nested lists. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (!Array.isArray(value)) return 1;
  let size = value.length;
  for (const item of value) size += sizeOf(item);
  return size;
}
