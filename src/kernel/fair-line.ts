type Next<Item> = { readonly group: string; readonly item: Item };

/**
 * A waiting line in which groups take turns: a group with many items waits behind its own items and
 * does not delay other groups.
 */
export class FairLine<Item> {
  /** The groups in the order of their turns; none of them is empty. */
  readonly #groups = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of waiting items of one group. */
  sizeOf(group: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  push(group: string, item: Item): void {
    const items = this.#groups.get(group);
    if (items === undefined) this.#groups.set(group, [item]);
    else items.push(item);
    this.#size += 1;
  }

  /** Takes the first item of the next group that may go, and moves that group to the end. */
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

  /** Moves a group to the end, after it was served without waiting. */
  toEnd(group: string): void {
    const items = this.#groups.get(group);
    if (items === undefined) return;
    this.#groups.delete(group);
    this.#groups.set(group, items);
  }

  /** Removes and returns all matching items, in no particular order. */
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
