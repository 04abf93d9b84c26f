import Type from "typebox";

/** The member that the files of journey connectors have in common. */
export const journeyMembers = {
  passType: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      mustBe: "the name of a template, such as loyalty",
      description: "The template of passes, where a call names none.",
      examples: ["loyalty"],
    }),
  ),
};
