import Type, { type Static } from "typebox";
import { REDIRECT_URI_CHARACTERS_MAX } from "./oauth-client.redirect.ts";

/** The names of the flows in the OpenAPI document. */
export const OAUTH_FLOWS = ["authorizationCode", "implicit"] as const;
export type OAuthFlow = (typeof OAUTH_FLOWS)[number];
/** Without the implicit flow, because it sends tokens in addresses. */
export const DEFAULT_FLOWS: OAuthFlow[] = ["authorizationCode"];

export const NAME_MUST_BE = "a name with at least one letter or digit";

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  // Letters are checked in the service: generated clients do not all support `\p{L}`.
  pattern: "\\S",
  mustBe: NAME_MUST_BE,
  description: "Shown to people where they sign in.",
});
const RedirectUris = Type.Array(
  Type.String({ minLength: 1, maxLength: REDIRECT_URI_CHARACTERS_MAX }),
  {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description:
      "Where people are sent back to, compared to the letter: https, or http on their own computer (`localhost`, `127.0.0.1`, `[::1]`), in the normal form of the URL standard.",
    examples: [["https://app.example/callback"]],
  },
);
const Flows = Type.Array(Type.Enum([...OAUTH_FLOWS]), {
  minItems: 1,
  uniqueItems: true,
  description:
    "How it gets tokens: `authorizationCode` with PKCE, and `implicit` for programs that still need it. Without this, `authorizationCode` alone, on `PUT` as well.",
  examples: [["authorizationCode"]],
});

const CLIENT_ID = "^oac_[0-9A-Za-z]{22}$";
const CLIENT_ID_SHAPE = new RegExp(CLIENT_ID);

/** Callers may send any text as `client_id`, also text that the database cannot store. */
export function isOAuthClientId(text: string): boolean {
  return CLIENT_ID_SHAPE.test(text);
}

export const OAuthClientParams = Type.Object({
  clientId: Type.String({
    pattern: CLIENT_ID,
    mustBe: "the id of a client: oac_ and 22 letters and digits",
    examples: ["oac_0WnTq3Xk00aB3dE5fG7hI9"],
  }),
});

/** The same for `POST` and `PUT`, because `PUT` replaces all fields. */
export const OAuthClientFields = Type.Object(
  { name: Name, redirectUris: RedirectUris, flows: Type.Optional(Flows) },
  { additionalProperties: false, title: "OAuthClientFields" },
);
export type OAuthClientFields = Static<typeof OAuthClientFields>;

export const OAuthClientView = Type.Object(
  {
    clientId: Type.String({
      description: "The `client_id` it sends. No secret: clients are public.",
    }),
    name: Type.String(),
    redirectUris: Type.Array(Type.String()),
    flows: Type.Array(Type.Enum([...OAUTH_FLOWS])),
    createdAt: Type.String({ format: "date-time" }),
    createdBy: Type.String({ description: "Who registered it." }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { title: "OAuthClient" },
);
export type OAuthClientView = Static<typeof OAuthClientView>;

export const OAUTH_CLIENT_EXAMPLE: OAuthClientView = {
  clientId: "oac_0WnTq3Xk00aB3dE5fG7hI9",
  name: "Reporting",
  redirectUris: ["https://reports.example/callback"],
  flows: ["authorizationCode"],
  createdAt: "2026-03-02T09:30:00.000Z",
  createdBy: "ana@cafe-lune.example",
  updatedAt: "2026-03-02T09:30:00.000Z",
};

export type OAuthClient = {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly flows: readonly OAuthFlow[];
  readonly version: number;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly updatedAt: Date;
};

export function presentOAuthClient(client: OAuthClient): OAuthClientView {
  return {
    clientId: client.id,
    name: client.name,
    redirectUris: [...client.redirectUris],
    flows: [...client.flows],
    createdAt: client.createdAt.toISOString(),
    createdBy: client.createdBy,
    updatedAt: client.updatedAt.toISOString(),
  };
}
