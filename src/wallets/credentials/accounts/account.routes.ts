import { defineRoute, type Route } from "#kernel/http/route.ts";
import { TenantParams } from "#src/tenants/public.ts";
import {
  ACCOUNT_EXAMPLE,
  GoogleAccountPut,
  GoogleAccountStored,
  GoogleCheck,
} from "./account.schema.ts";
import { checkGoogleAccount, putGoogleAccount } from "./account.service.ts";

const BODY_BYTES_MAX = 32 * 1024;

export const googleAccountPut = defineRoute({
  op: "google-account.put",
  method: "PUT",
  url: "/api/:tenantId/admin/wallets/google/account",
  scope: "Secret.Write",
  summary: "Store the service account for Google Wallet",
  description:
    "The body is the JSON file of the service account's key, as Google gives it. It is checked and kept as a secret, under the name that `server/google.yml` gives.",
  params: TenantParams,
  body: GoogleAccountPut,
  bodySizeBytesMax: BODY_BYTES_MAX,
  reply: GoogleAccountStored,
  rateLimit: { limit: 120, windowSeconds: 60 },
  example: {
    body: {
      type: "service_account",
      project_id: ACCOUNT_EXAMPLE.projectId,
      private_key_id: ACCOUNT_EXAMPLE.keyId,
      private_key: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF…",
      client_email: ACCOUNT_EXAMPLE.clientEmail,
    },
    reply: { account: ACCOUNT_EXAMPLE, problems: [] },
  },
  handle: (context, { body }) => putGoogleAccount(context, body),
});

export const googleAccountCheck = defineRoute({
  op: "google-account.check",
  method: "POST",
  url: "/api/:tenantId/admin/wallets/google/check",
  scope: "Secret.Write",
  summary: "Try out the service account for Google Wallet",
  description:
    "Asks Google for an access token and, with it, for the classes of the issuer, and names the first thing that is wrong with what to do about it: 200 also then. Changes nothing at Google. In staging without `server/google.yml` the simulator is asked.",
  params: TenantParams,
  reply: GoogleCheck,
  rateLimit: { limit: 30, windowSeconds: 60 },
  inSteps: true,
  example: {
    reply: {
      isOk: false,
      isDevelopment: false,
      issuerId: "3388000000012345678",
      clientEmail: ACCOUNT_EXAMPLE.clientEmail,
      steps: [
        {
          step: "account",
          isOk: true,
          message: `The service account is '${ACCOUNT_EXAMPLE.clientEmail}'.`,
          hint: null,
        },
        { step: "token", isOk: true, message: "Google accepts its key.", hint: null },
        {
          step: "api",
          isOk: false,
          message: "The Google Wallet API is not enabled in the project of the service account.",
          hint: "Enable 'Google Wallet API' in the Google Cloud console, in the project of the account, and wait some minutes.",
        },
      ],
      notes: [],
    },
  },
  handle: (context) => checkGoogleAccount(context),
});

export const accountRoutes: readonly Route[] = [googleAccountPut, googleAccountCheck];
