import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { journeyMembers } from "../kit/journey-members.ts";

export const klaviyoFile = connectorFile({
  name: "klaviyo",
  members: journeyMembers,
  about: "Journeys at Klaviyo. [Journeys](journeys.md) tells of its members.",
  example: "passType: loyalty\n",
});

export const configFiles = defineConfigFiles([klaviyoFile.file]);
