import {
  type ColumnVisibilityState,
  columnVisibilityFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useMemo, useState } from "react";
import type { Column } from "./column.ts";

const features = tableFeatures({ columnVisibilityFeature });

type Options<Item> = {
  readonly name: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
};

/** The table behind a list, with the columns that the person chose in this browser. */
export function useColumns<Item>({ name, columns, items, keyOf }: Options<Item>) {
  const keptAs = `billfold-columns-${name}`;
  const [columnVisibility, setVisibility] = useState<ColumnVisibilityState>(() => ({
    ...Object.fromEntries(columns.map(({ id, isExtra }) => [id, isExtra !== true])),
    ...(JSON.parse(localStorage.getItem(keptAs) ?? "{}") as ColumnVisibilityState),
  }));
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Item & object>();
    return columns.map(({ id, title }) => helper.display({ id, header: title }));
  }, [columns]);
  return useTable({
    features,
    columns: definitions,
    data: items as (Item & object)[],
    getRowId: (item) => keyOf(item),
    state: { columnVisibility },
    onColumnVisibilityChange: (change) => {
      const next = typeof change === "function" ? change(columnVisibility) : change;
      localStorage.setItem(keptAs, JSON.stringify(next));
      setVisibility(next);
    },
  });
}

export type ListTableModel<Item> = ReturnType<typeof useColumns<Item>>;
