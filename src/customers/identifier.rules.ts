import { FIELDS_REPORTED_MAX, type FieldErrors, shortName } from "#kernel/http/validation.ts";

/** Identifiers in other systems, by name. */
export type Identifiers = Readonly<Record<string, string>>;

export const IDENTIFIERS_MAX = 50;
export const IDENTIFIER_LENGTH_MAX = 256;

/** `<source>.<name>`: the other system, and the name of the identifier in it. */
const IDENTIFIER_NAME = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){1,3}$/;

/** Checks the names and the number of identifiers. */
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
