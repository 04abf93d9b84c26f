import type { Log } from "#kernel/log.ts";
import { createSimulator, type Simulator } from "#src/simulator/public.ts";
import type { GoogleServices, WalletServices } from "#src/wallets/public.ts";
import type { Config } from "./config.ts";

const APPLE_PUSH_URL = "https://api.push.apple.com";
/** Apple's push service has several hosts. */
const APPLE_PUSH_DOMAIN = ".push.apple.com";
const GOOGLE_TOKEN_URL = "https://oauth2.googleapis.com/token";

const GOOGLE: GoogleServices = {
  apiUrl: "https://walletobjects.googleapis.com/walletobjects/v1",
  tokenUrl: GOOGLE_TOKEN_URL,
  tokenAudience: GOOGLE_TOKEN_URL,
  keysUrl: "https://pay.google.com/gp/m/issuer/keys",
  saveUrl: "https://pay.google.com/gp/v/save",
};

type Settings = Pick<Config, "apnsUrl" | "googleWalletUrl">;

/**
 * The simulator stands in for services whose address is not set, in staging. Production has none.
 * Its state is in one process, so an installation whose roles run in several processes sets
 * `APNS_URL` and `GOOGLE_WALLET_URL`.
 */
export function createSimulatorBySetting(
  { simulator, apnsUrl, googleWalletUrl, dataDir, baseUrl }: Config,
  log: Log,
): Simulator | undefined {
  const isNeeded = apnsUrl === undefined || googleWalletUrl === undefined;
  return simulator && isNeeded ? createSimulator({ dataDir, baseUrl, log }) : undefined;
}

/** Where the wallets' own services answer, as the settings say. */
export function createWalletServices(
  { apnsUrl, googleWalletUrl }: Settings,
  simulator?: Simulator,
): WalletServices {
  const apple = { url: apnsUrl ?? APPLE_PUSH_URL, authority: undefined };
  const isApple = new URL(apple.url).hostname.endsWith(APPLE_PUSH_DOMAIN);
  const google = googleWalletUrl === undefined ? GOOGLE : googleAt(googleWalletUrl);
  return {
    async apple(isDevelopment) {
      if (!isDevelopment || !isApple) return apple;
      if (simulator !== undefined) return await simulator.apple();
      // Apple takes clients for attackers that come again and again with a certificate it never issued.
      throw new Error("Passes of the development authority are pushed by a simulator only.");
    },
    google: async (isDevelopment) =>
      isDevelopment && googleWalletUrl === undefined && simulator !== undefined
        ? await simulator.google()
        : google,
  };
}

/**
 * All of Google's services below one address, with the paths that they have at Google. Google's own
 * address means Google, whose services have several hosts: so staging can use it, too.
 */
function googleAt(url: string): GoogleServices {
  if (GOOGLE.apiUrl.startsWith(`${url}/`)) return GOOGLE;
  return {
    apiUrl: `${url}/walletobjects/v1`,
    tokenUrl: `${url}/token`,
    tokenAudience: GOOGLE_TOKEN_URL,
    keysUrl: `${url}/gp/m/issuer/keys`,
    saveUrl: `${url}/gp/v/save`,
  };
}
