import type { TenantTx } from "#kernel/db/transaction.ts";
import type { EventOf } from "#kernel/events/listen.ts";
import { STORES_PATH, type Template } from "#src/templates/public.ts";
import { type configurationPublished, findChangedContents } from "#src/tenants/public.ts";
import {
  affectedEntries,
  COMPARED_BYTES_MAX,
  COMPARED_MAX,
  type Contents,
  isCompared,
  TEXT_ENTRY,
} from "./publication.contents.ts";

type Wallet = "apple" | "google";
type Published = EventOf<typeof configurationPublished>;

/** What a publication may change of the passes in a wallet. */
export type AffectedPaths = {
  /** Of the configuration. */
  readonly version: number;
  /**
   * The changed files that passes of this wallet show, and texts of locales by `affectedEntries`; undefined if any
   * file may have changed.
   */
  readonly paths: readonly string[] | undefined;
};

/** The templates of one version, by pass type. */
type Templates = ReadonlyMap<
  string,
  {
    readonly template: Pick<Template, "images" | "locations">;
    /** The texts that a locale may translate; undefined if they follow from data, too. */
    readonly translatable: ReadonlySet<string> | undefined;
  }
>;

const IN_SERVER = /^server\/[^/]+\.yml$/;
const TEMPLATE = /^server\/passes\/([^/]+)\.yml$/;
const LAYOUT = /^layouts\/([^/]+)\.(apple|google)\.yml$/;
const PICTURE = /^(?:images|branding)\//;

/** What the publications of this transaction may change. */
export async function affectedPaths(
  tx: TenantTx,
  wallet: Wallet,
  events: readonly Published[],
): Promise<AffectedPaths> {
  const version = Math.max(...events.map(({ data }) => data.version));
  // An event lists a limited number of files.
  if (events.some(({ data }) => data.changeCount > data.changes.length)) {
    return { version, paths: undefined };
  }
  const paths: string[] = [];
  for (const { data } of events) {
    const changed = data.changes.map(({ path }) => path).filter((path) => mayAffect(wallet, path));
    const compared = changed.filter(isCompared).slice(0, COMPARED_MAX);
    const contents = await findChangedContents(tx, data.version, compared, COMPARED_BYTES_MAX);
    paths.push(...(await narrowed(changed, contents)));
  }
  return { version, paths };
}

/** Leaves out the files whose change no pass shows, by their contents before and after it. */
export async function narrowed(
  paths: readonly string[],
  contents: ReadonlyMap<string, Contents>,
): Promise<readonly string[]> {
  const entries: string[] = [];
  for (const path of paths) {
    const known = contents.get(path);
    entries.push(...(known === undefined ? [path] : await affectedEntries(path, known)));
  }
  return [...new Set(entries)];
}

/**
 * Of the files beside the templates only two are shown: who issues the passes of the wallet, and the stores.
 * All others are of forms, tasks, imports and connectors, also of connectors that will be added.
 */
export function mayAffect(wallet: Wallet, path: string): boolean {
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
  const found = new Set<string>();
  for (const path of paths ?? [""]) {
    const types = typesAffectedBy(templates, path);
    if (types === undefined) return undefined;
    for (const passType of types) found.add(passType);
  }
  return [...found];
}

/** Undefined for what all templates share, such as the settings of the tenant. */
function typesAffectedBy(templates: Templates, path: string): readonly string[] | undefined {
  const own = (TEMPLATE.exec(path) ?? LAYOUT.exec(path))?.[1];
  if (own !== undefined) return [own];
  const isAffected = affectedBy(path);
  if (isAffected === undefined) return undefined;
  return [...templates].flatMap(([passType, each]) => (isAffected(each) ? [passType] : []));
}

type Affects = Templates extends ReadonlyMap<string, infer Each> ? (each: Each) => boolean : never;

function affectedBy(path: string): Affects | undefined {
  if (path === STORES_PATH) return ({ template }) => template.locations === "stores";
  if (PICTURE.test(path)) {
    return ({ template: { images = {} } }) => Object.values(images).includes(path);
  }
  if (!path.startsWith(TEXT_ENTRY)) return undefined;
  const text = path.slice(TEXT_ENTRY.length);
  return ({ translatable }) => translatable === undefined || translatable.has(text);
}
