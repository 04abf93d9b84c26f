import { type ConfigFiles, loadConfigFiles } from "#src/files/public.ts";
import { loadWallets, type Wallet } from "../template.wallet.ts";

/** Where to find what modules above know about files and passes. Plain data: it travels to other processes. */
export type RuleAddresses = {
  readonly configFiles: readonly string[];
  readonly wallets: readonly string[];
};

export type Rules = { readonly kinds: ConfigFiles; readonly wallets: readonly Wallet[] };

export async function loadRules({ configFiles, wallets }: RuleAddresses): Promise<Rules> {
  return { kinds: await loadConfigFiles(configFiles), wallets: await loadWallets(wallets) };
}
