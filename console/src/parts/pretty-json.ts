const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON with indents. Works on the text, because reading and writing it anew would change numbers that
 * have more digits than a number of JavaScript. A text that is not JSON stays as it is.
 */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(TOKEN) ?? [];
  let [written, depth] = ["", 0];
  const breakLine = () => `\n${"  ".repeat(depth)}`;
  for (const [at, token] of tokens.entries()) {
    const isEmpty = ["{}", "[]"].includes(`${tokens[at - 1]}${token}`);
    if (token === "}" || token === "]") {
      depth -= 1;
      written += isEmpty ? token : `${breakLine()}${token}`;
    } else if (token === "{" || token === "[") {
      depth += 1;
      written += token;
      const next = tokens[at + 1];
      if (next !== "}" && next !== "]") written += breakLine();
    } else if (token === ",") written += `,${breakLine()}`;
    else written += token === ":" ? ": " : token;
  }
  return written;
}
