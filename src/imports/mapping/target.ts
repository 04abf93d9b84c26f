import { PLAIN_TARGETS, type PlainTarget } from "../import.schema.ts";

/** What the value of a column is for. */
export type Target =
  | { readonly kind: PlainTarget }
  | { readonly kind: "identifier" | "data" | "privilege"; readonly name: string };

const NAMED = {
  identifiers: "identifier",
  additionalData: "data",
  privileges: "privilege",
} as const;
const NAMED_TARGET = /^(identifiers(?=\.[^.]+\.)|additionalData|privileges)\.(.+)$/;
const PLAIN = new Map(PLAIN_TARGETS.map((kind) => [kind.toLowerCase(), { kind }]));

/** The target with this name; undefined if there is none. People write `PassType`, too. */
export function parseTarget(name: string): Target | undefined {
  const [, group, rest = ""] = NAMED_TARGET.exec(name) ?? [];
  if (group === undefined) return PLAIN.get(name.toLowerCase());
  // As the name of a member it would change the object that holds the members.
  if (rest === "__proto__") return undefined;
  return { kind: NAMED[group as keyof typeof NAMED], name: rest };
}

/** The same for two targets that fill the same value. */
export function keyOf(target: Target): string {
  return "name" in target ? `${target.kind} ${target.name}` : target.kind;
}
