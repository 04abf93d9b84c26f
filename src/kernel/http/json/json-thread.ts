import { setImmediate as nextTurn } from "node:timers/promises";
import { SideThread } from "../../side-thread.ts";
import { JsonAssembly, type JsonPart } from "./json-parts.ts";
import { parseStrictJson, type StrictJsonResult } from "./strict-json.ts";

/**
 * Up to this size, reading a body blocks the event loop for a few milliseconds at most, whatever
 * the content. A thread costs a few hundred microseconds on top of the reading.
 */
const ON_LOOP_BYTES_MAX = 64 * 1024;

export type JsonAsk =
  | { readonly bytes: Uint8Array; readonly decimals: ReadonlySet<string> | undefined }
  | "next";
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

/**
 * Reads a JSON body, a large one in a thread. A group that sends many large bodies waits only for
 * its own. `bytes` must not be used afterwards, because their memory may have moved to the thread.
 * `decimals` are the members of which every digit counts.
 */
export function readJson(
  bytes: Buffer,
  group: string,
  decimals?: ReadonlySet<string>,
): StrictJsonResult | Promise<StrictJsonResult> {
  if (bytes.length <= ON_LOOP_BYTES_MAX) {
    return parseStrictJson(bytes, decimals === undefined ? {} : { decimals });
  }
  return thread.run(group, async (exchange) => {
    const assembly = new JsonAssembly();
    let reply = await exchange(
      { bytes, decimals },
      isWhole(bytes) ? [bytes.buffer as ArrayBuffer] : [],
    );
    while (reply.kind === "part") {
      assembly.add(reply.part);
      // The parts are requested one by one: parts that arrive together would be unpacked in one
      // turn.
      reply = await exchange("next");
    }
    // The caller's work on the value starts in a new turn of the event loop.
    await nextTurn();
    return reply.kind === "refused" ? reply.refusal : { ok: true, value: assembly.value };
  });
}

/**
 * Whether the buffer uses all of its memory: only then can the memory be moved instead of copied.
 */
function isWhole(bytes: Buffer): boolean {
  return bytes.byteLength === bytes.buffer.byteLength;
}
