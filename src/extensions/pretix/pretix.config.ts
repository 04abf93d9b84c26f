import Type, { type Static } from "typebox";
import { defineConfigFiles } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { ticketMembers } from "../kit/ticket-members.ts";

/** What pretix calls a slug. Never a path: it becomes a part of addresses. */
export const slug = {
  pattern: "^(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,50}$",
  mustBe: "a short name as it stands in pretix's addresses, such as democon",
};

export const pretixFile = connectorFile({
  name: "pretix",
  members: {
    baseUrl: Type.String({
      format: "uri",
      maxLength: 500,
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s?#@\\\\]+$",
      mustBe: "an address such as https://pretix.eu, without '?', '#' and '@'",
      description: "The address of pretix, without `/api/v1`.",
      examples: ["https://pretix.eu"],
    }),
    organizer: Type.String({
      ...slug,
      description: "The organizer, by its short name.",
      examples: ["harbour"],
    }),
    events: Type.Optional(
      Type.Array(Type.String(slug), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: "Only tickets of these events; default: all of the organizer.",
        examples: [["regatta"]],
      }),
    ),
    products: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description:
          "Only tickets of these products, by their numbers; default: all but add-ons to others.",
        examples: [[101]],
      }),
    ),
    ...ticketMembers,
    checkInLists: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description:
          "The check-in lists, one of each event, on which whoever is scanned here is checked in at pretix; default: pretix is not told.",
        examples: [[7]],
      }),
    ),
  },
  about: "Tickets that are sold by pretix. [Ticketing](ticketing.md) tells of its members.",
  example:
    "baseUrl: https://pretix.eu\norganizer: harbour\npassType: loyalty\nfields: { holder: attendee_name, barcode: secret, event: event.name.en }\ncheckedInAs: checkedInAt\n",
});

export const configFiles = defineConfigFiles([pretixFile.file]);

export type PretixSettings = Static<typeof pretixFile.schema>;
