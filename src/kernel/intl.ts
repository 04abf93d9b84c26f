/** Names of time zones and languages, as far as this machine knows them. */

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The language tag in the form of `Intl`, or undefined if it is not a language tag. */
export function canonicalLocale(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name)[0];
  } catch {
    return undefined;
  }
}
