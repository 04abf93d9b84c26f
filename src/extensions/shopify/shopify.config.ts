import Type from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { saleMembers } from "../kit/sale-members.ts";

export const shopifyFile = connectorFile({
  name: "shopify",
  members: {
    shop: Type.String({
      pattern: "^[a-z0-9][a-z0-9-]{0,61}\\.myshopify\\.com$",
      mustBe: "an address such as cafe-lune.myshopify.com, without https://",
      hint: "Use the address of the shop that ends with .myshopify.com, without https://.",
      description: "The shop, by its address at Shopify.",
      examples: ["cafe-lune.myshopify.com"],
    }),
    ...saleMembers,
  },
  about:
    "Customers and orders of a Shopify shop. [Extensions](extensions.md) tells of its members.",
  example:
    "shop: cafe-lune.myshopify.com\npassType: loyalty\nfields: { firstName: first_name }\nearn: { privilege: points, perUnit: 1 }\n",
});

export const configFiles = defineConfigFiles([shopifyFile.file]);
