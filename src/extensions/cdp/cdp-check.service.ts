import type { TenantContext } from "#kernel/context.ts";
import { EgressError } from "#kernel/egress/egress-error.ts";
import type { FieldErrors } from "#kernel/http/validation.ts";
import { blamedSetting, isSuccess, messagesIn } from "./cdp.answer.ts";
import { askCdp, type CdpAnswer, type CdpConnection, type CdpRequest } from "./cdp.client.ts";

/**
 * Neither needs a permission of the key. Whether the second one alone notices a wrong secret is not
 * documented, so both are asked.
 */
const PROBES: readonly CdpRequest[] = [
  { method: "GET", api: "data", path: "consent/categories" },
  { method: "GET", api: "track", path: "system/time" },
];

/**
 * Tries the settings at the platform. Answers in our own words only: whoever runs the address must
 * not be able to speak through us, and may repeat the secret.
 */
export async function checkCdp(
  context: TenantContext,
  connection: CdpConnection,
  signal: AbortSignal,
): Promise<FieldErrors | undefined> {
  for (const probe of PROBES) {
    const errors = await tryProbe(context, connection, probe, signal);
    if (errors !== undefined) return errors;
  }
  return undefined;
}

async function tryProbe(
  context: TenantContext,
  connection: CdpConnection,
  probe: CdpRequest,
  signal: AbortSignal,
): Promise<FieldErrors | undefined> {
  try {
    const answer = await askCdp(context, connection, probe, signal);
    return isSuccess(answer) ? undefined : errorsOf(answer);
  } catch (error) {
    if (error instanceof EgressError) return { baseUrl: [`cannot be reached: ${error.message}`] };
    if (signal.aborted) return { baseUrl: ["did not answer in time"] };
    throw error;
  }
}

const REFUSED = {
  projectToken: "is not a project that this address knows",
  apiKeyId: "is not a key of this project",
  apiKeySecret: "is not the secret of this key",
} as const;

function errorsOf(answer: CdpAnswer): FieldErrors {
  const { status } = answer;
  const blamed = blamedSetting(answer);
  if (blamed !== undefined) {
    const lacksPermission = status === 403 && blamed === "apiKeyId";
    return { [blamed]: [lacksPermission ? "lacks a permission" : REFUSED[blamed]] };
  }
  return { baseUrl: [aboutAddress(answer)] };
}

function aboutAddress({ status, json }: CdpAnswer): string {
  if (status === 429) return "takes no more requests at the moment; try again later";
  if (status >= 500) return `fails at the moment (status ${status}); try again later`;
  if (status >= 300 && status < 400) return "leads elsewhere; use the address it leads to";
  if (status === 404 || messagesIn(json) === "") return "is not the address of this API";
  return `was answered with an error (status ${status})`;
}
