import { defineEvent } from "#kernel/events/define.ts";
import { SCAN_EXAMPLE, ScanResource } from "./scan.schema.ts";

// Names and fields are a published contract: add, never rename or remove.
export const scanRecorded = defineEvent({
  name: "scan.recorded",
  version: 1,
  summary: "A code was scanned, whether or not it belongs to a pass and was accepted.",
  payload: ScanResource,
  example: SCAN_EXAMPLE,
});
