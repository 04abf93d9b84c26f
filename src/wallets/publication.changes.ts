import type { EventOf } from "#kernel/events/listen.ts";
import { STORES_PATH, type Template } from "#src/templates/public.ts";
import type { configurationPublished } from "#src/tenants/public.ts";

type Wallet = "apple" | "google";

/** What passes may show of a publication. */
export type ShownChange = {
  /** Of the configuration. */
  readonly version: number;
  /** The changed files that passes of this wallet show; undefined if any file may have changed. */
  readonly paths: readonly string[] | undefined;
};

/** The templates of one version, by pass type. */
type Templates = ReadonlyMap<string, { readonly template: Pick<Template, "images" | "locations"> }>;

const IN_SERVER = /^server\/[^/]+\.yml$/;
const TEMPLATE = /^server\/passes\/([^/]+)\.yml$/;
const LAYOUT = /^layouts\/([^/]+)\.(apple|google)\.yml$/;
const PICTURE = /^(?:images|branding)\//;

/** The events of one transaction, as passes of a wallet show them. */
export function shownChange(
  wallet: Wallet,
  events: readonly EventOf<typeof configurationPublished>[],
): ShownChange {
  const version = Math.max(...events.map(({ data }) => data.version));
  // An event lists a limited number of files.
  const isWhole = events.every(({ data }) => data.changeCount <= data.changes.length);
  const paths = events.flatMap(({ data }) => data.changes.map(({ path }) => path));
  return { version, paths: isWhole ? paths.filter((path) => isShown(wallet, path)) : undefined };
}

/**
 * Of the files beside the templates only two are shown: who issues the passes of the wallet, and the stores.
 * All others are of forms, tasks, imports and connectors, also of connectors that will be added.
 */
function isShown(wallet: Wallet, path: string): boolean {
  if (IN_SERVER.test(path)) return path === STORES_PATH || path === `server/${wallet}.yml`;
  const layoutOf = LAYOUT.exec(path)?.[2];
  return layoutOf === undefined || layoutOf === wallet;
}

/**
 * The pass types whose passes may look different since these files changed; undefined if all may. Any later
 * version of the templates will do: a template that has changed since then was published by a change of its own.
 */
export function passTypesShowing(
  { templates }: { readonly templates: Templates },
  paths: readonly string[] | undefined,
): readonly string[] | undefined {
  const found = new Set<string>();
  for (const path of paths ?? [""]) {
    const types = showing(templates, path);
    if (types === undefined) return undefined;
    for (const passType of types) found.add(passType);
  }
  return [...found];
}

/** Undefined for what all templates share, such as translations and the settings of the tenant. */
function showing(templates: Templates, path: string): readonly string[] | undefined {
  const own = (TEMPLATE.exec(path) ?? LAYOUT.exec(path))?.[1];
  if (own !== undefined) return [own];
  const isOfStores = path === STORES_PATH;
  if (!isOfStores && !PICTURE.test(path)) return undefined;
  const shows = ({ images = {}, locations }: Pick<Template, "images" | "locations">) =>
    isOfStores ? locations === "stores" : Object.values(images).includes(path);
  return [...templates].flatMap(([passType, { template }]) => (shows(template) ? [passType] : []));
}
