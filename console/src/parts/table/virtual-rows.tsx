import { UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useWords } from "../../words/language.ts";
import { words } from "../words.ts";
import type { Column } from "./column.ts";
import classes from "./table.module.css";
import type { ListTableModel } from "./use-columns.ts";

const ROW_PX = 61;
const OVERSCAN = 6;
/** The next page is asked for when this many rows are left. */
const AHEAD = 30;

type Props<Item> = {
  readonly caption: string;
  readonly table: ListTableModel<Item>;
  readonly columns: readonly Column<Item>[];
  readonly total: number;
  readonly sort: string | undefined;
  readonly onSort: (field: string) => void;
  readonly onEnd: () => void;
  readonly onOpen?: (item: Item) => void;
  readonly rowActions?: (item: Item) => ReactNode;
};

export function VirtualRows<Item>(props: Props<Item>) {
  const { table, columns, caption, total, onEnd, rowActions } = props;
  const rows = table.getRowModel().rows;
  const body = useRef<HTMLDivElement>(null);
  const [marginPx, setMarginPx] = useState(0);
  useLayoutEffect(() => {
    const topPx = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setMarginPx(Math.round(topPx));
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: marginPx,
    getItemKey: (at) => rows[at]?.id ?? at,
  });
  const inView = virtual.getVirtualItems();
  const last = inView.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length, onEnd]);
  const shown = columns.filter(({ id }) => table.getColumn(id)?.getIsVisible() ?? true);
  const tracks = shown.map(({ width }) => width);
  if (rowActions !== undefined) tracks.push("2.25rem");
  const style = { "--columns": tracks.join(" ") } as CSSProperties;
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: rows are placed by scrolling, which elements of tables do not allow.
    <div
      role="table"
      aria-label={caption}
      aria-rowcount={total + 1}
      className={classes.frame}
      style={style}
    >
      <HeadRow {...props} shown={shown} />
      <div
        role="rowgroup"
        ref={body}
        className={classes.body}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={moveBetweenRows}
      >
        {inView.map(({ index, start, key }) => {
          const item = rows[index]?.original as Item;
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              data-last={index === rows.length - 1 || undefined}
              data-opens={props.onOpen !== undefined || undefined}
              ref={virtual.measureElement}
              tabIndex={0}
              className={classes.bodyRow}
              style={{ transform: `translateY(${start - marginPx}px)` }}
              onClick={(event) => openUnlessControl(event.target, () => props.onOpen?.(item))}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.target === event.currentTarget)
                  props.onOpen?.(item);
              }}
            >
              <Cells item={item} shown={shown} actions={rowActions?.(item)} />
            </div>
          );
        })}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see above.
  );
}

type CellsProps<Item> = {
  readonly item: Item;
  readonly shown: readonly Column<Item>[];
  readonly actions: ReactNode;
};

function Cells<Item>({ item, shown, actions }: CellsProps<Item>) {
  return (
    <>
      {shown.map(({ id, title, render }, at) => (
        // biome-ignore lint/a11y/useSemanticElements: as the row.
        <div key={id} role="cell" className={classes.cell} data-first={at === 0 || undefined}>
          {at > 0 && (
            <span className={classes.cellLabel} aria-hidden="true">
              {title}
            </span>
          )}
          {render(item)}
        </div>
      ))}
      {actions !== undefined && (
        // biome-ignore lint/a11y/useSemanticElements: as the row.
        <div role="cell" className={classes.actions}>
          {actions}
        </div>
      )}
    </>
  );
}

function HeadRow<Item>({
  shown,
  sort,
  onSort,
  rowActions,
}: Props<Item> & { shown: readonly Column<Item>[] }) {
  const w = useWords(words);
  return (
    // biome-ignore-start lint/a11y: as the table.
    <div role="row" aria-rowindex={1} className={classes.headRow}>
      {shown.map(({ id, title, sortField }) => (
        <div key={id} role="columnheader" aria-sort={ariaSort(sort, sortField)}>
          {sortField === undefined ? (
            title
          ) : (
            <UnstyledButton
              className={classes.sort}
              onClick={() => onSort(sortField)}
              aria-label={w.sortBy(title)}
            >
              {title}
              {sort === sortField && <IconArrowUp size={14} aria-hidden />}
              {sort === `-${sortField}` && <IconArrowDown size={14} aria-hidden />}
            </UnstyledButton>
          )}
        </div>
      ))}
      {rowActions !== undefined && <div role="columnheader" aria-label={w.details} />}
    </div>
    // biome-ignore-end lint/a11y: as the table.
  );
}

function ariaSort(sort: string | undefined, field: string | undefined) {
  if (field === undefined || sort === undefined) return undefined;
  if (sort === field) return "ascending";
  return sort === `-${field}` ? "descending" : undefined;
}

/** Arrow keys go from row to row. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
  if (step === undefined || row === null || row !== event.target) return;
  const next = event.currentTarget.querySelector<HTMLElement>(
    `[data-index="${Number(row.dataset.index) + step}"]`,
  );
  if (next === null) return;
  event.preventDefault();
  next.focus();
}

/** Buttons and links inside a row do what they say, and do not open the row. */
function openUnlessControl(target: EventTarget, open: () => void): void {
  // Menus are drawn elsewhere in the document, but their clicks arrive here, too.
  const element = target as HTMLElement;
  if (element.closest("button, a, input, [role=menu]") === null && element.closest("[role=row]"))
    open();
}
