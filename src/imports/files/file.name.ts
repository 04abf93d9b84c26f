/** As in the file systems from which files come, counted in bytes of UTF-8. */
export const NAME_BYTES_MAX = 255;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const FORBIDDEN = /[\u0000-\u001f\u007f/\\]/;
const TEMPORARY = /^\.|\.(?:part|tmp)$/i;

/** Says what is wrong with a name; undefined for a good one. A name is a key and never a path. */
export function nameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "must be the name of a file";
  if (FORBIDDEN.test(name)) return "must not contain slashes, backslashes or control characters";
  if (!name.isWellFormed()) return "must be well-formed Unicode";
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return `must have at most ${NAME_BYTES_MAX} bytes`;
  return undefined;
}

/** Clients upload under such names and rename the file when it is complete. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}
