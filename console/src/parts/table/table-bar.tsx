import { Button, Checkbox, CloseButton, Popover, Stack, TextInput } from "@mantine/core";
import { IconColumns3, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import type { ListPage } from "../../api/client.ts";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import { words } from "../words.ts";
import classes from "./table.module.css";
import type { ListTableModel } from "./use-columns.ts";

type Props<Item> = {
  readonly label: string;
  readonly initial: string;
  readonly onType: (text: string) => void;
  readonly shown: number;
  readonly first: ListPage<unknown> | undefined;
  readonly table: ListTableModel<Item>;
};

/** Above a list: the filter, how much there is, and which columns are shown. */
export function TableBar<Item>({ label, initial, onType, shown, first, table }: Props<Item>) {
  const w = useWords(words);
  const [typed, setTyped] = useState(initial);
  const type = (text: string) => {
    setTyped(text);
    onType(text);
  };
  return (
    <div className={classes.bar}>
      <TextInput
        className={classes.filter}
        type="search"
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        placeholder={label}
        aria-label={label}
        data-filter
        leftSection={<IconSearch size={16} stroke={1.6} />}
        rightSection={
          typed !== "" && (
            <CloseButton size="sm" onClick={() => type("")} aria-label={w.clearFilter} />
          )
        }
      />
      <output className={classes.count}>
        {first !== undefined && <RowCount first={first} shown={shown} />}
      </output>
      <ColumnChoice table={table} />
    </div>
  );
}

/** Most lists are counted up to so many entries; a longer one has one more, as an estimate. */
const COUNTED_MAX = 10_000;

type CountProps = { readonly first: ListPage<unknown>; readonly shown: number };

function RowCount({ first, shown }: CountProps) {
  const w = useWords(words);
  const format = useFormat();
  const { total, isEstimate } = first;
  return w.rows(format.number(shown), isEstimate ? estimated(total) : format.number(total));

  function estimated(about: number): string {
    return about === COUNTED_MAX + 1
      ? w.moreThan(format.number(COUNTED_MAX))
      : w.about(format.number(about));
  }
}

function ColumnChoice<Item>({ table }: { table: ListTableModel<Item> }) {
  const w = useWords(words);
  // The first column says what a row is.
  const optional = table.getAllLeafColumns().slice(1);
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconColumns3 size={16} stroke={1.6} />}
          aria-label={w.chooseColumns}
        >
          {w.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {optional.map((column) => (
            <Checkbox
              key={column.id}
              label={String(column.columnDef.header)}
              checked={column.getIsVisible()}
              onChange={(event) => column.toggleVisibility(event.currentTarget.checked)}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
