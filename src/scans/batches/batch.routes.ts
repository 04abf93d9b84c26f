import { defineRoute } from "#kernel/http/route.ts";
import { BATCH_EXAMPLE, BATCH_MAX, BatchAnswer, BatchCreate } from "./batch.schema.ts";
import { recordBatch } from "./batch.service.ts";

export const scanBatch = defineRoute({
  op: "scan.batch",
  method: "POST",
  url: "/api/:tenantId/scans/batch",
  scope: "PassScan.Scan",
  summary: "Record scans that were made offline",
  description: `Up to ${BATCH_MAX} scans, recorded one after the other in the order sent. \`reference\` makes each of them safe to send again: a scan of the same device, or of the same credential where no device is named, with the same reference is recorded once, and answered again as \`repeated\`. With other \`data\` than the first time, it is refused. Whether a pass and a privilege were valid is judged by \`occurredAt\`, at most seven days ago; whether it is disabled, and what is left of a privilege, by what is known now. Where \`decision\` says what the device decided and the service decides otherwise, the scan is recorded with \`conflict\`. A scan that is not as it must be is \`refused\` in its place; the others are recorded.`,
  body: BatchCreate,
  bodySizeBytesMax: 5 * 1024 * 1024,
  reply: BatchAnswer,
  // In one transaction, two batches with the same passes would wait for each other in circles.
  inSteps: true,
  example: BATCH_EXAMPLE,
  async handle(context, { body }) {
    return { results: await recordBatch(context, body) };
  },
});
