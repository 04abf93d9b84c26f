/*
 * Two states of a record, as lines that people can compare: one for each value, named by its path.
 */

export type Line = {
  /** Such as `scopes[1]` or `identifiers.crm.id`. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed" | "same";
  /** Undefined where there was nothing. */
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** Short lists of plain values are read at one glance. */
const LIST_CHARS_MAX = 160;

export function differenceOf(before: unknown, after: unknown): readonly Line[] {
  const old = flatten(before);
  const fresh = flatten(after);
  return [...new Set([...old.keys(), ...fresh.keys()])].map((path) => {
    const was = old.get(path);
    const is = fresh.get(path);
    return { path, before: was, after: is, kind: kindOf(was, is) };
  });
}

function kindOf(before: string | undefined, after: string | undefined): Line["kind"] {
  if (before === after) return "same";
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function flatten(record: unknown): Map<string, string> {
  const lines = new Map<string, string>();
  const visit = (path: string, value: unknown) => {
    if (isPlainList(value)) lines.set(path, value.map(String).join(", "));
    else if (Array.isArray(value)) {
      for (const [at, member] of value.entries()) visit(`${path}[${at}]`, member);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        visit(path === "" ? name : `${path}.${name}`, member);
      }
    } else lines.set(path, String(value));
  };
  if (record !== null && record !== undefined) visit("", record);
  return lines;
}

function isPlainList(value: unknown): value is unknown[] {
  return (
    Array.isArray(value) &&
    value.every((member) => typeof member !== "object" || member === null) &&
    value.join(", ").length <= LIST_CHARS_MAX
  );
}
