import { setImmediate as nextTurn } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { inflatedBytes, ProblemList, readEntries, readZipDirectory } from "#src/files/public.ts";
import { configurationRefused } from "./configuration.errors.ts";
import { sumSizes } from "./configuration.repository.ts";
import { holdFiles } from "./configuration.room.ts";
import {
  type ChangedFiles,
  type ConfigurationPatch,
  type ConfigurationPut,
  decodeFile,
} from "./configuration.schema.ts";
import type { FileEdit } from "./configuration.service.ts";

type Sent = {
  readonly replaces: boolean;
  readonly body: ConfigurationPut | ConfigurationPatch | undefined;
  /** The bytes of a ZIP archive, if the request sent one. */
  readonly raw: Buffer | undefined;
  readonly message: string | undefined;
};

/** Decoding so many bytes takes some milliseconds, so other requests are served after it. */
const TURN_BYTES = 1024 * 1024;

/** Reads the edit from JSON or from an archive, and waits until there is memory for its files. */
export async function withEdit<Result>(
  context: TenantContext,
  sent: Sent,
  work: (edit: FileEdit) => Promise<Result>,
): Promise<Result> {
  // Files that are not sent stay in the new version, so they are loaded and checked too.
  const keptBytes = sent.replaces ? 0 : await sumSizes(context);
  if (sent.raw === undefined) {
    return await holdFiles(context, keptBytes, async () => work(await readFiles(sent)));
  }
  const directory = await readZipDirectory(sent.raw);
  if (!directory.ok) throw configurationRefused(directory.problems);
  const { entries } = directory;
  return await holdFiles(context, keptBytes + inflatedBytes(entries), async () => {
    const reading = await readEntries(entries);
    if (!reading.ok) throw configurationRefused(reading.problems);
    const { replaces, message } = sent;
    return await work({ replaces, files: reading.files, message: message ?? null });
  });
}

async function readFiles({ replaces, body, message }: Sent): Promise<FileEdit> {
  const files = await readSentFiles(body?.files ?? {});
  return { replaces, files, message: body?.message ?? message ?? null };
}

/** Decodes files that were sent as JSON; null is a file that is taken away. */
export async function readSentFiles(all: ChangedFiles): Promise<Map<string, Buffer | null>> {
  const files = new Map<string, Buffer | null>();
  const problems = new ProblemList();
  for (const [path, sent] of Object.entries(all)) {
    const content = sent === null ? null : decodeFile(sent);
    if (content === undefined) problems.add(path, "is not whole base64");
    else files.set(path, content);
    if (content !== undefined && content !== null && content.length > TURN_BYTES) await nextTurn();
  }
  const refused = problems.result();
  if (refused !== undefined) throw configurationRefused(refused);
  return files;
}
