import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { IconScan } from "@tabler/icons-react";
import { useMemo } from "react";
import { curlOf } from "../api/curl.ts";
import { useOfferActions } from "../frame/page-actions.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { NothingFits } from "../parts/nothing-fits.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { page } from "./page.ts";
import { useKind } from "./reasons.ts";
import {
  filtersOf,
  listScans,
  SCAN_EVENTS,
  type Scan,
  scansOf,
  typedFilter,
  useDevices,
} from "./scan.ts";
import { ScanDrawer } from "./scan-drawer.tsx";
import { ScanFilters } from "./scan-filters.tsx";
import classes from "./scans.module.css";
import { TryDialog } from "./try-dialog.tsx";
import { DecisionBadge } from "./verdict.tsx";
import { words } from "./words.ts";

const NO_FILTER = {
  decision: undefined,
  days: undefined,
  device: undefined,
  pass: undefined,
  conflict: undefined,
};

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const path = `/api/${tenantId}/scans`;
  const filters = filtersOf(search);
  const tryOne = () => setSearch({ try: "yes" }, { isStep: true });
  useOfferActions([{ id: "scan.create", label: w.try, onClick: tryOne }]);
  const tryButton = (
    <ScopedButton
      operation="scan.create"
      leftSection={<IconScan size={18} stroke={1.6} />}
      onClick={tryOne}
    >
      {w.try}
    </ScopedButton>
  );
  const example = { data: "ps_0VfQm3Ks00x7Rk2LwPq9Zt", type: "qrcode" };
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <>
            <CurlIcon method="GET" path={path} />
            {tryButton}
          </>
        }
      />
      <ScanFilters />
      <ListTable<Scan>
        name="scans"
        caption={w.caption}
        columns={useColumns()}
        keyOf={({ scanId }) => scanId}
        queryKey={[...scansOf(tenantId), JSON.stringify(filters)]}
        live={SCAN_EVENTS}
        load={(wish) =>
          listScans(tenantId, { ...wish, filters: [...filters, ...(wish.filters ?? [])] })
        }
        search={search}
        onSearch={setSearch}
        filterLabel={w.filter}
        filterOf={typedFilter}
        onOpen={({ scanId }) => setSearch({ scan: scanId }, { isStep: true })}
        empty={
          filters.length > 0 ? (
            <NothingFits onClear={() => setSearch(NO_FILTER, { isStep: true })} />
          ) : (
            <EmptyState
              icon={IconScan}
              title={w.emptyTitle}
              text={w.emptyText}
              action={tryButton}
              command={curlOf({ method: "POST", path, body: example })}
            />
          )
        }
      />
      {search.scan !== undefined && (
        <ScanDrawer
          key={search.scan}
          scanId={search.scan}
          onClose={() => setSearch({ scan: undefined })}
        />
      )}
      <TryDialog
        key={search.try}
        opened={search.try === "yes"}
        onClose={() => setSearch({ try: undefined })}
        onOpen={(scanId) => setSearch({ try: undefined, scan: scanId }, { isStep: true })}
      />
    </>
  );
}

const isShownById = (pass: Scan["pass"]): boolean => pass !== null && pass.displayName === null;

function useColumns(): readonly Column<Scan>[] {
  const w = useWords(words);
  const format = useFormat();
  const kindOf = useKind();
  const devices = useDevices(useTenantId());
  return useMemo(
    () => [
      {
        id: "pass",
        title: w.pass,
        width: "minmax(14rem, 1.5fr)",
        render: ({ pass, data }) => (
          <>
            <span className={classes.name} data-id={isShownById(pass) || undefined}>
              {pass?.displayName ?? pass?.id ?? w.unknownCode}
            </span>
            <span className={classes.quiet}>{pass?.passType ?? data}</span>
          </>
        ),
      },
      {
        id: "result",
        title: w.result,
        width: "minmax(12rem, 1.5fr)",
        sortField: "decision",
        render: (scan) => (
          <Group gap={6}>
            <DecisionBadge scan={scan} />
            {scan.conflict && (
              <Badge color="yellow" variant="light" tt="none">
                {w.conflict}
              </Badge>
            )}
          </Group>
        ),
      },
      {
        id: "location",
        title: w.location,
        width: "minmax(8rem, 1fr)",
        sortField: "location",
        render: ({ location }) => <Text size="sm">{location ?? "—"}</Text>,
      },
      {
        id: "device",
        title: w.device,
        width: "minmax(8rem, 1fr)",
        render: ({ deviceId }) => (
          <Text size="sm">
            {deviceId === null ? "—" : (devices.get(deviceId)?.name ?? deviceId)}
          </Text>
        ),
      },
      {
        id: "when",
        title: w.when,
        width: "minmax(8rem, 0.9fr)",
        sortField: "scannedAt",
        render: ({ scannedAt }) => (
          <Tooltip label={format.moment(scannedAt)}>
            <Text size="sm" w="fit-content">
              {format.ago(scannedAt)}
            </Text>
          </Tooltip>
        ),
      },
      {
        id: "how",
        title: w.how,
        width: "minmax(7rem, 0.7fr)",
        isExtra: true,
        render: ({ type }) => <Text size="sm">{kindOf(type)}</Text>,
      },
      {
        id: "reference",
        title: w.reference,
        width: "minmax(8rem, 1fr)",
        isExtra: true,
        sortField: "reference",
        render: ({ reference }) => <Text size="sm">{reference ?? "—"}</Text>,
      },
    ],
    [w, devices, format, kindOf],
  );
}
