import type { ComponentType } from "react";
import type { Operation } from "./api/rights.ts";
import type { GroupName } from "./frame/groups.ts";
import type { Text } from "./words/define.ts";

/** What the address of a page says behind the question mark. */
export type Search = Readonly<Record<string, string | undefined>>;

export type PageDefinition<PageSearch extends Search = Search> = {
  /** The name of its folder, and of `<id>.page.tsx` in it, which exports `Page`. */
  readonly id: string;
  /**
   * Below the tenant, such as `settings/api-keys`. Empty for the first page. A part with a `$`, as in
   * `passes/$passId`, is told and read by its name, as what stands behind the question mark.
   */
  readonly path: string;
  readonly group: GroupName;
  /** Its place among the pages of its group. */
  readonly order: number;
  readonly title: Text;
  /** Further words by which the palette finds it. */
  readonly keywords: Text;
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  /** The letter after `g` that leads here. */
  readonly letter?: string;
  /** Without the scope of this operation the page has nothing to show. */
  readonly needs?: Operation;
  /** Reached by links from other pages alone: neither the navigation nor the palette names it. */
  readonly isInner?: boolean;
  /** The names that may stand behind the question mark. Others are dropped. */
  readonly search: readonly (keyof PageSearch & string)[];
};

// biome-ignore lint/suspicious/noExplicitAny: pages differ in what their addresses say.
export type AnyPage = PageDefinition<any>;

export function definePage<PageSearch extends Search = Record<never, never>>(
  page: PageDefinition<PageSearch>,
): PageDefinition<PageSearch> {
  return page;
}
