import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { appleSignerOf } from "../apple/signing/apple-signer.ts";
import { googleAccountOf } from "../google/google-account.ts";
import type { Offer, Offers } from "./landing.page.ts";

/** Which wallets can take passes of this tenant now. Visitors see no button for the others. */
export async function findOffers(context: TenantContext): Promise<Offers> {
  const signer = await orNone(context, "apple", () => appleSignerOf(context));
  const account = await orNone(context, "google", () => googleAccountOf(context));
  return {
    apple: signer && offerOf(signer.isDevelopment),
    google: account && offerOf(account.isDemo),
  };
}

function offerOf(isDevelopment: boolean): Offer {
  return isDevelopment ? "development" : "real";
}

/**
 * A wallet that is not set up is no fault of the visitor, who is not told why. The log tells the
 * administrator, in the words of the problem, which name no secret.
 */
async function orNone<Found>(
  { log, tenantId }: TenantContext,
  wallet: string,
  find: () => Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, message: reason } = error;
    // Not a warning: a tenant may well want one wallet only, and its pages are opened often.
    log.info({ tenantId, wallet, code, reason }, "a landing page offers no button for a wallet");
    return undefined;
  }
}
