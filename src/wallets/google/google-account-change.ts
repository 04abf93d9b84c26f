import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { type GoogleAccount, googleAccountOf } from "./google-account.ts";

/** True if another account acts for the tenant by now. */
export async function isAccountReplaced(
  context: TenantContext,
  { issuerId, fingerprint }: GoogleAccount,
): Promise<boolean> {
  try {
    await newestConfigurationOf(context);
    const current = await googleAccountOf(context);
    return current.issuerId !== issuerId || current.fingerprint !== fingerprint;
  } catch (error) {
    // None is usable now, so nothing can be sent anyway.
    if (error instanceof ProblemError && error.status < 500) return false;
    throw error;
  }
}
