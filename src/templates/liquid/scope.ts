import { RenderBudget } from "./budget.ts";
import { TextError } from "./failure.ts";

/** What a template can see, and nothing else. */
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

/** Out of reach of templates, which only know names. */
export const TRANSLATE: unique symbol = Symbol("translate");

/** What all texts of one pass may take together. */
export const BUDGET: unique symbol = Symbol("budget");

export type Scope = Readonly<Record<Root, unknown>> & {
  readonly locale: string;
  /** The text itself where there is no translation. */
  readonly [TRANSLATE]: (text: string) => string;
  readonly [BUDGET]: RenderBudget;
};

export type ScopeValues = Readonly<Record<Exclude<Root, "locale">, unknown>>;

/** Without a prototype: a template that asks for `constructor` finds nothing at all. */
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

/** What an output writes. An object has no text; printing `[object Object]` helps nobody. */
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

/** Characters, or members of a list and of those within it. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (!Array.isArray(value)) return 1;
  let size = value.length;
  for (const item of value) size += sizeOf(item);
  return size;
}
