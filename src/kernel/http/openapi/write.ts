const LINE_LENGTH_MAX = 100;

/**
 * Writes the document in the form that is committed: a value that fits on one line takes one line,
 * so that a change affects few lines.
 */
export function writeDocument(document: object): string {
  return `${write(JSON.parse(JSON.stringify(document)), "")}\n`;
}

function write(value: unknown, indent: string): string {
  const flat = writeFlat(value);
  if (indent.length + flat.length <= LINE_LENGTH_MAX) return flat;
  if (typeof value !== "object" || value === null) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => write(item, inner))
    : Object.entries(value).map(
        ([name, member]) => `${JSON.stringify(name)}: ${write(member, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${lines.map((line) => `${inner}${line}`).join(",\n")}\n${indent}${close}`;
}

function writeFlat(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeFlat).join(", ")}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${writeFlat(member)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
