import Type from "typebox";
import { passMembers } from "./sale-members.ts";

const { passType, fields } = passMembers;

/** The members that vendors of tickets have in common. */
export const ticketMembers = {
  passType: { ...passType, examples: ["ticket"] } as typeof passType,
  fields,
  checkedInAs: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$",
      mustBe: "the name of a member, such as checkedInAt",
      description:
        "The member of `additionalData` that says when the holder was let in. It is cleared when that is taken back.",
      examples: ["checkedInAt"],
    }),
  ),
};
