import { definePort } from "#kernel/port.ts";
import type { Finding, FindingKind } from "#src/files/public.ts";
import type { WalletImages } from "./images/image.slots.ts";
import type { CompiledTemplate } from "./template.compiled.ts";
import type { LocalizedPass } from "./template.render.ts";

/**
 * What templates need from a wallet. The module of templates does not know the wallets themselves.
 */
export type Wallet = {
  /** All findings that the rules of the wallet can give. */
  readonly findings: readonly FindingKind[];
  readonly images: WalletImages;
  /** Rules that look only at the template. */
  lintTemplate(compiled: CompiledTemplate): Finding[];
  /** Builds everything that the wallet would get for a pass with sample data, and checks it. */
  lintSample(compiled: CompiledTemplate, pass: LocalizedPass): Finding[];
};

/**
 * The addresses of files that export a `wallet` made by `defineWallet`. They are addresses, because
 * the process that examines files of tenants loads the rules of the wallets without the rest of the
 * service.
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
