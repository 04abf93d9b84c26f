/**
 * The folder of each language in a bundle, by its tag. Apple names the kinds of Chinese by their
 * script, where tags mostly name a region: phones do not look into `zh-CN.lproj`. Of several tags
 * with the same script, one gets its folder: that which names it, or else that of the region which the script
 * means by itself, or else the first. The others keep their own.
 */
export function languageFolders(languages: Iterable<string>): ReadonlyMap<string, string> {
  const tags = [...languages];
  const byFolder = Map.groupBy(tags, (tag) => scriptOf(tag) ?? tag);
  const folders = tags.map((tag): [string, string] => {
    const folder = scriptOf(tag) ?? tag;
    return [tag, bestOf(folder, byFolder.get(folder) ?? []) === tag ? folder : tag];
  });
  return new Map(folders);
}

/** Of tags with the same script. */
function bestOf(script: string, tags: readonly string[]): string | undefined {
  if (tags.length <= 1) return tags[0];
  const region = regionOf(script);
  return (
    tags.find((tag) => tag === script) ?? tags.find((tag) => regionOf(tag) === region) ?? tags[0]
  );
}

const regionOf = (tag: string) => new Intl.Locale(tag).maximize().region;

/** `zh-Hans` or `zh-Hant` for a tag of Chinese; undefined for other languages. */
function scriptOf(tag: string): string | undefined {
  if (!/^zh(-|$)/i.test(tag)) return undefined;
  return `zh-${new Intl.Locale(tag).maximize().script ?? "Hans"}`;
}
