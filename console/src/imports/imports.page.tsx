import { Select, Tabs, Text, Tooltip } from "@mantine/core";
import { IconFileImport, IconServer2, IconUpload } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { useOfferActions } from "../frame/page-actions.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { NothingFits } from "../parts/nothing-fits.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { settings } from "../settings.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { Drop } from "./drop.tsx";
import { IMPORT_EVENTS, type Import, importsOf, listImports } from "./import.ts";
import { StateBadge, useSize, useStatusNames } from "./import-state.tsx";
import classes from "./imports.module.css";
import { OneImport } from "./one-import.tsx";
import { page } from "./page.ts";
import { UploadDialog } from "./upload-dialog.tsx";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const start = () => setSearch({ new: "yes" }, { isStep: true });
  useOfferActions([{ id: "import.create", label: w.upload, onClick: start }]);
  const uploadButton = (
    <ScopedButton
      operation="import.create"
      leftSection={<IconUpload size={18} stroke={1.6} />}
      onClick={start}
    >
      {w.upload}
    </ScopedButton>
  );
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <>
            <CurlIcon method="GET" path={`/api/${tenantId}/admin/imports`} />
            {uploadButton}
          </>
        }
      />
      {search.import === undefined ? (
        <Tabs
          value={search.view ?? "imports"}
          onChange={(value) =>
            setSearch(
              { view: value === "drop" ? "drop" : undefined, q: undefined },
              { isStep: true },
            )
          }
          keepMounted={false}
        >
          <Tabs.List mb="lg">
            <Tabs.Tab value="imports" leftSection={<IconFileImport size={16} stroke={1.6} />}>
              {w.tabImports}
            </Tabs.Tab>
            <Tabs.Tab value="drop" leftSection={<IconServer2 size={16} stroke={1.6} />}>
              {w.tabDrop}
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="imports">
            <Imports action={uploadButton} />
          </Tabs.Panel>
          <Tabs.Panel value="drop">
            <Drop />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <OneImport key={search.import} importId={search.import} />
      )}
      <UploadDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
        onSent={({ importId }) =>
          setSearch({ new: undefined, import: importId, outcome: undefined }, { isStep: true })
        }
      />
    </>
  );
}

function Imports({ action }: { action: ReactNode }) {
  const w = useWords(words);
  const names = useStatusNames();
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const { status } = search;
  const filters =
    status === undefined ? [] : [{ field: "status", operator: "equals" as const, value: status }];
  return (
    <>
      <Select
        mb="sm"
        maw={240}
        aria-label={w.status}
        placeholder={w.anyStatus}
        clearable
        data={Object.entries(names).map(([value, label]) => ({ value, label }))}
        value={status ?? null}
        onChange={(value) => setSearch({ status: value ?? undefined }, { isStep: true })}
      />
      <ListTable<Import>
        name="imports"
        caption={w.caption}
        columns={useColumns()}
        keyOf={({ importId }) => importId}
        queryKey={[...importsOf(tenantId), "list", status]}
        live={IMPORT_EVENTS}
        load={(wish) =>
          listImports(tenantId, { ...wish, filters: [...filters, ...(wish.filters ?? [])] })
        }
        search={search}
        onSearch={setSearch}
        filterLabel={w.filter}
        filterOf={(value) => [{ field: "fileName", operator: "contains", value }]}
        onOpen={({ importId }) => setSearch({ import: importId }, { isStep: true })}
        empty={
          status === undefined ? (
            <EmptyState
              icon={IconFileImport}
              title={w.emptyTitle}
              text={w.emptyText}
              action={action}
              command={uploadCommand(tenantId)}
            />
          ) : (
            <NothingFits onClear={() => setSearch({ status: undefined }, { isStep: true })} />
          )
        }
      />
    </>
  );
}

/** The body is the file itself, so it is not a request with JSON. */
const uploadCommand = (tenantId: string): string =>
  [
    "curl --data-binary @members.csv",
    `-H "X-API-KEY: $BILLFOLD_API_KEY"`,
    "-H 'Content-Type: text/csv'",
    `'${settings.baseUrl}/api/${tenantId}/admin/imports?fileName=members.csv&dryRun=true'`,
  ].join(" \\\n  ");

function useColumns(): readonly Column<Import>[] {
  const w = useWords(words);
  const format = useFormat();
  const sizeOf = useSize();
  return useMemo(() => {
    const sources = { sftp: w.sourceSftp, http: w.sourceHttp, task: w.sourceTask };
    return [
      {
        id: "file",
        title: w.file,
        width: "minmax(12rem, 1.8fr)",
        render: ({ fileName, size }) => (
          <>
            <span className={classes.name}>{fileName}</span>
            <span className={classes.quiet}>{sizeOf(size)}</span>
          </>
        ),
      },
      {
        id: "status",
        title: w.status,
        width: "minmax(11rem, 1.2fr)",
        render: (file) => <StateBadge file={file} />,
      },
      {
        id: "rows",
        title: w.rows,
        width: "minmax(9rem, 1fr)",
        render: ({ rows, failed }) => (
          <Text size="sm">
            {failed > 0
              ? w.counted(format.number(rows), format.number(failed))
              : w.countedFine(format.number(rows))}
          </Text>
        ),
      },
      {
        id: "source",
        title: w.source,
        width: "minmax(8rem, 0.8fr)",
        render: ({ source }) => <Text size="sm">{sources[source]}</Text>,
      },
      {
        id: "received",
        title: w.received,
        width: "minmax(8rem, 0.9fr)",
        render: ({ receivedAt }) => (
          <Tooltip label={format.moment(receivedAt)}>
            <Text size="sm" w="fit-content">
              {format.ago(receivedAt)}
            </Text>
          </Tooltip>
        ),
      },
      {
        id: "createdBy",
        title: w.createdBy,
        width: "minmax(9rem, 1fr)",
        isExtra: true,
        render: ({ createdBy }) => <Text size="sm">{createdBy}</Text>,
      },
    ];
  }, [w, format, sizeOf]);
}
