import { defineRoute } from "#kernel/http/route.ts";
import { passNotFound } from "#src/passes/public.ts";
import { BUNDLE_LINK_EXAMPLE, BundleLink, BundleLinkSent } from "./bundle-link.schema.ts";
import { createBundleLink } from "./bundle-link.service.ts";

export const bundleLinkCreate = defineRoute({
  op: "apple-bundle-link.create",
  method: "POST",
  url: "/api/:tenantId/extensions/apple/bundle-links",
  scope: "Pass.Write",
  orScopes: ["Extension.Write"],
  summary: "Make a link that adds several passes to Apple Wallet at once",
  description:
    "For whoever holds several passes, such as the tickets of a family: an iPhone adds all of them with one tap. Nothing is stored; the link works as long as each of the passes does.",
  body: BundleLinkSent,
  reply: BundleLink,
  noStore: true,
  errors: [passNotFound],
  example: {
    body: { passIds: ["ps_0VfQm3Ks00x7Rk2LwPq9Zt", "ps_0VfQm3Ks00x7Rk2LwPq9Zu"] },
    reply: BUNDLE_LINK_EXAMPLE,
  },
  async handle(context, { body }) {
    return { url: await createBundleLink(context, body.passIds) };
  },
});
