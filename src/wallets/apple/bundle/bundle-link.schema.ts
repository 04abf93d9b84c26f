import Type, { type Static } from "typebox";
import { PASSES_MAX, PASSES_MIN } from "./bundle.errors.ts";

export const BundleLinkSent = Type.Object(
  {
    passIds: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
      minItems: PASSES_MIN,
      maxItems: PASSES_MAX,
      uniqueItems: true,
      description: "The passes that the file holds, in this order.",
      examples: [["ps_0VfQm3Ks00x7Rk2LwPq9Zt", "ps_0VfQm3Ks00x7Rk2LwPq9Zu"]],
    }),
  },
  { additionalProperties: false, title: "AppleBundleLinkRequest" },
);

export const BundleLink = Type.Object(
  {
    url: Type.String({
      description:
        "Gives one `.pkpasses` file, made anew when it is fetched. Whoever has the address holds all of the passes.",
    }),
  },
  { title: "AppleBundleLink" },
);
export type BundleLink = Static<typeof BundleLink>;

const SECRET = "x".repeat(24);

export const BUNDLE_LINK_EXAMPLE: BundleLink = {
  url: `https://passes.example/p/cafe-lune/ps_0VfQm3Ks00x7Rk2LwPq9Zt.${SECRET},ps_0VfQm3Ks00x7Rk2LwPq9Zu.${SECRET}/passes.pkpasses`,
};
