/**
 * A value split into parts that are sent between threads one by one, so that unpacking one part is
 * quick. Long strings are not split: unpacking only copies them.
 */
export type JsonPart =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "items"; readonly items: readonly unknown[] }
  | { readonly kind: "members"; readonly members: readonly (readonly [string, unknown])[] }
  /**
   * Begins a list or an object that the following parts fill, up to its `close`; `name` is set if
   * it is a member of an object.
   */
  | { readonly kind: "open"; readonly isList: boolean; readonly name: string | undefined }
  | { readonly kind: "close" };

/** A part of this weight is unpacked in a few milliseconds. */
const PART_WEIGHT_MAX = 4_000;
const WEIGHT_PER_CHARACTER = 1 / 250;

export function* partsOf(value: unknown, name?: string): Generator<JsonPart> {
  if (typeof value !== "object" || value === null || weightOf(value) <= PART_WEIGHT_MAX) {
    yield { kind: "value", value };
    return;
  }
  const isList = Array.isArray(value);
  yield { kind: "open", isList, name };
  let batch: [string, unknown][] = [];
  let weight = 0;
  const flush = (): JsonPart => {
    const members = batch;
    batch = [];
    weight = 0;
    return isList
      ? { kind: "items", items: members.map(([, item]) => item) }
      : { kind: "members", members };
  };
  for (const member of isList ? value.entries() : Object.entries(value)) {
    const [key, child] = [String(member[0]), member[1] as unknown];
    const own = weightOf(child);
    if (weight + own > PART_WEIGHT_MAX && batch.length > 0) yield flush();
    if (own > PART_WEIGHT_MAX && typeof child === "object") yield* partsOf(child, key);
    else {
      batch.push([key, child]);
      weight += own;
    }
  }
  if (batch.length > 0) yield flush();
  yield { kind: "close" };
}

/** Stops counting above the limit of a part: the exact weight does not matter then. */
function weightOf(value: unknown): number {
  let weight = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && weight <= PART_WEIGHT_MAX) {
    const next = open.pop();
    weight += 1;
    if (typeof next === "string") weight += next.length * WEIGHT_PER_CHARACTER;
    else if (Array.isArray(next)) {
      weight += next.length;
      if (weight <= PART_WEIGHT_MAX) open.push(...next);
    } else if (typeof next === "object" && next !== null) {
      for (const key in next) {
        weight += 1 + key.length * WEIGHT_PER_CHARACTER;
        open.push((next as Record<string, unknown>)[key]);
        if (weight > PART_WEIGHT_MAX) break;
      }
    }
  }
  return weight;
}

type Container = unknown[] | Record<string, unknown>;

/** Joins the parts again, in the order in which they were made. */
export class JsonAssembly {
  value: unknown;
  readonly #open: Container[] = [];

  add(part: JsonPart): void {
    const top = this.#open.at(-1);
    switch (part.kind) {
      case "value":
        this.value = part.value;
        return;
      case "items":
        for (const item of part.items) (top as unknown[]).push(item);
        return;
      case "members":
        for (const [name, member] of part.members) (top as Record<string, unknown>)[name] = member;
        return;
      case "open": {
        const made: Container = part.isList ? [] : {};
        if (top === undefined) this.value = made;
        else if (Array.isArray(top)) top.push(made);
        else top[part.name ?? ""] = made;
        this.#open.push(made);
        return;
      }
      case "close":
        this.#open.pop();
    }
  }
}
