import { Text, UnstyledButton } from "@mantine/core";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { NothingFits } from "../parts/nothing-fits.tsx";
import { PassLink } from "../parts/pass-link.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  IMPORT_EVENTS,
  type Import,
  type ImportOutcome,
  importsOf,
  isOpen,
  listOutcomes,
  OUTCOMES,
  ROW_EVENTS,
  rowFilter,
} from "./import.ts";
import { OutcomeBadge, useOutcomeNames } from "./import-state.tsx";
import classes from "./imports.module.css";
import { page } from "./page.ts";
import { words } from "./words.ts";

/** Each number is a filter of the rows below. */
export function OutcomeNumbers({ file }: { file: Import }) {
  const format = useFormat();
  const names = useOutcomeNames(file.dryRun);
  const [search, setSearch] = usePageSearch(page);
  return (
    <div className={classes.numbers}>
      {OUTCOMES.map((outcome) => {
        const isOn = search.outcome === outcome;
        const count = file[outcome];
        return (
          <UnstyledButton
            key={outcome}
            className={classes.number}
            aria-pressed={isOn}
            onClick={() => setSearch({ outcome: isOn ? undefined : outcome }, { isStep: true })}
          >
            <Text size="sm" c="dimmed" component="span" display="block">
              {names[outcome]}
            </Text>
            <span
              className={classes.value}
              data-bad={(outcome === "failed" && count > 0) || undefined}
            >
              {format.number(count)}
            </span>
          </UnstyledButton>
        );
      })}
    </div>
  );
}

export function OutcomeRows({ file }: { file: Import }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const { importId } = file;
  const { outcome, row } = search;
  const filters =
    outcome === undefined
      ? []
      : [{ field: "outcome", operator: "equals" as const, value: outcome }];
  return (
    <ListTable<ImportOutcome>
      name="import-outcomes"
      caption={w.rowsCaption}
      columns={useColumns(file.dryRun)}
      keyOf={(one) => String(one.row)}
      queryKey={[...importsOf(tenantId), "rows", importId, outcome]}
      live={isOpen(file) ? ROW_EVENTS : IMPORT_EVENTS}
      load={(wish) =>
        listOutcomes(tenantId, importId, {
          ...wish,
          filters: [...filters, ...(wish.filters ?? [])],
        })
      }
      search={{ q: row }}
      onSearch={({ q }) => setSearch({ row: q })}
      filterLabel={w.rowFilter}
      filterOf={rowFilter}
      empty={
        outcome !== undefined && file.rows > 0 ? (
          <NothingFits onClear={() => setSearch({ outcome: undefined }, { isStep: true })} />
        ) : isOpen(file) ? (
          <EmptyState title={w.notFoundRows} text={w.notFoundRowsText} />
        ) : (
          <EmptyState title={w.noRows} text={w.noRowsText} />
        )
      }
    />
  );
}

function useColumns(isDryRun: boolean): readonly Column<ImportOutcome>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "line",
        title: w.line,
        width: "minmax(4rem, 0.4fr)",
        render: ({ line }) => <span className={classes.name}>{format.number(line)}</span>,
      },
      {
        id: "outcome",
        title: w.outcome,
        width: "minmax(8rem, 0.8fr)",
        render: ({ outcome }) => <OutcomeBadge outcome={outcome} isDryRun={isDryRun} />,
      },
      {
        id: "identifiers",
        title: w.identifiers,
        width: "minmax(11rem, 1.4fr)",
        render: ({ identifiers }) => (
          <div>
            {Object.entries(identifiers).map(([name, value]) => (
              <Text key={name} size="sm">
                <Text span c="dimmed" size="xs">
                  {name}
                </Text>{" "}
                {value}
              </Text>
            ))}
          </div>
        ),
      },
      {
        id: "reason",
        title: w.reason,
        width: "minmax(14rem, 2.4fr)",
        render: ({ message }) => <Text size="sm">{message ?? "—"}</Text>,
      },
      {
        id: "pass",
        title: w.pass,
        width: "minmax(12rem, 1.3fr)",
        render: ({ passId }) => (passId === null ? "—" : <PassLink passId={passId} />),
      },
    ],
    [w, isDryRun, format],
  );
}
