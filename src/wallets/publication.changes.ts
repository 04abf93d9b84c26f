import type { TenantTx } from "#kernel/db/transaction.ts";
import type { EventOf } from "#kernel/events/listen.ts";
import { STORES_PATH, type Template } from "#src/templates/public.ts";
import type { configurationPublished, PublicationStep } from "#src/tenants/public.ts";
import { compareContents, TEXT_PREFIX } from "./publication.contents.ts";

type Wallet = "apple" | "google";
type Published = EventOf<typeof configurationPublished>;

/** What a publication may change of the passes in a wallet. */
export type PassChanges = {
  /** Of the configuration. */
  readonly version: number;
  /**
   * The changed files that passes of this wallet may show, and texts with another translation by `TEXT_PREFIX`;
   * undefined if any file may have changed.
   */
  readonly paths: readonly string[] | undefined;
};

/** The templates of one version, by pass type. */
type Templates = ReadonlyMap<string, TemplateFacts>;
type TemplateFacts = {
  readonly template: Pick<Template, "images" | "locations">;
  /** The texts that a locale may translate; undefined if they follow from data, too. */
  readonly translatable: ReadonlySet<string> | undefined;
};

const IN_SERVER = /^server\/[^/]+\.yml$/;
const TEMPLATE = /^server\/passes\/([^/]+)\.yml$/;
const LAYOUT = /^layouts\/([^/]+)\.(apple|google)\.yml$/;
const PICTURE = /^(?:images|branding)\//;

type Compared = {
  readonly version: number;
  readonly entries: ReadonlyMap<string, readonly string[]>;
};
const comparedFor = new WeakMap<TenantTx, Compared>();

/**
 * Compares the contents before the transaction of the publication, in which the tenant is locked, and once for both
 * wallets. They are those of the publication: its transaction fails if another version is in force by then.
 */
export const comparePublication: PublicationStep = {
  async prepare(next, before) {
    const { version } = next;
    const entries = before === undefined ? new Map() : await compareContents(before, next);
    return async (tx) => void comparedFor.set(tx, { version, entries });
  },
};

/** What the publications of this transaction may change. */
export function passChangesOf(
  tx: TenantTx,
  wallet: Wallet,
  events: readonly Published[],
): PassChanges {
  const version = Math.max(...events.map(({ data }) => data.version));
  // An event lists a limited number of files.
  if (events.some(({ data }) => data.changeCount > data.changes.length)) {
    return { version, paths: undefined };
  }
  const known = comparedFor.get(tx);
  const paths = events.flatMap(({ data }) => {
    const compared = known?.version === data.version ? known.entries : undefined;
    return changesFor(wallet, data.changes, compared);
  });
  return { version, paths: [...new Set(paths)] };
}

/** The changed files that passes of a wallet may show. In the place of those that were compared stand their entries. */
export function changesFor(
  wallet: Wallet,
  changes: readonly { readonly path: string }[],
  compared: Compared["entries"] | undefined,
): string[] {
  return changes
    .filter(({ path }) => mayBeShown(wallet, path))
    .flatMap(({ path }) => compared?.get(path) ?? [path]);
}

/**
 * Of the files beside the templates only two are shown: who issues the passes of the wallet, and the stores.
 * All others are of forms, tasks, imports and connectors, also of connectors that will be added.
 */
function mayBeShown(wallet: Wallet, path: string): boolean {
  if (IN_SERVER.test(path)) return path === STORES_PATH || path === `server/${wallet}.yml`;
  const layoutOf = LAYOUT.exec(path)?.[2];
  return layoutOf === undefined || layoutOf === wallet;
}

/**
 * The pass types whose passes may look different since these files and texts changed; undefined if all may. Any later
 * version of the templates will do: a template that has changed since then was published by a change of its own.
 */
export function passTypesAffectedBy(
  { templates }: { readonly templates: Templates },
  paths: readonly string[] | undefined,
): readonly string[] | undefined {
  if (paths === undefined) return undefined;
  const found = new Set<string>();
  for (const path of paths) {
    const own = (TEMPLATE.exec(path) ?? LAYOUT.exec(path))?.[1];
    const isShownBy = isShownByTemplate(path);
    if (own !== undefined) found.add(own);
    else if (isShownBy === undefined) return undefined;
    else for (const [passType, each] of templates) if (isShownBy(each)) found.add(passType);
  }
  return [...found];
}

/** Which templates show a file or text; undefined for what all show, such as the settings of the tenant. */
function isShownByTemplate(path: string): ((facts: TemplateFacts) => boolean) | undefined {
  if (path === STORES_PATH) return ({ template }) => template.locations === "stores";
  if (PICTURE.test(path)) {
    return ({ template: { images = {} } }) => Object.values(images).includes(path);
  }
  if (!path.startsWith(TEXT_PREFIX)) return undefined;
  const text = path.slice(TEXT_PREFIX.length);
  return ({ translatable }) => translatable === undefined || translatable.has(text);
}
