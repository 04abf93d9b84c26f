import { definePort } from "#kernel/port.ts";
import type { Runtime } from "#kernel/runtime.ts";

/** Where Apple's push service answers. */
export type ApplePushService = {
  /** An https address without a path and without a trailing slash. */
  readonly url: string;
  /**
   * Certificates in PEM that the service's certificate is checked against; undefined for those
   * that the system trusts.
   */
  readonly authority: string | undefined;
};

/** Where the services of Google Wallet answer. No address ends with a slash. */
export type GoogleServices = {
  /** The REST API; `/genericObject` and the other resources follow. */
  readonly apiUrl: string;
  /** Gives access tokens to service accounts. */
  readonly tokenUrl: string;
  /** The audience that a service account names in its assertion. */
  readonly tokenAudience: string;
  /** Publishes the root keys of signed callbacks. */
  readonly keysUrl: string;
  /** Save links begin with this address; a slash and the signed token follow. */
  readonly saveUrl: string;
  /**
   * An account that these services accept, for tenants that have none. Only a simulator offers it.
   * `serviceAccount` is the JSON of a key file.
   */
  demoAccount?(): Promise<{ issuerId: string; serviceAccount: string }>;
};

/**
 * The wallets' own services: those of Apple and Google, or other addresses by setting. Credentials
 * that were made for development are known to the simulator only, where there is one. Services are
 * asked for at every use, because a simulator starts when it is first needed.
 */
export type WalletServices = {
  apple(isDevelopment: boolean): Promise<ApplePushService>;
  google(isDevelopment: boolean): Promise<GoogleServices>;
};

export const walletServices = definePort<WalletServices>("wallet services");

/** An offer to the port that comes later replaces those before it. */
export function servicesOf({ ports }: Pick<Runtime, "ports">): WalletServices {
  const services = ports.all(walletServices).at(-1);
  if (services === undefined) throw new Error("Nobody says where the wallets answer.");
  return services;
}
