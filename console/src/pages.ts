import type { ComponentType } from "react";
import type { AnyPage } from "./page.ts";

/*
 * Every folder with a `page.ts` is a page: nothing else has to be told of it. Only these small files
 * are part of the first load; what a page shows, `<id>.page.tsx` beside it, is loaded when it is
 * opened.
 */
const found = import.meta.glob<{ page: AnyPage }>(["./*/**/page.ts"], { eager: true });
const contents = import.meta.glob<{ Page: ComponentType }>("./**/*.page.tsx");

export const pages: readonly AnyPage[] = Object.values(found)
  .map(({ page }) => page)
  .sort((left, right) => left.order - right.order || left.id.localeCompare(right.id));

const loaders = new Map(
  Object.entries(found).map(([path, { page }]) => [
    page.id,
    contents[path.replace("page.ts", `${page.id}.page.tsx`)],
  ]),
);

/** The code of a page could not be fetched. */
export class PageNotLoaded extends Error {}

const loaded = new Map<string, ComponentType>();

export async function loadPage({ id }: AnyPage): Promise<void> {
  const load = loaders.get(id);
  if (load === undefined) throw new Error(`There is no ${id}.page.tsx beside its page.ts.`);
  // Undefined if the file is not to be had: see `frame/new-version.tsx`.
  const content = (await load()) as { Page: ComponentType } | undefined;
  if (content === undefined) throw new PageNotLoaded();
  loaded.set(id, content.Page);
}

/**
 * What a page shows, once it is loaded. Not by `lazy` and `Suspense`: React keeps what Suspense shows
 * meanwhile for at least 300 ms.
 */
export function contentOf({ id }: AnyPage): ComponentType {
  const content = loaded.get(id);
  if (content === undefined) throw new PageNotLoaded();
  return content;
}

/**
 * Fetches the code of the page at an address below the console, `/demo/passes`, without waiting for it:
 * the person is signed in meanwhile.
 */
export function fetchPageAt(path: string): void {
  const [, , ...parts] = path.split("/");
  const isAt = ({ path: known }: AnyPage) => {
    const wanted = known === "" ? [] : known.split("/");
    return (
      wanted.length === parts.length &&
      wanted.every((part, at) => part.startsWith("$") || part === parts[at])
    );
  };
  const page = pages.find(isAt);
  // Whoever opens the page is told if its code cannot be had.
  if (page !== undefined) void loadPage(page).catch(() => undefined);
}

export const pageById = (id: string): AnyPage | undefined => pages.find((page) => page.id === id);
