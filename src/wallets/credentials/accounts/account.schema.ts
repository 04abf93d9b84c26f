import Type, { type Static } from "typebox";
import { CredentialProblem } from "../certificates/certificate.schema.ts";

const text = (description: string, maxLength = 1_024) =>
  Type.String({ minLength: 1, maxLength, description });

/** The file that Google gives for a service account. Further members are kept as they came. */
export const GoogleAccountPut = Type.Object(
  {
    type: text("`service_account`."),
    project_id: text("The project of the account."),
    private_key_id: Type.Optional(text("The id of the key.")),
    private_key: text("The RSA key in PEM.", 16_384),
    client_email: text("The address of the account."),
    client_id: Type.Optional(Type.String({ maxLength: 1_024 })),
    token_uri: Type.Optional(Type.String({ maxLength: 1_024 })),
  },
  { title: "GoogleAccountPut" },
);
export type GoogleAccountPut = Static<typeof GoogleAccountPut>;

export const GoogleAccountView = Type.Object(
  {
    clientEmail: Type.String(),
    projectId: Type.Union([Type.String(), Type.Null()]),
    keyId: Type.Union([Type.String(), Type.Null()]),
  },
  { title: "GoogleAccount" },
);
export type GoogleAccountView = Static<typeof GoogleAccountView>;

export const GoogleAccountStored = Type.Object(
  { account: GoogleAccountView, problems: Type.Array(CredentialProblem) },
  { title: "GoogleAccountStored" },
);
export type GoogleAccountStored = Static<typeof GoogleAccountStored>;

const GoogleCheckStep = Type.Object(
  {
    step: Type.Enum(["account", "token", "api", "issuer", "address"]),
    isOk: Type.Boolean(),
    message: Type.String(),
    hint: Type.Union([Type.String({ description: "What to do about it." }), Type.Null()]),
  },
  { title: "GoogleCheckStep" },
);
export type GoogleCheckStep = Static<typeof GoogleCheckStep>;

const GoogleCheckNote = Type.Object(
  {
    code: Type.Enum(["demo-mode"]),
    message: Type.String(),
  },
  { title: "GoogleCheckNote" },
);
export type GoogleCheckNote = Static<typeof GoogleCheckNote>;

export const GoogleCheck = Type.Object(
  {
    isOk: Type.Boolean(),
    isDevelopment: Type.Boolean({ description: "Whether the simulator was asked, not Google." }),
    issuerId: Type.Union([Type.String(), Type.Null()]),
    clientEmail: Type.Union([Type.String(), Type.Null()]),
    steps: Type.Array(GoogleCheckStep, {
      description: "In order, up to the first that failed.",
    }),
    notes: Type.Array(GoogleCheckNote, {
      description:
        "When all is well: what Google's API does not say, so that a person has to look it up.",
    }),
  },
  { title: "GoogleCheck" },
);
export type GoogleCheck = Static<typeof GoogleCheck>;

export const ACCOUNT_EXAMPLE: GoogleAccountView = {
  clientEmail: "passes@cafe-lune.iam.gserviceaccount.com",
  projectId: "cafe-lune",
  keyId: "0b9d5f1c7e3a48d2a6f4c8e1b7d3095a2c4e6f80",
};
