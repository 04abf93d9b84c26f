import { createHash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { readYaml } from "#src/files/public.ts";
import { readSecret, secretsStampOf } from "#src/secrets/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { servicesOf } from "../wallet.services.ts";
import { googleNotConfigured } from "./google.errors.ts";
import { type GoogleKeyFile, isSimulatedAddress, readKeyFile } from "./google.key-file.ts";
import type { GoogleSettings } from "./google.schema.ts";

/** Who acts for a tenant at Google. */
export type GoogleAccount = GoogleKeyFile & {
  readonly issuerId: string;
  /** The SHA-256 of the key file: accounts that have it in common hold the same private key. */
  readonly fingerprint: string;
  /** True for the account of a simulator: no real phone can hold its passes. */
  readonly isDemo: boolean;
};

export const GOOGLE_FILE = "server/google.yml";
const ACCOUNTS_MAX = 1_000;

/** Reading a key takes a millisecond, so it is read again only if its text has changed. */
const accountsIn = perRuntime(() => ({
  byText: new RecentMap<GoogleAccount>(ACCOUNTS_MAX),
  byTenant: new RecentMap<Stamped>(ACCOUNTS_MAX),
}));
/** What an account was made from: the version of the files, and the stamp of the secrets. */
type Stamped = { readonly stamp: string; readonly account: GoogleAccount };

/** Throws 409 in plain words if the tenant has no usable account. */
export async function googleAccountOf(context: TenantContext): Promise<GoogleAccount> {
  const { version } = await configurationOf(context);
  const stamp = `${version} ${await secretsStampOf(context)}`;
  const { byTenant } = accountsIn(context.runtime);
  const known = byTenant.get(context.tenantId);
  // The account of a simulator is its own matter, and may change at any time.
  if (known?.stamp === stamp && !known.account.isDemo) return known.account;
  const account = readAccount(context, await findSource(context));
  byTenant.set(context.tenantId, { stamp, account });
  return account;
}

function readAccount(
  { runtime }: TenantContext,
  { issuerId, text, isDemo }: Source,
): GoogleAccount {
  const { byText } = accountsIn(runtime);
  const fingerprint = createHash("sha256").update(text).digest("base64");
  const name = `${issuerId} ${isDemo} ${fingerprint}`;
  let account = byText.get(name);
  if (account === undefined) {
    const file = requireKeyFile(text);
    const isOfSimulator = isDemo || isSimulated(runtime, file);
    account = { ...file, fingerprint, issuerId, isDemo: isOfSimulator };
    byText.set(name, account);
  }
  return account;
}

export function isSimulated(
  { environment }: Pick<Runtime, "environment">,
  { clientEmail }: Pick<GoogleKeyFile, "clientEmail">,
): boolean {
  return environment === "staging" && isSimulatedAddress(clientEmail);
}

type Source = { readonly issuerId: string; readonly text: string; readonly isDemo: boolean };

async function findSource(context: TenantContext): Promise<Source> {
  const settings = await googleSettingsOf(context);
  if (settings === undefined) return await findDemo(context.runtime);
  const secret = settings.secrets.serviceAccount;
  const text = await readSecret(context, secret);
  if (text === undefined) {
    const reason = `The secret '${secret}', which ${GOOGLE_FILE} names, does not exist. Store the key file of the service account in it.`;
    throw googleNotConfigured({ reason });
  }
  return { issuerId: settings.issuerId, text, isDemo: false };
}

/** Undefined if the tenant has published no such file. */
export async function googleSettingsOf(
  context: TenantContext,
): Promise<GoogleSettings | undefined> {
  const configuration = await configurationOf(context);
  return await configuration.derive("google settings", async () => {
    const bytes = await configuration.read(GOOGLE_FILE);
    // The file was checked against its schema when it was published.
    return bytes && (readYaml(GOOGLE_FILE, bytes).file?.value as GoogleSettings | undefined);
  });
}

async function findDemo(runtime: Runtime): Promise<Source> {
  const services = await servicesOf(runtime).google(true);
  if (runtime.environment !== "staging" || services.demoAccount === undefined) {
    const reason = `The tenant has no ${GOOGLE_FILE}. Add it with the number of the issuer and the name of the secret that holds the key file of the service account.`;
    throw googleNotConfigured({ reason });
  }
  const { issuerId, serviceAccount } = await services.demoAccount();
  return { issuerId, text: serviceAccount, isDemo: true };
}

/** The error does not say what is wrong with the file, because the cause may quote the key. */
function requireKeyFile(text: string): GoogleKeyFile {
  const file = readKeyFile(text);
  if (typeof file !== "string") return file;
  const reason =
    "The secret of the service account does not hold a key file that can be read, with an RSA key of at least 2048 bits.";
  throw googleNotConfigured({ reason });
}
