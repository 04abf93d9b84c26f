import Type, { type Static } from "typebox";
import { ACCOUNT_EXAMPLE, GoogleAccountView } from "./accounts/account.schema.ts";
import {
  CERTIFICATE_EXAMPLE,
  CertificateView,
  CredentialProblem,
} from "./certificates/certificate.schema.ts";

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const isConfigured = Type.Boolean({
  description: "Whether a published file names a credential, and the credential is usable.",
});
const isDevelopment = Type.Boolean({
  description: "Whether passes are made for testing only: no real phone takes them.",
});
const problems = Type.Array(CredentialProblem);

const AppleHealth = Type.Object(
  {
    isConfigured,
    isDevelopment,
    inUse: orNull(
      Type.Enum(["current", "development"], {
        description: "What signs the passes; null if nothing does.",
      }),
    ),
    passTypeIdentifier: orNull(Type.String({ description: "As `server/apple.yml` says." })),
    teamIdentifier: orNull(Type.String({ description: "As `server/apple.yml` says." })),
    developmentRootPem: orNull(
      Type.String({
        description:
          "The root of the development authority, in PEM: whoever trusts it can check the signatures of passes for testing. Null if that authority signs nothing.",
      }),
    ),
    current: orNull(CertificateView),
    next: orNull(CertificateView),
    openRequests: Type.Integer({
      minimum: 0,
      description: "Signing requests made here whose certificates have not come.",
    }),
    problems,
  },
  { title: "AppleWalletHealth" },
);
export type AppleHealth = Static<typeof AppleHealth>;

const GoogleHealth = Type.Object(
  {
    isConfigured,
    isDevelopment,
    issuerId: orNull(Type.String({ description: "As `server/google.yml` says." })),
    account: orNull(GoogleAccountView),
    problems,
  },
  { title: "GoogleWalletHealth" },
);
export type GoogleHealth = Static<typeof GoogleHealth>;

export const WalletHealth = Type.Object(
  { apple: AppleHealth, google: GoogleHealth },
  { title: "WalletHealth" },
);
export type WalletHealth = Static<typeof WalletHealth>;

export const HEALTH_EXAMPLE: WalletHealth = {
  apple: {
    isConfigured: true,
    isDevelopment: false,
    inUse: "current",
    passTypeIdentifier: "pass.example.cafe-lune",
    teamIdentifier: "ABCDE12345",
    developmentRootPem: null,
    current: CERTIFICATE_EXAMPLE,
    next: null,
    openRequests: 0,
    problems: [],
  },
  google: {
    isConfigured: true,
    isDevelopment: false,
    issuerId: "3388000000012345678",
    account: ACCOUNT_EXAMPLE,
    problems: [],
  },
};
