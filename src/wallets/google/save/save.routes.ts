import { defineRoute } from "#kernel/http/route.ts";
import { contentNotFound } from "#src/content/public.ts";
import { passNotFound } from "#src/passes/public.ts";
import {
  googleDenied,
  googleNotConfigured,
  googleRefused,
  googleUnavailable,
} from "../google.errors.ts";
import { SAVE_TOKEN_EXAMPLE, SaveToken, SaveTokenSent } from "./save.schema.ts";
import { createSaveLink } from "./save.service.ts";

export const saveTokenCreate = defineRoute({
  op: "google-token.create",
  method: "POST",
  url: "/api/:tenantId/extensions/google/token",
  scope: "Pass.Write",
  orScopes: ["Extension.Write"],
  summary: "Make a link that saves a pass to Google Wallet",
  description:
    "Makes sure that Google has the pass, and returns the signed token with its link. From then on the pass is kept up to date at Google.",
  body: SaveTokenSent,
  reply: SaveToken,
  inSteps: true,
  noStore: true,
  errors: [
    passNotFound,
    contentNotFound,
    googleNotConfigured,
    googleDenied,
    googleRefused,
    googleUnavailable,
  ],
  example: { body: { passId: "ps_0VfQm3Ks00x7Rk2LwPq9Zt" }, reply: SAVE_TOKEN_EXAMPLE },
  async handle(context, { body }) {
    return { ...(await createSaveLink(context, body.passId)), expiresAt: null };
  },
});
