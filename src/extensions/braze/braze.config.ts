import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { journeyMembers } from "../kit/journey-members.ts";

export const brazeFile = connectorFile({
  name: "braze",
  members: journeyMembers,
  about: "Journeys at Braze. [Journeys](journeys.md) tells of its members.",
  example: "passType: loyalty\n",
});

export const configFiles = defineConfigFiles([brazeFile.file]);
