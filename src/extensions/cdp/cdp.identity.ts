/** Who somebody is at the platform, by the name of each id. */
export type CustomerIds = Readonly<Record<string, string>>;

const SOURCE = "cdp.";

/** `cdp.registered` is `registered` there. Undefined for whoever is not known there. */
export function customerIdsOf(
  identifiers: Readonly<Record<string, string>>,
): CustomerIds | undefined {
  const ids = Object.entries(identifiers)
    .filter(([name, value]) => name.startsWith(SOURCE) && value !== "")
    .map(([name, value]) => [name.slice(SOURCE.length), value] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return ids.length === 0 ? undefined : Object.fromEntries(ids);
}

/** The identifiers of which `customerIdsOf` was made. */
export function identifiersOf(ids: CustomerIds): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).map(([name, value]) => [SOURCE + name, value]));
}
