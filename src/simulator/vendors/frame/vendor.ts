import type { VendorClock } from "./clock.ts";
import type { ControlTable } from "./control.ts";
import { tooMany, unknownThing } from "./vendor.errors.ts";

/** What every simulated vendor is given. */
export type VendorTools = {
  readonly clock: VendorClock;
  /** Where a given address really is; throws for one that vendors may not call. */
  readonly resolve: (url: string) => string;
  /** Is to be called after every change of what a vendor keeps. */
  readonly changed: () => void;
  /** What the vendor kept when it last ran, as `keep` gave it. */
  readonly kept: unknown;
};

/** One simulated vendor, as the frame sees it. */
export type Vendor = {
  readonly name: string;
  /** The address of its API, for those that are called. */
  readonly url?: string;
  /** The addresses by which people and programs act as the vendor. */
  readonly control: ControlTable;
  open(): Promise<void>;
  close(): Promise<void>;
  /** All that it knows, as JSON. */
  keep(): unknown;
  /** Forgets accounts, things, deliveries and faults. */
  reset(): Promise<void>;
};

/** Things of one kind by their ids, with a limit, that are kept as JSON. */
export class Shelf<Thing> {
  readonly #what: string;
  readonly #max: number;
  readonly #things: Map<string, Thing>;

  constructor(what: string, max: number, kept: readonly (readonly [string, Thing])[] = []) {
    this.#what = what;
    this.#max = max;
    this.#things = new Map(kept);
  }

  get all(): Thing[] {
    return [...this.#things.values()];
  }

  entries(): (readonly [string, Thing])[] {
    return [...this.#things];
  }

  put(id: string, thing: Thing): Thing {
    if (!this.#things.has(id) && this.#things.size >= this.#max) {
      throw tooMany({ what: this.#what, max: this.#max });
    }
    this.#things.set(id, thing);
    return thing;
  }

  find(id: string): Thing | undefined {
    return this.#things.get(id);
  }

  get(id: string): Thing {
    const thing = this.#things.get(id);
    if (thing === undefined) throw unknownThing({ what: this.#what, id });
    return thing;
  }

  /** The named one, or the one there is. */
  pick(id: string | undefined): Thing {
    if (id !== undefined) return this.get(id);
    const [only, ...others] = this.#things.values();
    if (only === undefined || others.length > 0) {
      throw unknownThing({ what: this.#what, id: "(none was named)" });
    }
    return only;
  }

  remove(id: string): void {
    this.#things.delete(id);
  }

  clear(): void {
    this.#things.clear();
  }
}
