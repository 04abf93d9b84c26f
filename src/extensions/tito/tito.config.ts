import Type from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { ticketMembers } from "../kit/ticket-members.ts";

export const titoFile = connectorFile({
  name: "tito",
  members: {
    events: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^[A-Za-z0-9_-]{1,100}$",
          mustBe: "the short name of an event as it stands in Tito's addresses",
        }),
        {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description: "Only tickets of these events; default: of all that are told.",
          examples: [["regatta"]],
        },
      ),
    ),
    ...ticketMembers,
  },
  about: "Tickets that are sold by Tito. [Ticketing](ticketing.md) tells of its members.",
  example:
    "events: [regatta]\npassType: loyalty\nfields: { holder: name, barcode: slug, release: release_title }\ncheckedInAs: checkedInAt\n",
});

export const configFiles = defineConfigFiles([titoFile.file]);
