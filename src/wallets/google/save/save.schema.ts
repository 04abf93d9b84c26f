import Type, { type Static } from "typebox";

export const SaveTokenSent = Type.Object(
  {
    passId: Type.String({
      minLength: 1,
      maxLength: 50,
      description: "The pass that the link saves.",
      examples: ["ps_0VfQm3Ks00x7Rk2LwPq9Zt"],
    }),
  },
  { additionalProperties: false, title: "GoogleSaveTokenRequest" },
);

export const SaveToken = Type.Object(
  {
    token: Type.String({ description: "Signed by the tenant's service account." }),
    link: Type.String({
      description: "Opens Google Wallet with the pass. Whoever has the link can save the pass.",
    }),
    expiresAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "null: it does not expire.",
    }),
  },
  { title: "GoogleSaveToken" },
);
export type SaveToken = Static<typeof SaveToken>;

export const SAVE_TOKEN_EXAMPLE: SaveToken = {
  token: "eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJnb29nbGUifQ.c2lnbmF0dXJl",
  link: "https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJnb29nbGUifQ.c2lnbmF0dXJl",
  expiresAt: null,
};
