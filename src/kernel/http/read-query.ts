import type { TSchema } from "typebox";
import { parseListQuery } from "./lists/list-query.ts";
import type { Route } from "./route.ts";
import { FIELDS_REPORTED_MAX, type FieldErrors, fieldErrors, shortName } from "./validation.ts";

/** The query string as the server parses it: one text, or several if a name was repeated. */
export type SentQuery = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads the query string: the parameters of the route itself and, for a list, the list parameters.
 * Any other parameter is refused, because its sender believes that it has an effect.
 */
export function readQuery(route: Route, sent: SentQuery, url: string, errors: FieldErrors) {
  const own = propertiesOf(route.query);
  // Without a prototype, because a parameter named `__proto__` would disappear in a plain object.
  const query: Record<string, unknown> = Object.create(null);
  const others: Record<string, string | string[] | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(sent)) {
    const schema = Object.hasOwn(own, name) ? own[name] : undefined;
    if (schema === undefined) others[name] = value;
    else if (Array.isArray(value) && !isList(schema)) errors[name] = ["must not be repeated"];
    else query[name] = readValue(schema, value ?? "");
  }
  for (const [name, reasons] of Object.entries(misfitsOf(route, query))) errors[name] ??= reasons;
  const list = readList(route, others, errors);
  for (const name of brokenParameters(url)) errors[shortName(name)] = [BROKEN];
  return { query: route.query === undefined ? undefined : query, list };
}

const BROKEN = "has an invalid percent-encoding";

/**
 * The parameters whose percent-encoding is broken, as in `%FF` or `%E0%A4%A`. The parser would take these
 * for the characters themselves, and compare with what nobody meant.
 */
function brokenParameters(url: string): string[] {
  const start = url.search(/[?#]/);
  if (start === -1 || !url.includes("%", start)) return [];
  const parts = url.slice(start + 1).split("&");
  return parts
    .filter((part) => part.includes("%") && decoded(part) === undefined)
    .slice(0, FIELDS_REPORTED_MAX)
    .map((part) => {
      const [name = ""] = part.split("=", 1);
      return decoded(name) ?? name;
    });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function misfitsOf({ query: schema }: Route, query: object): FieldErrors {
  return schema === undefined ? {} : (fieldErrors(schema, query) ?? {});
}

function readList({ list: spec }: Route, sent: SentQuery, errors: FieldErrors) {
  if (spec === undefined) {
    for (const name of Object.keys(sent).slice(0, FIELDS_REPORTED_MAX)) {
      errors[shortName(name)] = ["is not a parameter of this operation"];
    }
    return undefined;
  }
  const parsed = parseListQuery(sent, spec);
  if (parsed.ok) return parsed.list;
  Object.assign(errors, parsed.errors);
  return undefined;
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, Typed>> {
  return (schema as { properties?: Record<string, Typed> } | undefined)?.properties ?? {};
}

type Typed = { readonly type?: string };

function isList({ type }: Typed): boolean {
  return type === "array";
}

const WHOLE_NUMBER = /^-?[0-9]{1,15}$/;
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** Text that cannot be converted to the expected type stays text, and the validation refuses it. */
function readValue(schema: Typed, value: string | string[]): unknown {
  if (isList(schema)) return [value].flat();
  if (typeof value !== "string") return value;
  if (schema.type === "integer") return WHOLE_NUMBER.test(value) ? Number(value) : value;
  if (schema.type === "boolean") return TRUTHS.get(value.toLowerCase()) ?? value;
  return value;
}
