import Type, { type Static } from "typebox";

const FILE_LENGTH_MAX = 96 * 1024;
const PEM_LENGTH_MAX = 64 * 1024;

const SlotName = Type.Enum(["current", "next"], {
  description:
    "`current` signs the passes; `next` waits until it is activated, and holds the former one afterwards.",
});
export type SlotName = Static<typeof SlotName>;

export const AppleCertificatePut = Type.Object(
  {
    file: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: FILE_LENGTH_MAX,
        description:
          "A file in base64, up to 64 KiB: a `.p12`, a certificate as Apple's portal gives it (`.cer`), or PEM.",
      }),
    ),
    certificate: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PEM_LENGTH_MAX,
        description: "The certificate in PEM, instead of `file`.",
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PEM_LENGTH_MAX,
        description:
          "Its private key in PEM. Not needed if the file holds it, or if the certificate was requested with a request made here.",
      }),
    ),
    passphrase: Type.Optional(
      Type.String({ maxLength: 1_024, description: "Of the file or of the key." }),
    ),
    intermediate: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PEM_LENGTH_MAX,
        description:
          "Apple's intermediate certificate that issued it, in PEM or in base64, where the file does not hold it.",
      }),
    ),
    slot: Type.Optional(
      Type.Enum(["current", "next"], {
        description:
          "Default: `current` if nothing usable or the same certificate is there, else `next`.",
      }),
    ),
  },
  { additionalProperties: false, title: "AppleCertificatePut" },
);
export type AppleCertificatePut = Static<typeof AppleCertificatePut>;

const Time = Type.String({ format: "date-time" });
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const CertificateView = Type.Object(
  {
    subject: Type.String(),
    serialNumber: Type.String(),
    fingerprint: Type.String({ description: "SHA-256 of the certificate." }),
    notBefore: Time,
    notAfter: Time,
    daysLeft: Type.Integer({ description: "Whole days until it expires; negative afterwards." }),
    passTypeIdentifier: orNull(Type.String({ description: "That it was issued for." })),
    teamIdentifier: orNull(Type.String({ description: "That it was issued for." })),
    issuer: Type.String(),
    isIssuedByApple: Type.Boolean({
      description: "By the name of the issuer: phones accept only passes that Apple vouches for.",
    }),
    hasKey: Type.Boolean({ description: "Whether its private key is there and fits." }),
    isChainComplete: Type.Boolean({
      description: "Whether the certificate of its issuer is there.",
    }),
    intermediate: orNull(Type.Object({ subject: Type.String(), notAfter: Time })),
  },
  { title: "WalletCertificate" },
);
export type CertificateView = Static<typeof CertificateView>;

export const CredentialProblem = Type.Object(
  {
    severity: Type.Enum(["error", "warning", "info"]),
    code: Type.String(),
    message: Type.String(),
    hint: Type.String(),
  },
  { title: "CredentialProblem" },
);
export type CredentialProblem = Static<typeof CredentialProblem>;

const Files = Type.Record(Type.String(), Type.String(), {
  description:
    "Files to publish so that the credential is used, as the body of a publication takes them. Empty if there is nothing to do.",
});

export const AppleCertificateStored = Type.Object(
  {
    slot: SlotName,
    certificate: CertificateView,
    problems: Type.Array(CredentialProblem),
    files: Files,
  },
  { title: "AppleCertificateStored" },
);
export type AppleCertificateStored = Static<typeof AppleCertificateStored>;

export const AppleSlots = Type.Object(
  { current: orNull(CertificateView), next: orNull(CertificateView) },
  { title: "AppleSlots" },
);
export type AppleSlots = Static<typeof AppleSlots>;

export const AppleRequestCreate = Type.Object(
  {
    commonName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Who asks. Apple shows it nowhere. Default: the id of the tenant.",
      }),
    ),
  },
  { additionalProperties: false, title: "AppleRequestCreate" },
);
export type AppleRequestCreate = Static<typeof AppleRequestCreate>;

export const AppleRequest = Type.Object(
  {
    request: Type.String({ description: "The signing request in PEM, for Apple's portal." }),
    publicKeyFingerprint: Type.String({ description: "SHA-256 of the public key in DER." }),
    createdAt: Time,
  },
  { title: "AppleRequest" },
);
export type AppleRequest = Static<typeof AppleRequest>;

export const CERTIFICATE_EXAMPLE: CertificateView = {
  subject:
    "UID=pass.example.cafe-lune, CN=Pass Type ID: pass.example.cafe-lune, OU=ABCDE12345, O=Café Lune, C=PT",
  serialNumber: "6C1F0B2A9D3E4F50",
  fingerprint:
    "5D:0A:77:42:9B:31:0C:66:E2:8F:11:3A:57:90:C4:DE:01:7B:25:AE:63:F8:4C:92:D7:1E:B0:39:86:5F:CA:13",
  notBefore: "2026-02-01T09:30:00.000Z",
  notAfter: "2027-03-03T09:30:00.000Z",
  daysLeft: 365,
  passTypeIdentifier: "pass.example.cafe-lune",
  teamIdentifier: "ABCDE12345",
  issuer:
    "CN=Apple Worldwide Developer Relations Certification Authority, OU=G4, O=Apple Inc., C=US",
  isIssuedByApple: true,
  hasKey: true,
  isChainComplete: true,
  intermediate: {
    subject:
      "CN=Apple Worldwide Developer Relations Certification Authority, OU=G4, O=Apple Inc., C=US",
    notAfter: "2030-12-10T00:00:00.000Z",
  },
};
