/** The texts of one language in a pass, by the key that stands in pass.json. */
export type Strings = ReadonlyMap<string, string>;

const PAIR = /"((?:[^"\\]|\\.)*)"\s*=\s*"((?:[^"\\]|\\.)*)"\s*;/g;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Reads a `pass.strings` file, in UTF-16 with its mark, or in UTF-8. */
export function readStrings(bytes: Buffer): Strings {
  const text = decode(bytes).replaceAll(/\/\*[\s\S]*?\*\//g, "");
  const pairs = [...text.matchAll(PAIR)].map(
    ([, key = "", value = ""]) => [unquote(key), unquote(value)] as const,
  );
  return new Map(pairs);
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString("utf16le", 2);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return Buffer.from(bytes.subarray(2)).swap16().toString("utf16le");
  }
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}

function unquote(text: string): string {
  return text.replaceAll(
    /\\(?:U([0-9a-fA-F]{4})|(.))/gs,
    (_, code: string | undefined, character = "") =>
      code === undefined
        ? (ESCAPES[character] ?? character)
        : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
