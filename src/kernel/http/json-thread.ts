import { setImmediate as nextTurn } from "node:timers/promises";
import { SideThread } from "../side-thread.ts";
import { JsonAssembly, type JsonPart } from "./json-parts.ts";
import { parseStrictJson, type StrictJsonResult } from "./strict-json.ts";

/**
 * Up to here reading a body takes the event loop for some milliseconds, whatever is in it. A thread
 * takes a few hundred microseconds more than that.
 */
const ON_LOOP_BYTES_MAX = 64 * 1024;

export type JsonAsk = Uint8Array | "next";
export type JsonReply =
  | { readonly kind: "part"; readonly part: JsonPart }
  | { readonly kind: "end" }
  | { readonly kind: "refused"; readonly refusal: StrictJsonResult & { ok: false } };

const thread = new SideThread<JsonAsk, JsonReply>({
  program: new URL("./json-thread-program.ts", import.meta.url),
  waitingPerGroupMax: 32,
  waitingMax: 256,
  waitMsMax: 10_000,
  answerMsMax: 10_000,
  memoryMbMax: 512,
});

/** Whoever sends much waits behind its own group. The bytes are gone afterwards. */
export function readJson(
  bytes: Buffer,
  group: string,
): StrictJsonResult | Promise<StrictJsonResult> {
  if (bytes.length <= ON_LOOP_BYTES_MAX) return parseStrictJson(bytes);
  return thread.run(group, async (exchange) => {
    const assembly = new JsonAssembly();
    let reply = await exchange(bytes, isWhole(bytes) ? [bytes.buffer as ArrayBuffer] : []);
    while (reply.kind === "part") {
      assembly.add(reply.part);
      // Asked for one by one: parts that arrive together would be unpacked together.
      reply = await exchange("next");
    }
    // What is done with it is a piece of work of its own.
    await nextTurn();
    return reply.kind === "refused" ? reply.refusal : { ok: true, value: assembly.value };
  });
}

/** Whether nothing else lives in the same memory: then it can be given away instead of copied. */
function isWhole(bytes: Buffer): boolean {
  return bytes.byteLength === bytes.buffer.byteLength;
}
