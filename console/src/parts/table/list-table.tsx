import { Loader, Skeleton, Stack } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useWords } from "../../words/language.ts";
import { EmptyState } from "../empty-state.tsx";
import { ErrorDisplay } from "../error-display.tsx";
import { words } from "../words.ts";
import { type Column, nextSort } from "./column.ts";
import { type ListSearch, type ListSource, useList } from "./list.ts";
import { TableBar } from "./table-bar.tsx";
import { useColumns } from "./use-columns.ts";
import { VirtualRows } from "./virtual-rows.tsx";

/** Quick typists ask once for several letters, and the answer still seems to come at once. */
const TYPING_MS = 150;
const WAITING_ROWS = ["first", "second", "third", "fourth"];

export type ListTableProps<Item> = ListSource<Item> & {
  /** Unique; chosen columns are kept in this browser by this name. */
  readonly name: string;
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  readonly onSearch: (change: ListSearch) => void;
  readonly filterLabel: string;
  readonly onOpen?: (item: Item) => void;
  readonly rowActions?: (item: Item) => ReactNode;
  /** Shown while there is nothing at all. */
  readonly empty: ReactNode;
};

/**
 * A list of the API. The server filters, sorts and pages; further pages come as one scrolls, and only
 * rows that are in view are in the document. Filter and order stand in the address.
 */
export function ListTable<Item>(props: ListTableProps<Item>) {
  const { name, columns, keyOf, search, onSearch, filterLabel, empty, ...rest } = props;
  const w = useWords(words);
  const list = useList({ ...rest, search });
  const table = useColumns({ name, columns, items: list.items, keyOf });
  const onType = useDebouncedCallback(
    (text: string) => onSearch({ q: text === "" ? undefined : text }),
    TYPING_MS,
  );
  if (list.isPending) return <Waiting />;
  if (list.isEmpty && list.error === null) return empty;
  return (
    <div>
      <TableBar
        label={filterLabel}
        initial={search.q ?? ""}
        onType={onType}
        shown={list.items.length}
        first={list.first}
        table={table}
      />
      {/* The filter stays: what was refused can be corrected, and rows that were there are still good. */}
      <ErrorDisplay error={list.error} onRetry={list.retry} />
      {list.items.length === 0 && list.error === null && (
        <EmptyState title={w.nothingFits} text={w.nothingFitsText} />
      )}
      {list.items.length > 0 && (
        <VirtualRows
          {...rest}
          table={table}
          columns={columns}
          total={list.first?.total ?? list.items.length}
          sort={search.sort}
          onSort={(field) => onSearch({ sort: nextSort(search.sort, field) })}
          onEnd={list.goOn}
        />
      )}
      {list.isFetchingNextPage && <Loader type="dots" m="md" aria-label={w.loadingMore} />}
    </div>
  );
}

function Waiting() {
  const w = useWords(words);
  return (
    <Stack gap="sm" role="status" aria-label={w.loading}>
      {WAITING_ROWS.map((row) => (
        <Skeleton key={row} h={56} radius="md" />
      ))}
    </Stack>
  );
}
