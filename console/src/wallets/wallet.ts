import type { components } from "../../generated/schema.ts";
import { api, take } from "../api/client.ts";

type Schemas = components["schemas"];
export type WalletHealth = Schemas["WalletHealth"];
export type AppleHealth = Schemas["AppleWalletHealth"];
export type GoogleHealth = Schemas["GoogleWalletHealth"];
export type Certificate = Schemas["WalletCertificate"];
export type Problem = Schemas["CredentialProblem"];
export type CertificateSent = Schemas["AppleCertificatePut"];
export type CertificateStored = Schemas["AppleCertificateStored"];
export type SigningRequest = Schemas["AppleRequest"];
export type GoogleCheck = Schemas["GoogleCheck"];

/** What changes the health of credentials: time, and files that name them. */
export const WALLET_EVENTS = ["credential.", "configuration."];

export const walletsOf = (tenantId: string): readonly unknown[] => ["wallets", tenantId];

const of = (tenantId: string) => ({ params: { path: { tenantId } } });

export const getHealth = (tenantId: string): Promise<WalletHealth> =>
  take(api.GET("/api/{tenantId}/admin/wallets", of(tenantId)));

export const putCertificate = (
  tenantId: string,
  body: CertificateSent,
): Promise<CertificateStored> =>
  take(api.PUT("/api/{tenantId}/admin/wallets/apple/certificate", { ...of(tenantId), body }));

export const makeRequest = (tenantId: string, commonName: string): Promise<SigningRequest> =>
  take(
    api.POST("/api/{tenantId}/admin/wallets/apple/request", {
      ...of(tenantId),
      body: commonName === "" ? {} : { commonName },
    }),
  );

export const rotateCertificate = (tenantId: string): Promise<unknown> =>
  take(api.POST("/api/{tenantId}/admin/wallets/apple/rotate", of(tenantId)));

/** The file as Google gives it; the API says what is wrong with it. */
export const putAccount = (tenantId: string, file: unknown): Promise<unknown> =>
  take(
    api.PUT("/api/{tenantId}/admin/wallets/google/account", {
      ...of(tenantId),
      body: file as never,
    }),
  );

export const checkAccount = (tenantId: string): Promise<GoogleCheck> =>
  take(api.POST("/api/{tenantId}/admin/wallets/google/check", of(tenantId)));

/** Publishes files beside whatever the tenant has. */
export const publishFiles = (
  tenantId: string,
  files: Readonly<Record<string, string>>,
): Promise<unknown> =>
  take(api.PATCH("/api/tenants/{tenantId}", { ...of(tenantId), body: { files } } as never));

export const googleFile = (issuerId: string): Readonly<Record<string, string>> => ({
  "server/google.yml": `issuerId: ${JSON.stringify(issuerId)}
secrets: { serviceAccount: GOOGLE-SERVICE-ACCOUNT }
`,
});

/** Certificates are renewed by hand, and Apple takes its time. */
const SOON_DAYS = 30;

export type Status = "ready" | "attention" | "soon" | "testing" | "broken";

export function appleStatus(health: AppleHealth): Status {
  const { isConfigured, current, problems } = health;
  if (!isConfigured || has("error", problems)) return withoutCredential(health);
  if (current !== null && current.daysLeft <= SOON_DAYS) return "soon";
  return has("warning", problems) ? "attention" : "ready";
}

export function googleStatus(health: GoogleHealth): Status {
  const { isConfigured, problems } = health;
  if (!isConfigured || has("error", problems)) return withoutCredential(health);
  return has("warning", problems) ? "attention" : "ready";
}

const withoutCredential = ({ isDevelopment }: { readonly isDevelopment: boolean }): Status =>
  isDevelopment ? "testing" : "broken";

const has = (wanted: Problem["severity"], problems: readonly Problem[]): boolean =>
  problems.some(({ severity }) => severity === wanted);
