import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * Makes the table of what Google Wallet takes from the discovery document of its API:
 *
 *   node scripts/google-resources.ts <file of the discovery document>
 *
 * Only facts are carried over: the names of members, their types, enumerations, and what is required.
 */

const OUTPUT = join(import.meta.dirname, "../vendor/google-wallet/resources.json");

/** What requests of the product are made of; all other types follow from these. */
const ROOTS = /^(\w+Class|\w+Object|Resources|AddMessageRequest|JwtResource)$/;

/**
 * How the document says that a member is always required. Members that depend on others are described
 * in other words, and are not in the table.
 */
const REQUIRED =
  /^Required\.|\bThis is required\.|\b(is a|is the) required (field|property)\b|^[^.]*\. Required for each nested object\b/;

type Member = {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly items?: Member;
  readonly enum?: readonly string[];
  readonly enumDeprecated?: readonly boolean[];
  readonly description?: string;
};
type Document = {
  readonly name: string;
  readonly version: string;
  readonly revision: string;
  readonly schemas: Readonly<Record<string, { readonly properties: Record<string, Member> }>>;
};
type Place = { readonly type: string; readonly name: string; readonly member: Member };
type Enumeration = { readonly values: string[]; readonly aliases?: string[] };

function makeTable({ name, version, revision, schemas }: Document): object {
  const reached = reachedFrom(Object.keys(schemas).filter((type) => ROOTS.test(type)));
  const places = [...reached].sort().flatMap((type) => placesIn(type));
  const enumerations = nameEnumerations(places);

  function placesIn(type: string): Place[] {
    const members = Object.entries(schemas[type]?.properties ?? {});
    return members.map(([member, value]) => ({ type, name: member, member: value }));
  }

  function reachedFrom(types: readonly string[], known = new Set<string>()): Set<string> {
    for (const type of types) {
      if (known.has(type)) continue;
      known.add(type);
      const refs = placesIn(type).map(({ member }) => member.$ref ?? member.items?.$ref);
      reachedFrom(
        refs.filter((ref) => ref !== undefined),
        known,
      );
    }
    return known;
  }

  const types = Map.groupBy(places, ({ type }) => type);
  const described = [...types].map(([type, members]) => {
    const required = members.filter(({ member }) => REQUIRED.test(member.description ?? ""));
    return [
      type,
      {
        members: Object.fromEntries(
          members.map((place) => [place.name, typeOf(place, enumerations)]),
        ),
        ...(required.length === 0 ? {} : { required: required.map((each) => each.name) }),
      },
    ];
  });
  return {
    api: `${name} ${version}`,
    revision,
    enumerations: Object.fromEntries([...enumerations].map(([key, of]) => [key, of.values])),
    types: Object.fromEntries(described),
  };
}

/** A plain type, the name of another type or of an enumeration; `[]` for a list of these. */
function typeOf({ member, type, name }: Place, enumerations: Named): string {
  if (member.type === "array") {
    return `${typeOf({ member: member.items ?? {}, type, name }, enumerations)}[]`;
  }
  if (member.$ref !== undefined) return member.$ref;
  if (member.enum !== undefined) {
    const places = [...enumerations].find(([, of]) => of.places.has(`${type}.${name}`));
    if (places === undefined) throw new Error(`${type}.${name} has an enumeration without a name.`);
    return places[0];
  }
  const plain = member.format ?? member.type;
  if (plain !== undefined && PLAIN.has(plain)) return plain;
  throw new Error(`${type}.${name} has the type ${plain}, which the checks do not know.`);
}

const PLAIN = new Set(["string", "boolean", "int32", "int64", "double"]);

type Named = ReadonlyMap<
  string,
  { readonly values: Enumeration; readonly places: ReadonlySet<string> }
>;

/** Many members share an enumeration. It is named after them, and after the type too if it is rarer. */
function nameEnumerations(places: readonly Place[]): Named {
  const all = places.flatMap(({ type, name, member }) => {
    const { enum: words, enumDeprecated } = member.items ?? member;
    return words === undefined ? [] : [{ type, name, values: split(words, enumDeprecated) }];
  });
  const groups = [
    ...Map.groupBy(all, ({ name, values }) => `${name} ${JSON.stringify(values)}`).values(),
  ].sort((left, right) => right.length - left.length);
  const named = new Map<string, { values: Enumeration; places: Set<string> }>();
  for (const group of groups) {
    const [first] = group;
    if (first === undefined) continue;
    const plain = capital(first.name);
    const name = named.has(plain) || plain === "Type" ? `${first.type}${plain}` : plain;
    if (named.has(name)) throw new Error(`Two enumerations have the name ${name}.`);
    const at = new Set(group.map((each) => `${each.type}.${each.name}`));
    named.set(name, { values: first.values, places: at });
  }
  return new Map([...named].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Google still takes words of former versions: aliases. */
function split(words: readonly string[], deprecated: readonly boolean[] = []): Enumeration {
  const values = words.filter((_, at) => deprecated[at] !== true);
  const aliases = words.filter((_, at) => deprecated[at] === true);
  return aliases.length === 0 ? { values } : { values, aliases };
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("Name the file of the discovery document.");
const table = makeTable(JSON.parse(readFileSync(path, "utf8")));
// Lists of words on one line: a change of Google's is easier to see.
const text = JSON.stringify(table, undefined, 2).replaceAll(
  /\[\s+([^[\]{}]*?)\s+\]/g,
  (_, words) => `[${words.replaceAll(/\s+/g, " ")}]`,
);
writeFileSync(OUTPUT, `${text}\n`);
