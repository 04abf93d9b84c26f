import type { TenantContext } from "#kernel/context.ts";
import type { Received } from "#kernel/http/route.ts";
import type { ImportFile } from "./file.schema.ts";
import { beginFile, type FileBegin } from "./file.service.ts";
import { FileWriter } from "./file-writer.service.ts";

/** A file that came over HTTP: complete, and not yet to be imported. */
export type ReceivedFile = Received & {
  /** Hands it over to be imported. */
  finish(): Promise<ImportFile>;
};

/** Stores the body of a request while it arrives. A client that breaks off leaves nothing. */
export async function receiveFile(
  context: TenantContext,
  begin: FileBegin,
  chunks: AsyncIterable<Buffer>,
): Promise<ReceivedFile> {
  const writer = new FileWriter(context, await beginFile(context, begin));
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    const contentHash = await writer.contentHash();
    return {
      fingerprint: contentHash.toString("hex"),
      // Nobody opens an upload over HTTP again, so there is nothing to wait for.
      finish: () => writer.finish({ settlingMs: 0 }),
      abandon: () => writer.abandon(),
    };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}
