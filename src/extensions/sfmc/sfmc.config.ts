import Type from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { journeyMembers } from "../kit/journey-members.ts";

export const sfmcFile = connectorFile({
  name: "sfmc",
  members: {
    ...journeyMembers,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: "What Journey Builder calls the activity. Default: Wallet pass.",
        examples: ["Wallet pass"],
      }),
    ),
    frameHosts: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^https?://(\\*\\.)?[A-Za-z0-9.-]{1,253}(:\\d{1,5})?$",
          mustBe:
            "an address without a path, such as https://mc.example.com or https://*.example.com",
        }),
        {
          maxItems: 10,
          description:
            "Further sites that may show the page of the activity, besides those of Marketing Cloud.",
          examples: [["https://mc.example.com"]],
        },
      ),
    ),
  },
  about:
    "The activity in journeys of Salesforce Marketing Cloud. [Journeys](journeys.md#salesforce-marketing-cloud) tells of its members.",
  example: "passType: loyalty\nname: Wallet pass\n",
});

export const configFiles = defineConfigFiles([sfmcFile.file]);

export type SfmcSettings = {
  readonly passType?: string | undefined;
  readonly name?: string | undefined;
  readonly frameHosts?: readonly string[] | undefined;
};
