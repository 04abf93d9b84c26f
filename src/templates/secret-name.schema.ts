import Type from "typebox";

/** A secret is named in files, and never in them. */
export const SecretName = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$",
  description: "Use the name of a secret, not its value: letters, digits, '.', '_' and '-'.",
});
