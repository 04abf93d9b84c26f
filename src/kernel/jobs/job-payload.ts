import { fieldErrors } from "../http/validation.ts";
import type { JobDefinition } from "./define.ts";

/** Names the fields that do not fit, never their values: this ends up in logs. */
export function requirePayload(definition: JobDefinition, payload: unknown): void {
  const errors = fieldErrors(definition.payload, payload);
  if (errors === undefined) return;
  const list = Object.entries(errors).map(([field, messages]) => `${field} ${messages.join(", ")}`);
  throw new Error(`The payload of job '${definition.name}' does not fit: ${list.join("; ")}.`);
}
