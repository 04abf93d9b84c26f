/**
 * The folder of each language in a bundle, by its tag. Apple names the kinds of Chinese by their
 * script, where tags mostly name a region: phones do not look into `zh-CN.lproj`. Of two tags with the
 * same script, the one that names it, or else the first, gets its folder; the other one keeps its own.
 */
export function languageFolders(languages: Iterable<string>): ReadonlyMap<string, string> {
  const tags = [...languages];
  const taken = new Set(tags.filter((tag) => scriptOf(tag) === tag));
  const folders = tags.map((tag): [string, string] => {
    const folder = scriptOf(tag) ?? tag;
    if (folder !== tag && taken.has(folder)) return [tag, tag];
    taken.add(folder);
    return [tag, folder];
  });
  return new Map(folders);
}

/** `zh-Hans` or `zh-Hant` for a tag of Chinese; undefined for other languages. */
function scriptOf(tag: string): string | undefined {
  if (!/^zh(-|$)/i.test(tag)) return undefined;
  return `zh-${new Intl.Locale(tag).maximize().script ?? "Hans"}`;
}
