import { serveSideThread } from "../../side-thread-program.ts";
import { type JsonPart, partsOf } from "./json-parts.ts";
import type { JsonAsk, JsonReply } from "./json-thread.ts";
import { parseStrictJson } from "./strict-json.ts";

/** The program of the thread that json-thread.ts starts. */

let parts: Iterator<JsonPart> = [][Symbol.iterator]();

serveSideThread<JsonAsk, JsonReply>((ask) => {
  if (ask !== "next") {
    const { bytes, decimals } = ask;
    const parsed = parseStrictJson(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      decimals === undefined ? {} : { decimals },
    );
    if (!parsed.ok) return { kind: "refused", refusal: parsed };
    parts = partsOf(parsed.value);
  }
  const { value, done } = parts.next();
  return done === true ? { kind: "end" } : { kind: "part", part: value };
});
