import Type from "typebox";

/** Files hold the names of secrets, never their values. */
export const secretName = (description: string, example: string) =>
  Type.String({
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$",
    hint: "Use the name of a secret, not its value: letters, digits, '.', '_' and '-'.",
    description,
    examples: [example],
  });
