import { type ConfigFiles, loadConfigFiles } from "#src/files/public.ts";
import { loadWallets, type Wallet } from "../template.wallet.ts";

/**
 * The addresses of the rules that other modules have for files and passes. Plain data, because it
 * is sent to other processes.
 */
export type RuleAddresses = {
  readonly configFiles: readonly string[];
  readonly wallets: readonly string[];
};

export type Rules = { readonly kinds: ConfigFiles; readonly wallets: readonly Wallet[] };

export async function loadRules({ configFiles, wallets }: RuleAddresses): Promise<Rules> {
  return { kinds: await loadConfigFiles(configFiles), wallets: await loadWallets(wallets) };
}
