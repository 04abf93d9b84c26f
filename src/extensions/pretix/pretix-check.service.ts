import type { TenantContext } from "#kernel/context.ts";
import { EgressError } from "#kernel/egress/egress-error.ts";
import type { FieldErrors } from "#kernel/http/validation.ts";
import { isObject } from "#kernel/json.ts";
import { askPretix, type PretixAnswer, type PretixConnection } from "./pretix.client.ts";

/**
 * Asks pretix for the organizer. Answers in our own words only: whoever runs the address must not be
 * able to speak through us, and may repeat the token.
 */
export async function checkPretix(
  context: TenantContext,
  connection: PretixConnection,
  signal: AbortSignal,
): Promise<FieldErrors | undefined> {
  try {
    const answer = await askPretix(context, connection, { path: [] }, signal);
    return errorsOf(answer, connection);
  } catch (error) {
    if (error instanceof EgressError) return { baseUrl: [`cannot be reached: ${error.message}`] };
    if (signal.aborted) return { baseUrl: ["did not answer in time"] };
    throw error;
  }
}

function errorsOf(
  { status, json }: PretixAnswer,
  { settings: { organizer } }: PretixConnection,
): FieldErrors | undefined {
  if (status === 401) return { apiToken: ["is not a token that this address knows"] };
  if (status === 403 || (status === 404 && isObject(json))) {
    return { organizer: ["is not an organizer that the token may see"] };
  }
  if (status === 429) return { baseUrl: ["takes no more requests at the moment; try again later"] };
  if (status >= 500) {
    return { baseUrl: [`fails at the moment (status ${status}); try again later`] };
  }
  if (status >= 300 && status < 400) {
    return { baseUrl: ["leads elsewhere; use the address it leads to"] };
  }
  const isOrganizer = status === 200 && isObject(json) && json.slug === organizer;
  return isOrganizer ? undefined : { baseUrl: ["is not the address of a pretix"] };
}
