import type { TenantContext } from "#kernel/context.ts";
import { definePort } from "#kernel/port.ts";
import type { Pass, WalletName } from "../pass.schema.ts";
import type { Delivery, WalletDelivery } from "./delivery.schema.ts";

/** How a wallet, in a module above, is told of changes before the caller is answered. */
export type WalletTeller = {
  readonly wallet: WalletName;
  /**
   * Tells the wallet of the committed changes of these passes, which it holds, and returns what
   * became of each. Ends when `signal` is aborted: what is not done by then stays queued.
   */
  tellNow(
    context: TenantContext,
    passIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Omit<WalletDelivery, "devices">>>;
};

export const walletTellers = definePort<WalletTeller>("wallet teller");

/** A caller that bypasses the queue waits at most so long for Apple and Google. */
const TELL_MS_MAX = 10_000;

/**
 * Tells the wallets that hold these passes, and returns the state of each pass by wallet. The changes
 * must be committed: no transaction may be open while a wallet is called.
 */
export async function tellWallets(
  context: TenantContext,
  passes: readonly Pass[],
): Promise<ReadonlyMap<string, Delivery>> {
  const deliveryOf = await tell(context, passes);
  return new Map(passes.map((pass) => [pass.id, deliveryOf(pass)]));
}

/** Does the same for one pass. */
export async function tellWalletsOf(context: TenantContext, pass: Pass): Promise<Delivery> {
  return (await tell(context, [pass]))(pass);
}

async function tell(
  context: TenantContext,
  passes: readonly Pass[],
): Promise<(pass: Pass) => Delivery> {
  const signal = AbortSignal.timeout(TELL_MS_MAX);
  const [apple, google] = await Promise.all([
    tellOne(context, "apple", passes, signal),
    tellOne(context, "google", passes, signal),
  ]);
  return (pass) => ({
    apple: stateOf(pass, "apple", apple),
    google: stateOf(pass, "google", google),
  });
}

type Told = Awaited<ReturnType<WalletTeller["tellNow"]>>;
const NOTHING: Told = new Map();

const devicesOf = ({ providers }: Pass, wallet: WalletName): number =>
  providers[wallet]?.devices ?? 0;

async function tellOne(
  context: TenantContext,
  wallet: WalletName,
  passes: readonly Pass[],
  signal: AbortSignal,
): Promise<Told> {
  const held = passes.filter((pass) => devicesOf(pass, wallet) > 0).map(({ id }) => id);
  const tellers = context.runtime.ports.all(walletTellers);
  // An offer that comes later replaces those before it.
  const teller = tellers.findLast((offer) => offer.wallet === wallet);
  if (held.length === 0 || teller === undefined) return NOTHING;
  try {
    return await teller.tellNow(context, held, signal);
  } catch (error) {
    // The change itself is made, and stays queued for the wallet.
    context.log.warn({ err: error, wallet }, "a wallet could not be told at once");
    return NOTHING;
  }
}

function stateOf(pass: Pass, wallet: WalletName, told: Told): WalletDelivery {
  const devices = devicesOf(pass, wallet);
  if (devices === 0) return { state: "none", devices };
  return { ...(told.get(pass.id) ?? { state: "queued" }), devices };
}
