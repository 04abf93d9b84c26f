import { Badge, Group, Select, Text, Tooltip } from "@mantine/core";
import { IconArrowsUpDown } from "@tabler/icons-react";
import { useMemo } from "react";
import { curlOf } from "../api/curl.ts";
import { useGoTo, usePageSearch, useTenantId } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { NothingFits } from "../parts/nothing-fits.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { PassLink } from "../parts/pass-link.tsx";
import { PeriodSelect } from "../parts/period/period-select.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  filtersOf,
  listMovements,
  MOVEMENT_EVENTS,
  type Movement,
  TYPES,
  typedFilter,
} from "./movement.ts";
import classes from "./movements.module.css";
import { page } from "./page.ts";
import { words } from "./words.ts";

const NO_FILTER = { type: undefined, days: undefined };
const EXAMPLE = { type: "redemption", amount: 1, reference: "receipt-4711" };
const COLORS = { redemption: "blue", issuance: "teal", adjustment: "gray" } as const;

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const goTo = useGoTo();
  const [search, setSearch] = usePageSearch(page);
  const filters = filtersOf(search);
  const passPage = pageById("pass");
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={<CurlIcon method="GET" path={`/api/${tenantId}/movements`} />}
      />
      <Filters />
      <ListTable<Movement>
        name="movements"
        caption={w.caption}
        columns={useColumns()}
        keyOf={({ movementId }) => movementId}
        queryKey={["movements", tenantId, JSON.stringify(filters)]}
        live={MOVEMENT_EVENTS}
        load={(wish) =>
          listMovements(tenantId, { ...wish, filters: [...filters, ...(wish.filters ?? [])] })
        }
        search={search}
        onSearch={setSearch}
        filterLabel={w.filter}
        filterOf={typedFilter}
        onOpen={({ passId, privilegeId }) => {
          const ledger: Search = { passId, tab: "privileges", privilege: privilegeId };
          if (passPage !== undefined) goTo(passPage, ledger);
        }}
        empty={
          filters.length > 0 ? (
            <NothingFits onClear={() => setSearch(NO_FILTER, { isStep: true })} />
          ) : (
            <EmptyState
              icon={IconArrowsUpDown}
              title={w.emptyTitle}
              text={w.emptyText}
              command={curlOf({
                method: "POST",
                path: `/api/${tenantId}/passes/ps_0VfQm3Ks00x7Rk2LwPq9Zt/privileges/coffee/movements`,
                body: EXAMPLE,
              })}
            />
          )
        }
      />
    </>
  );
}

/** Each choice stands in the address, so a filtered list can be sent to somebody. */
function Filters() {
  const w = useWords(words);
  const [{ type, days }, setSearch] = usePageSearch(page);
  return (
    <Group role="group" aria-label={w.filters} gap="sm" mb="sm">
      <Select
        className={classes.choice}
        aria-label={w.type}
        placeholder={w.anyType}
        clearable
        data={TYPES.map((value) => ({ value, label: w[value] }))}
        value={type ?? null}
        onChange={(value) => setSearch({ type: value ?? undefined }, { isStep: true })}
      />
      <PeriodSelect
        className={classes.choice}
        days={days}
        onChange={(value) => setSearch({ days: value }, { isStep: true })}
      />
    </Group>
  );
}

function useColumns(): readonly Column<Movement>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "privilege",
        title: w.privilege,
        width: "minmax(7rem, 1fr)",
        render: ({ privilegeId }) => <Text fw={600}>{privilegeId}</Text>,
      },
      {
        id: "type",
        title: w.type,
        width: "minmax(7rem, 0.8fr)",
        render: ({ type, reverses }) => (
          <Badge color={COLORS[type]} variant="light" tt="none">
            {reverses === null ? w[type] : w.undo}
          </Badge>
        ),
      },
      {
        id: "change",
        title: w.change,
        width: "minmax(5rem, 0.5fr)",
        render: ({ value }) => (
          <Text size="sm" fw={600}>
            {Number(value) > 0 ? "+" : ""}
            {format.number(Number(value))}
          </Text>
        ),
      },
      {
        id: "after",
        title: w.after,
        width: "minmax(5rem, 0.5fr)",
        render: ({ valueAfter }) => (
          <Text size="sm">{valueAfter === null ? "—" : format.number(Number(valueAfter))}</Text>
        ),
      },
      {
        id: "pass",
        title: w.pass,
        width: "minmax(13.5rem, 1.5fr)",
        render: ({ passId }) => <PassLink passId={passId} />,
      },
      {
        id: "reference",
        title: w.reference,
        width: "minmax(6rem, 1fr)",
        render: ({ reference }) => <Text size="sm">{reference ?? "—"}</Text>,
      },
      {
        id: "when",
        title: w.when,
        width: "minmax(8rem, 0.9fr)",
        sortField: "occurredAt",
        render: ({ occurredAt }) => (
          <Tooltip label={format.moment(occurredAt)}>
            <Text size="sm" w="fit-content">
              {format.ago(occurredAt)}
            </Text>
          </Tooltip>
        ),
      },
      {
        id: "reason",
        title: w.reason,
        width: "minmax(8rem, 1fr)",
        isExtra: true,
        render: ({ reason }) => <Text size="sm">{reason ?? "—"}</Text>,
      },
      {
        id: "recorded",
        title: w.recorded,
        width: "minmax(8rem, 0.9fr)",
        isExtra: true,
        render: ({ createdAt }) => <Text size="sm">{format.moment(createdAt)}</Text>,
      },
      {
        id: "movementId",
        title: w.movementId,
        width: "minmax(12rem, 1.2fr)",
        isExtra: true,
        render: ({ movementId }) => <Text size="sm">{movementId}</Text>,
      },
    ],
    [w, format],
  );
}
