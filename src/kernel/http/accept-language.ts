const HEADER_LENGTH_MAX = 1_024;
const RANGES_MAX = 20;
const RANGE =
  /^([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * The languages of an Accept-Language header, the most wanted first. Parts that cannot be read and
 * those with the weight 0, which are not wanted, are left out.
 */
export function wantedLanguages(header: string | undefined): string[] {
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return [];
  return header
    .split(",", RANGES_MAX)
    .flatMap((part) => {
      const [, tag, weight = "1"] = RANGE.exec(part.trim()) ?? [];
      return tag === undefined || Number(weight) === 0 ? [] : [{ tag, weight: Number(weight) }];
    })
    .toSorted((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag);
}

/** The first wanted language that is offered, exactly or in a more general form (`de` for `de-AT`). */
export function chooseLanguage<Offered extends string>(
  wanted: readonly string[],
  offered: readonly Offered[],
): Offered | undefined {
  const known = new Map(offered.map((language) => [language.toLowerCase(), language]));
  for (const tag of wanted) {
    const parts = tag.toLowerCase().split("-");
    for (let length = parts.length; length > 0; length -= 1) {
      const found = known.get(parts.slice(0, length).join("-"));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
