type Next<Item> = { readonly group: string; readonly item: Item };

/**
 * Those who wait for the same thing, by groups that take turns: a group that sends many waits behind
 * its own, and never stands in front of the others.
 */
export class FairLine<Item> {
  /** In the order of their turns; none of them is empty. */
  readonly #groups = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many of one group wait. */
  sizeOf(group: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  push(group: string, item: Item): void {
    const items = this.#groups.get(group);
    if (items === undefined) this.#groups.set(group, [item]);
    else items.push(item);
    this.#size += 1;
  }

  /** The first of the next group that may go; that group then comes after all others. */
  shift(mayGo: (group: string) => boolean): Next<Item> | undefined {
    for (const [group, items] of this.#groups) {
      if (!mayGo(group)) continue;
      this.#groups.delete(group);
      const item = items.shift() as Item;
      if (items.length > 0) this.#groups.set(group, items);
      this.#size -= 1;
      return { group, item };
    }
    return undefined;
  }

  /** For a group that had its turn without having waited. */
  toEnd(group: string): void {
    const items = this.#groups.get(group);
    if (items === undefined) return;
    this.#groups.delete(group);
    this.#groups.set(group, items);
  }

  /** Takes out all of which this is true, in no particular order. */
  removeWhere(isMeant: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [group, items] of this.#groups) {
      const kept = items.filter((item) => !isMeant(item));
      if (kept.length === items.length) continue;
      removed.push(...items.filter(isMeant));
      if (kept.length > 0) this.#groups.set(group, kept);
      else this.#groups.delete(group);
    }
    this.#size -= removed.length;
    return removed;
  }
}
