import Type from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { journeyMembers } from "../kit/journey-members.ts";

export const hubspotFile = connectorFile({
  name: "hubspot",
  members: {
    ...journeyMembers,
    notificationUrl: Type.Optional(
      Type.String({
        pattern: "^https?://[^\\s]{1,500}$",
        mustBe: "an address that begins with https://",
        description:
          "The address as it is written at HubSpot, if it is another than `webhookUrl`: HubSpot signs it together with each call.",
        examples: ["https://hooks.cafe-lune.example/hubspot"],
      }),
    ),
  },
  about: "Workflows at HubSpot. [Journeys](journeys.md) tells of its members.",
  example: "passType: loyalty\n",
});

export const configFiles = defineConfigFiles([hubspotFile.file]);
