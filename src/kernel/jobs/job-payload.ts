import { fieldErrors } from "../http/validation.ts";
import type { QueuedJob } from "./queued-job.ts";

/** The error names the fields that do not fit but not their values, because it is logged. */
export function requirePayload(definition: QueuedJob, payload: unknown): void {
  const errors = fieldErrors(definition.payload, payload);
  if (errors === undefined) return;
  const list = Object.entries(errors).map(([field, messages]) => `${field} ${messages.join(", ")}`);
  throw new Error(`The payload of job '${definition.name}' does not fit: ${list.join("; ")}.`);
}
