import { SideThread } from "#kernel/side-thread.ts";
import { checkSettings, type SettingsReading } from "./settings.check.ts";

/** Reading YAML takes ten milliseconds for each kilobyte of the densest kind. */
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

/** `tenant.yml` of a tenant, read beside the event loop unless it is as short as most are. */
export async function readSettings(
  tenantId: string,
  bytes: Buffer,
  operations: readonly string[],
): Promise<SettingsReading> {
  if (bytes.length <= ON_LOOP_BYTES_MAX) return checkSettings(bytes, operations);
  return await thread.run(tenantId, (exchange) => exchange({ bytes, operations }));
}
