import { Readable } from "node:stream";
import type { TenantContext } from "#kernel/context.ts";
import { executionFileNotFound } from "../executions/execution.errors.ts";
import { presentExecution } from "../executions/execution.schema.ts";
import { getExecution } from "../executions/execution.service.ts";
import * as files from "./file.repository.ts";

export type OpenFile = { readonly name: string; readonly body: Readable };

/** The file is read while it is sent. */
export async function openExecutionFile(
  context: TenantContext,
  taskId: string,
  executionId: string,
): Promise<OpenFile> {
  const { file } = presentExecution(await getExecution(context, taskId, executionId));
  if (file === null) throw executionFileNotFound({ executionId });
  return { name: file.name, body: Readable.from(pieces(context, executionId)) };
}

async function* pieces(context: TenantContext, executionId: string): AsyncGenerator<string> {
  for (let position = 0; ; position += 1) {
    const lines = await files.findPart(context, executionId, position);
    if (lines === undefined) return;
    // Empty if all that it told of was erased; a stream would take an empty text for its end.
    if (lines.length > 0) yield lines.join("");
  }
}
