import { SideThread } from "#kernel/side-thread.ts";
import { checkSettings, type SettingsReading } from "./settings.check.ts";

/** A kilobyte of YAML takes up to ten milliseconds to read, if it is very dense. */
const ON_LOOP_BYTES_MAX = 1_024;

export type SettingsAsk = { readonly bytes: Uint8Array; readonly operations: readonly string[] };

const thread = new SideThread<SettingsAsk, SettingsReading>({
  program: new URL("./settings.thread-program.ts", import.meta.url),
  waitingPerGroupMax: 20,
  waitingMax: 200,
  waitMsMax: 10_000,
  answerMsMax: 15_000,
  memoryMbMax: 128,
});

/** Reads `tenant.yml` in another thread, unless it is short, as most are. */
export async function readSettings(
  tenantId: string,
  bytes: Buffer,
  operations: readonly string[],
): Promise<SettingsReading> {
  if (bytes.length <= ON_LOOP_BYTES_MAX) return checkSettings(bytes, operations);
  return await thread.run(tenantId, (exchange) => exchange({ bytes, operations }));
}
