import Type from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { saleMembers } from "../kit/sale-members.ts";

export const squareFile = connectorFile({
  name: "square",
  members: {
    merchantId: Type.String({
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      mustBe: "the id of a seller at Square, such as MLEFBHHSJGVHD",
      description: "The seller, by the `merchant_id` of Square's events.",
      examples: ["MLEFBHHSJGVHD"],
    }),
    notificationUrl: Type.Optional(
      Type.String({
        pattern: "^https?://[^\\s]{1,500}$",
        mustBe: "an address that begins with https://",
        description:
          "The address as it is written at Square, if it is another than `webhookUrl`: Square signs it together with each event.",
        examples: ["https://hooks.cafe-lune.example/square"],
      }),
    ),
    ...saleMembers,
  },
  about:
    "Customers and payments of a seller at Square. [Extensions](extensions.md) tells of its members.",
  example:
    "merchantId: MLEFBHHSJGVHD\npassType: loyalty\nfields: { firstName: given_name }\nearn: { privilege: points, perUnit: 1 }\n",
});

export const configFiles = defineConfigFiles([squareFile.file]);
