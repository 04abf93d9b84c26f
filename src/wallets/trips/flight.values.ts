/** What both wallets make of the members of a flight. */

const DIGITS = /^\d+$/;

/**
 * Both wallets want the digits alone. People write `LX 15` or `LX15` as well: the code of the carrier that the
 * pass names is left out. Any other text stays as it is.
 */
export function flightNumber(
  number: string | undefined,
  carrier: string | undefined,
): string | undefined {
  if (number === undefined || carrier === undefined || DIGITS.test(number)) return number;
  const written = number.trim();
  if (!written.toUpperCase().startsWith(carrier.toUpperCase())) return number;
  const rest = written.slice(carrier.length).replace(/^[ -]/, "");
  return DIGITS.test(rest) ? rest : number;
}
