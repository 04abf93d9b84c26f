import Type from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { journeyMembers } from "../kit/journey-members.ts";
import { passMembers } from "../kit/sale-members.ts";

export const brevoFile = connectorFile({
  name: "brevo",
  members: {
    ...journeyMembers,
    fields: passMembers.fields,
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: "What notifyPass tells, because Brevo sends no text.",
        examples: ["There is something new for you."],
      }),
    ),
  },
  about: "Automations at Brevo. [Journeys](journeys.md#brevo) tells of its members.",
  example: "passType: loyalty\nfields: { firstName: attributes.FIRSTNAME }\n",
});

export const configFiles = defineConfigFiles([brevoFile.file]);
