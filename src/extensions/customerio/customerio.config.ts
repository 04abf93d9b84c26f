import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { journeyMembers } from "../kit/journey-members.ts";

export const customerioFile = connectorFile({
  name: "customerio",
  members: journeyMembers,
  about: "Journeys at Customer.io. [Journeys](journeys.md) tells of its members.",
  example: "passType: loyalty\n",
});

export const configFiles = defineConfigFiles([customerioFile.file]);
