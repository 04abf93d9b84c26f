import { setImmediate as nextTurn } from "node:timers/promises";
import { JsonText } from "../route.ts";

/**
 * The number of characters of a list that are written in one turn; it takes about a millisecond.
 */
const STRETCH = 131_072;

/**
 * Writes the JSON of an answer. A page may hold hundreds of large records, so a long list is
 * written in several turns of the event loop; other requests are served in between.
 */
export function writeJson(body: unknown): string | Promise<Buffer> {
  if (!Array.isArray(body)) return writeOne(body);
  const texts: string[] = [];
  let length = 0;
  for (const [at, item] of body.entries()) {
    const text = writeOne(item);
    texts.push(text);
    length += text.length;
    if (length > STRETCH) return writeRest(texts, body.slice(at + 1));
  }
  return `[${texts.join(",")}]`;
}

async function writeRest(begun: readonly string[], rest: readonly unknown[]): Promise<Buffer> {
  const parts = [Buffer.from(`[${begun.join(",")}`)];
  let texts: string[] = [];
  let length = 0;
  for (const item of rest) {
    const text = writeOne(item);
    texts.push(text);
    length += text.length;
    if (length <= STRETCH) continue;
    parts.push(Buffer.from(`,${texts.join(",")}`));
    texts = [];
    length = 0;
    await nextTurn();
  }
  parts.push(Buffer.from(texts.length === 0 ? "]" : `,${texts.join(",")}]`));
  return Buffer.concat(parts);
}

/** JSON writes null for an item of a list that has no JSON form. */
function writeOne(value: unknown): string {
  return value instanceof JsonText ? value.text : (JSON.stringify(value) ?? "null");
}
