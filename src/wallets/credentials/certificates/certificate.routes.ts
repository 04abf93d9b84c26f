import { defineRoute, type Route } from "#kernel/http/route.ts";
import { TenantParams } from "#src/tenants/public.ts";
import { appleNextMissing, appleNextUnusable } from "./certificate.errors.ts";
import {
  AppleCertificatePut,
  AppleCertificateStored,
  AppleRequest,
  AppleRequestCreate,
  AppleSlots,
  CERTIFICATE_EXAMPLE,
} from "./certificate.schema.ts";
import {
  createAppleRequest,
  putAppleCertificate,
  rotateAppleCertificate,
} from "./certificate.service.ts";

const BODY_BYTES_MAX = 384 * 1024;

export const appleCertificatePut = defineRoute({
  op: "apple-certificate.put",
  method: "PUT",
  url: "/api/:tenantId/admin/wallets/apple/certificate",
  scope: "Secret.Write",
  summary: "Store the certificate for Apple Wallet",
  description:
    "Takes a `.p12` file, a certificate as Apple's portal gives it, or PEM. Nothing is stored unless passes can be signed with it: the key must belong to the certificate, the identifiers must be those of `server/apple.yml`, the intermediate must have issued it, and it must be valid now. Each fault is named with its member, in plain words. The parts are kept as secrets, under the names that `server/apple.yml` gives; without that file the answer has it, ready to be published. While a usable certificate is in use, another one goes to the slot `next`.",
  params: TenantParams,
  body: AppleCertificatePut,
  bodySizeBytesMax: BODY_BYTES_MAX,
  reply: AppleCertificateStored,
  rateLimit: { limit: 120, windowSeconds: 60 },
  example: {
    body: { file: "MIIMlgIBAzCCDF4GCSqGSIb3DQEHAaCCDE8Eggx…", passphrase: "of the export" },
    reply: {
      slot: "current",
      certificate: CERTIFICATE_EXAMPLE,
      problems: [],
      files: {
        "server/apple.yml":
          "passTypeIdentifier: pass.example.cafe-lune\nteamIdentifier: ABCDE12345\nsecrets: { certificate: APPLE-CERTIFICATE, key: APPLE-KEY }\n",
      },
    },
  },
  handle: (context, { body }) => putAppleCertificate(context, body),
});

export const appleCertificateRequest = defineRoute({
  op: "apple-certificate.request",
  method: "POST",
  url: "/api/:tenantId/admin/wallets/apple/request",
  scope: "Secret.Write",
  summary: "Make a signing request for Apple's portal",
  description:
    "Makes an RSA key that never leaves this service. Upload the request in Apple's portal, and store the certificate that you get there, without a key: it is recognized. The three newest requests are remembered.",
  params: TenantParams,
  body: AppleRequestCreate,
  reply: AppleRequest,
  rateLimit: { limit: 30, windowSeconds: 60 },
  example: {
    body: { commonName: "Café Lune" },
    reply: {
      request:
        "-----BEGIN CERTIFICATE REQUEST-----\nMIICWzCCAUMCAQAwFjEUMBIGA1UEAwwLQ2Fmw6kgTHVuZTCC…\n-----END CERTIFICATE REQUEST-----\n",
      publicKeyFingerprint: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      createdAt: "2026-03-02T09:30:00.000Z",
    },
  },
  handle: (context, { body }) => createAppleRequest(context, body.commonName),
});

export const appleCertificateRotate = defineRoute({
  op: "apple-certificate.rotate",
  method: "POST",
  url: "/api/:tenantId/admin/wallets/apple/rotate",
  scope: "Secret.Write",
  summary: "Activate the certificate that waits",
  description:
    "The certificate in the slot `next` is checked once more and used from now on. The former one then waits in `next`, so the same call switches back; delete the secret `APPLE-SLOT-NEXT` when you no longer need it.",
  params: TenantParams,
  reply: AppleSlots,
  errors: [appleNextMissing, appleNextUnusable],
  example: {
    reply: {
      current: CERTIFICATE_EXAMPLE,
      next: {
        ...CERTIFICATE_EXAMPLE,
        serialNumber: "5A0E77C1D2B3A4F6",
        notBefore: "2025-02-01T09:30:00.000Z",
        notAfter: "2026-03-03T09:30:00.000Z",
        daysLeft: 1,
      },
    },
  },
  handle: (context) => rotateAppleCertificate(context),
});

export const certificateRoutes: readonly Route[] = [
  appleCertificatePut,
  appleCertificateRequest,
  appleCertificateRotate,
];
