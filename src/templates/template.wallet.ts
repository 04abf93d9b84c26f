import { definePort } from "#kernel/port.ts";
import type { Finding, FindingKind } from "#src/files/public.ts";
import type { WalletImages } from "./images/image.slots.ts";
import type { CompiledTemplate } from "./template.compiled.ts";
import type { LocalizedPass } from "./template.render.ts";

/** What templates ask of a wallet, which they do not know. */
export type Wallet = {
  /** All that its rules can say. */
  readonly findings: readonly FindingKind[];
  readonly images: WalletImages;
  /** Rules that a template breaks whatever its passes hold. */
  lintTemplate(compiled: CompiledTemplate): Finding[];
  /** Makes everything that the wallet gets of a pass, here of one with sample data, and looks at it. */
  lintSample(compiled: CompiledTemplate, pass: LocalizedPass): Finding[];
};

/**
 * Addresses of files that export a `wallet`, made by `defineWallet`. They are offered by address, because
 * the process that reads files of strangers needs the rules of the wallets and none of their services.
 */
export const walletAddresses = definePort<URL>("wallet");

const defined = new WeakSet<object>();

export function defineWallet(wallet: Wallet): Wallet {
  defined.add(wallet);
  return wallet;
}

function isWallet(value: unknown): value is Wallet {
  return typeof value === "object" && value !== null && defined.has(value);
}

export async function loadWallets(addresses: readonly string[]): Promise<Wallet[]> {
  return await Promise.all(addresses.map(loadWallet));
}

async function loadWallet(address: string): Promise<Wallet> {
  const { wallet }: { readonly wallet?: unknown } = await import(address);
  if (isWallet(wallet)) return wallet;
  throw new Error(`'${address}' exports no 'wallet' made by defineWallet.`);
}
