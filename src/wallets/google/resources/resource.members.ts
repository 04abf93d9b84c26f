import resources from "../../../../vendor/google-wallet/resources.json" with { type: "json" };

/* What Google's classes and objects are made of, by the facts of its discovery document. */

type TypeFacts = {
  readonly members: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
};
type Enumeration = { readonly values: readonly string[]; readonly aliases?: readonly string[] };

/** What a member holds: texts and numbers, an enumeration, or members of its own. */
export type MemberType = {
  readonly isList: boolean;
  /** The name of the type in the discovery document, such as `string` or `Barcode`. */
  readonly name: string;
};

const TYPES: Readonly<Record<string, TypeFacts>> = resources.types;
const ENUMERATIONS: Readonly<Record<string, Enumeration>> = resources.enumerations;

/** The type of a resource such as `loyaltyObject`. */
export function resourceType(resource: string): string {
  return `${resource.slice(0, 1).toUpperCase()}${resource.slice(1)}`;
}

/** Undefined if the type has no such member: Google refuses a request with it. */
export function memberType(type: string, member: string): MemberType | undefined {
  const { members = {} } = TYPES[type] ?? {};
  const found = Object.hasOwn(members, member) ? members[member] : undefined;
  if (found === undefined) return undefined;
  const isList = found.endsWith("[]");
  return { isList, name: isList ? found.slice(0, -"[]".length) : found };
}

export function memberNames(type: string): readonly string[] {
  return Object.keys(TYPES[type]?.members ?? {});
}

/** Members without which Google refuses the type, at every place where it may stand. */
export function requiredMembers(type: string): readonly string[] {
  return TYPES[type]?.required ?? [];
}

/** True for a type that has members. */
export function hasMembers(type: string): boolean {
  return Object.hasOwn(TYPES, type);
}

/** The words of an enumeration; undefined for other types. */
export function wordsOf(type: string): Enumeration | undefined {
  return Object.hasOwn(ENUMERATIONS, type) ? ENUMERATIONS[type] : undefined;
}

/** Those of the paths, such as `loyaltyPoints.balance`, that lead to a member of the type. */
export function knownPaths(type: string, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    let inside: string | undefined = type;
    for (const name of path.split(".")) {
      inside = inside === undefined ? undefined : memberType(inside, name)?.name;
    }
    return inside !== undefined;
  });
}
