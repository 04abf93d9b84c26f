/** `{{ customer.id }}`, with or without filters behind it, which are not followed. */
const TAG = /\{\{\s*([\w.]+)[^{}]*\}\}/g;

/** A body as vendors fill it in for one person; what is not known is empty. */
export function fillIn(body: string, known: ReadonlyMap<string, unknown>): string {
  return body.replaceAll(TAG, (_tag, name: string) =>
    JSON.stringify(String(known.get(name) ?? "")).slice(1, -1),
  );
}

/** `{ customer: { id: 7 } }` is known as `customer.id`. */
export function namesIn(value: object, prefix = ""): Map<string, unknown> {
  const known = new Map<string, unknown>();
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== "object" || inner === null) known.set(`${prefix}${name}`, inner);
    else for (const [path, leaf] of namesIn(inner, `${prefix}${name}.`)) known.set(path, leaf);
  }
  return known;
}
