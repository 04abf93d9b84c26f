/** A member that was sent replaces the stored one, null deletes it, and other members stay. */
export function mergeMembers<Value>(
  known: Readonly<Record<string, Value>>,
  sent: Readonly<Record<string, Value | null>> | undefined,
): Readonly<Record<string, Value>> {
  if (sent === undefined) return known;
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** Compares as PostgreSQL compares `jsonb`: the order of members makes no difference. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [a, b] = [left as Record<string, unknown>, right as Record<string, unknown>];
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  );
}

/** True for `{…}`, not for lists and null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads the text of another system; undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
