import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { type Issued, issueCertificate } from "./certificates.ts";
import type { ApiResponse } from "./client.ts";
import type { TestApi } from "./start-api.ts";

/** Certificates for passes as Apple would issue them, and the addresses where they are stored. */

export const TEAM = "ABCDE12345";
export const PASS_TYPE = "pass.example.cafe-lune";
export const PASS_NAME = { CN: `Pass Type ID: ${PASS_TYPE}`, UID: PASS_TYPE, OU: TEAM };
export const APPLE_YML = `passTypeIdentifier: ${PASS_TYPE}
teamIdentifier: ${TEAM}
secrets: { certificate: APPLE-CERTIFICATE, key: APPLE-KEY }
`;
export const authority = issueCertificate({ name: { CN: "Example Authority", OU: "G4" } });
/** Has nearly the same name, and issued nothing. */
export const stranger = issueCertificate({ name: { CN: "Example Authority", OU: "G3" } });

type Wish = Partial<Parameters<typeof issueCertificate>[0]>;

export function issuePassCertificate(wish: Wish = {}): Issued {
  return issueCertificate({ name: PASS_NAME, issuer: authority, ...wish });
}

export const fingerprintOf = ({ certificate }: Pick<Issued, "certificate">): string =>
  new X509Certificate(certificate).fingerprint256;

/** The body that stores a certificate with its key and its issuer. */
export function pemOf({ certificate, keyPem }: Issued) {
  return { certificate, key: keyPem, intermediate: authority.certificate };
}

let accountKey: string | undefined;

/** The file of a service account; all have the same key, because making one takes its time. */
export function serviceAccountOf(name: string) {
  accountKey ??= generateKeyPairSync("rsa", { modulusLength: 2_048 })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
  return {
    type: "service_account",
    project_id: name,
    private_key_id: "0b9d5f1c7e3a48d2",
    private_key: accountKey,
    client_email: `passes@${name}.iam.gserviceaccount.com`,
    client_id: "1234567890",
    token_uri: "https://oauth2.googleapis.com/token",
    universe_domain: "googleapis.com",
  };
}

export function walletStage(api: TestApi) {
  const key = api.operatorKey;
  let tenants = 0;
  return {
    /** With `server/apple.yml`, unless another text is given; without it if that is empty. */
    async newTenant(apple: string = APPLE_YML): Promise<string> {
      tenants += 1;
      const tenantId = `cafe-${tenants}`;
      await api.seed.tenant(tenantId, apple === "" ? {} : { "server/apple.yml": apple });
      return tenantId;
    },
    put: (tenantId: string, body: unknown): Promise<ApiResponse> =>
      api.put(`/api/${tenantId}/admin/wallets/apple/certificate`, { key, body }),
    post: (tenantId: string, what: string, body?: unknown): Promise<ApiResponse> =>
      api.post(`/api/${tenantId}/admin/wallets/apple/${what}`, {
        key,
        ...(body === undefined ? {} : { body }),
      }),
    health: async (tenantId: string) =>
      (await api.get(`/api/${tenantId}/admin/wallets`, { key })).body.apple,
    secretOf: async (tenantId: string, name: string): Promise<string | undefined> =>
      (await api.get(`/api/${tenantId}/secrets/${name}`, { key })).body.value,
  };
}
