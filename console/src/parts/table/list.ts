import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ListPage } from "../../api/client.ts";
import type { Filter, ListWish } from "../../api/list-query.ts";
import { readSort } from "./column.ts";

const PAGE_SIZE = 100;

/** What of a list stands in the address. A page passes its search on: `?q=till&sort=-lastUsedAt`. */
export type ListSearch = { readonly q?: string | undefined; readonly sort?: string | undefined };

export type ListSource<Item> = {
  readonly queryKey: readonly unknown[];
  /** Beginnings of the names of events that change the list. */
  readonly live: readonly string[];
  /** For lists that no event tells of: read anew when somebody comes back to the tab. */
  readonly isReadOnReturn?: boolean;
  readonly load: (wish: ListWish) => Promise<ListPage<Item>>;
  readonly search: ListSearch;
  /** The filter for what is typed. */
  readonly filterOf: (text: string) => readonly Filter[];
};

/** All pages of a list that were loaded so far, by the cursors that the API gives. */
export function useList<Item>(source: ListSource<Item>) {
  const { queryKey, live, isReadOnReturn = false, load, search, filterOf } = source;
  const { q = "", sort } = search;
  const query = useInfiniteQuery({
    queryKey: [...queryKey, q, sort],
    queryFn: ({ pageParam }) =>
      load({
        filters: q === "" ? [] : filterOf(q),
        sort: readSort(sort),
        pageSize: PAGE_SIZE,
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ cursor }) => cursor,
    // What was found before stays on the screen until the new answer is there.
    placeholderData: (before) => before,
    meta: { live },
    refetchOnWindowFocus: isReadOnReturn ? "always" : false,
  });
  const items = useMemo(
    () => query.data?.pages.flatMap(({ items: some }) => some) ?? [],
    [query.data],
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  return {
    items,
    first: query.data?.pages[0],
    error: query.error,
    isPending: query.isPending,
    isEmpty: query.data !== undefined && items.length === 0 && q === "",
    isFetchingNextPage,
    retry: () => void query.refetch(),
    goOn: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
  };
}
