import { FIELDS_REPORTED_MAX, type FieldErrors, shortName } from "#kernel/http/validation.ts";

/** By name: how other systems know somebody or something. */
export type Identifiers = Readonly<Record<string, string>>;

export const IDENTIFIERS_MAX = 50;
export const IDENTIFIER_LENGTH_MAX = 256;

/** `<source>.<name>`: the system that gave it, and what that system calls it. */
const IDENTIFIER_NAME = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){1,3}$/;

/** Adds what is wrong with the names and the number of these. */
export function addIdentifierErrors(errors: FieldErrors, identifiers: Identifiers): void {
  const names = Object.keys(identifiers);
  const wrong = names.filter((name) => !IDENTIFIER_NAME.test(name));
  for (const name of wrong.slice(0, FIELDS_REPORTED_MAX)) {
    errors[`identifiers.${shortName(name)}`] = ["must be named <source>.<name>, such as crm.id"];
  }
  if (names.length > IDENTIFIERS_MAX) {
    errors.identifiers = [`must not have more than ${IDENTIFIERS_MAX} members`];
  }
}
