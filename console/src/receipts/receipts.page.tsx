import { Text, Tooltip } from "@mantine/core";
import { IconReceipt } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { curlOf } from "../api/curl.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { page } from "./page.ts";
import {
  getReceipt,
  listReceipts,
  moneyIn,
  RECEIPT_EVENTS,
  type ReceiptSummary,
  receiptsOf,
  typedFilter,
} from "./receipt.ts";
import { ReceiptDrawer } from "./receipt-drawer.tsx";
import classes from "./receipts.module.css";
import { RefundDialog } from "./refund-dialog.tsx";
import { words } from "./words.ts";

const EXAMPLE = {
  source: "till",
  reference: "2026-004711",
  currency: "EUR",
  total: 4.2,
  lines: [{ description: "Flat white", total: 4.2 }],
};

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const path = `/api/${tenantId}/receipts`;
  return (
    <>
      <PageHead page={page} lead={w.lead} actions={<CurlIcon method="GET" path={path} />} />
      <OpenedReceipt />
      <ListTable<ReceiptSummary>
        name="receipts"
        caption={w.caption}
        columns={useColumns()}
        keyOf={({ receiptId }) => receiptId}
        queryKey={[...receiptsOf(tenantId), "list"]}
        live={RECEIPT_EVENTS}
        load={(wish) => listReceipts(tenantId, wish)}
        search={search}
        onSearch={setSearch}
        filterLabel={w.filter}
        filterOf={typedFilter}
        onOpen={({ receiptId }) => setSearch({ receipt: receiptId }, { isStep: true })}
        empty={
          <EmptyState
            icon={IconReceipt}
            title={w.emptyTitle}
            text={w.emptyText}
            command={curlOf({ method: "POST", path, body: EXAMPLE })}
          />
        }
      />
    </>
  );
}

/** The receipt that the address names. */
function OpenedReceipt() {
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const receiptId = search.refund ?? search.receipt;
  const { data: receipt, error } = useQuery({
    queryKey: [...receiptsOf(tenantId), "one", receiptId],
    queryFn: () => getReceipt(tenantId, receiptId ?? ""),
    enabled: receiptId !== undefined,
    meta: { live: RECEIPT_EVENTS },
  });
  if (receiptId === undefined) return undefined;
  return (
    <>
      {search.receipt === undefined ? (
        <ErrorDisplay error={error} />
      ) : (
        <ReceiptDrawer
          receipt={receipt}
          error={error}
          onClose={() => setSearch({ receipt: undefined })}
        />
      )}
      {receipt !== undefined && search.refund !== undefined && (
        <RefundDialog receipt={receipt} onClose={() => setSearch({ refund: undefined })} />
      )}
    </>
  );
}

function useColumns(): readonly Column<ReceiptSummary>[] {
  const w = useWords(words);
  const format = useFormat();
  const language = useLanguage();
  return useMemo(
    () => [
      {
        id: "reference",
        title: w.reference,
        width: "minmax(11rem, 1.5fr)",
        sortField: "reference",
        render: ({ reference, source }) => (
          <>
            <span className={classes.name}>{reference}</span>
            <span className={classes.quiet}>{source}</span>
          </>
        ),
      },
      {
        id: "total",
        title: w.total,
        width: "minmax(7rem, 0.8fr)",
        sortField: "total",
        render: ({ total, currency }) => (
          <Text size="sm">{moneyIn(language, total, currency)}</Text>
        ),
      },
      {
        id: "refunded",
        title: w.refunded,
        width: "minmax(7rem, 0.8fr)",
        sortField: "refunded",
        render: ({ refunded, currency }) => (
          <Text size="sm">{refunded === 0 ? "—" : moneyIn(language, refunded, currency)}</Text>
        ),
      },
      {
        id: "store",
        title: w.store,
        width: "minmax(8rem, 1fr)",
        render: ({ store }) => <Text size="sm">{store?.name ?? store?.id ?? "—"}</Text>,
      },
      {
        id: "lines",
        title: w.lines,
        width: "minmax(5rem, 0.5fr)",
        render: ({ lineCount }) => <Text size="sm">{format.number(lineCount)}</Text>,
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
    ],
    [w, format, language],
  );
}
