/** A percent sign that is written as one, the place of the new value, or a percent sign alone. */
const SIGNS = /%%|%@|%/g;

/** How often the new value stands in a message about a change. */
export function valuesIn(message: string): number {
  return (message.match(SIGNS) ?? []).filter((sign) => sign === "%@").length;
}

/** As a wallet reads it, for which every percent sign but that of `%@` is written twice. */
export function changeFormat(message: string): string {
  return message.replace(SIGNS, (sign) => (sign === "%" ? "%%" : sign));
}
