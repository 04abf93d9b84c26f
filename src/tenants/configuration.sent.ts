import { setImmediate as nextTurn } from "node:timers/promises";
import { configurationRefused } from "./configuration.errors.ts";
import { ProblemList } from "./configuration.files.ts";
import {
  type ConfigurationPatch,
  type ConfigurationPut,
  decodeFile,
} from "./configuration.schema.ts";
import type { FileEdit } from "./configuration.service.ts";
import { readZip } from "./configuration.zip.ts";

type Sent = {
  readonly replaces: boolean;
  readonly body: ConfigurationPut | ConfigurationPatch | undefined;
  /** The bytes of an archive, when that is what was sent. */
  readonly raw: Buffer | undefined;
  readonly message: string | undefined;
};

/** Decoding as much takes some milliseconds. */
const TURN_BYTES = 1024 * 1024;

/** The same edit, whichever way it was sent. */
export async function readEdit({ replaces, body, raw, message }: Sent): Promise<FileEdit> {
  if (raw !== undefined) {
    const reading = await readZip(raw);
    if (!reading.ok) throw configurationRefused(reading.problems);
    return { replaces, files: reading.files, message: message ?? null };
  }
  const files = new Map<string, Buffer | null>();
  const problems = new ProblemList();
  for (const [path, sent] of Object.entries(body?.files ?? {})) {
    const content = sent === null ? null : decodeFile(sent);
    if (content === undefined) problems.add(path, "is not whole base64");
    else files.set(path, content);
    if (content !== undefined && content !== null && content.length > TURN_BYTES) await nextTurn();
  }
  const refused = problems.result();
  if (refused !== undefined) throw configurationRefused(refused);
  return { replaces, files, message: body?.message ?? message ?? null };
}
