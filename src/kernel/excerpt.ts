const EXCERPT_CHARS_MAX = 40;

/**
 * A text of a stranger in quotes, as a sentence can show it: short, and with U+FFFD in place of
 * control characters, so that the sentence stays one printable line.
 */
export function quoteExcerpt(input: string): string {
  const printable = cut(input, EXCERPT_CHARS_MAX).replace(/\p{C}/gu, "\ufffd");
  return `'${printable}'`;
}

export function cut(input: string, charsMax: number): string {
  return input.length <= charsMax ? input : `${input.slice(0, charsMax - 1).toWellFormed()}…`;
}
