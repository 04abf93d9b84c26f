import Type from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { passMembers } from "../kit/sale-members.ts";

export const loyaltylionFile = connectorFile({
  name: "loyaltylion",
  members: {
    ...passMembers,
    points: Type.Optional(
      Type.String({
        pattern: "^[\\w.-]{1,64}$",
        mustBe: "the id of a privilege, such as points",
        description:
          "The privilege of the template whose value follows the approved points of the customer.",
        examples: ["points"],
      }),
    ),
  },
  about: "Members of a LoyaltyLion programme. [Extensions](extensions.md) tells of its members.",
  example:
    "passType: loyalty\npoints: points\nfields: { firstName: properties.first_name, tier: loyalty_tier_membership.loyalty_tier.name }\n",
});

export const configFiles = defineConfigFiles([loyaltylionFile.file]);
