import type { ReactNode } from "react";

export type Column<Item> = {
  readonly id: string;
  readonly title: string;
  /** A track of the CSS grid, such as `minmax(10rem, 2fr)`. */
  readonly width: string;
  readonly render: (item: Item) => ReactNode;
  /** The field by which the API sorts; without it the column cannot be sorted by. */
  readonly sortField?: string;
  /** Shown only to those who choose it. */
  readonly isExtra?: boolean;
};

/** How a list is sorted, as it stands in the address: `name` or `-lastUsedAt`. */
export function readSort(text: string | undefined) {
  if (text === undefined || text === "") return [];
  const isDown = text.startsWith("-");
  return [
    {
      field: isDown ? text.slice(1) : text,
      direction: isDown ? ("DESC" as const) : ("ASC" as const),
    },
  ];
}

/** A first click sorts upwards, a second downwards, a third not at all. */
export function nextSort(current: string | undefined, field: string): string | undefined {
  if (current === field) return `-${field}`;
  return current === `-${field}` ? undefined : field;
}
