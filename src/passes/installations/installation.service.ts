import type { TenantTx } from "#kernel/db/transaction.ts";
import { passInstalled, passUninstalled } from "../pass.events.ts";
import { findPassesForUpdate } from "../pass.repository.ts";
import { type Pass, type ProviderState, presentPass, type WalletName } from "../pass.schema.ts";
import { setProvider } from "./installation.repository.ts";

/** What a wallet reports about one pass. */
export type DeviceCount = {
  readonly passId: string;
  readonly wallet: WalletName;
  /** How many devices hold the pass now, or for wallets that do not tell: 1 or 0. */
  readonly devices: number;
};

/**
 * Records on how many devices a wallet holds a pass, and emits the events of the first and of the
 * last device. Neither makes a new version of the pass: its contents stay as they are. Returns
 * undefined if the pass does not exist.
 */
export async function noteDevices(
  tx: TenantTx,
  { passId, wallet, devices }: DeviceCount,
): Promise<Pass | undefined> {
  const [pass] = await findPassesForUpdate(tx, [passId]);
  if (pass === undefined) return undefined;
  const known = pass.providers[wallet];
  const before = known?.devices ?? 0;
  if (before === devices) return pass;
  const state = nextState(known, devices, tx.now.toISOString());
  await setProvider(tx, passId, wallet, state);
  const after = { ...pass, providers: { ...pass.providers, [wallet]: state } };
  if (before === 0 || devices === 0) {
    const definition = devices === 0 ? passUninstalled : passInstalled;
    tx.emit(definition, { ...presentPass(after), wallet }, { subject: passId });
  }
  return after;
}

function nextState(known: ProviderState | undefined, devices: number, now: string): ProviderState {
  const wasInstalled = known?.status === "installed";
  if (devices === 0) {
    return {
      status: "uninstalled",
      installedAt: known?.installedAt ?? null,
      uninstalledAt: now,
      devices,
    };
  }
  const installedAt = wasInstalled ? known.installedAt : now;
  return { status: "installed", installedAt, uninstalledAt: null, devices };
}
