import { Badge, Button, CloseButton, Group, SegmentedControl, Text, Tooltip } from "@mantine/core";
import { IconHistory, IconRefresh } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { curlOf } from "../api/curl.ts";
import { useMissingScope } from "../api/rights.ts";
import { useLiveEvent } from "../live/live.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { PageHead } from "../parts/page-head.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import classes from "./audit.module.css";
import { AuditFilters } from "./audit-filters.tsx";
import { type AuditEntry, auditOf, filtersOf, hasFilters, listAudit, type Place } from "./entry.ts";
import { EntryDialog } from "./entry-dialog.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const maySeeAll = useMissingScope("audit.list-all") === undefined;
  const isAll = search.scope === "all" && maySeeAll;
  const place = isAll ? undefined : tenantId;
  const path = isAll ? "/api/audit" : `/api/${tenantId}/admin/audit`;
  const filters = filtersOf(search);
  return (
    <>
      <PageHead
        page={page}
        lead={isAll ? w.leadAll : w.lead}
        actions={
          <>
            {maySeeAll && (
              <SegmentedControl
                aria-label={w.scope}
                value={isAll ? "all" : "tenant"}
                data={[
                  { value: "tenant", label: w.thisTenant },
                  { value: "all", label: w.installation },
                ]}
                onChange={(value) => setSearch({ scope: value === "all" ? "all" : undefined })}
              />
            )}
            <CurlIcon method="GET" path={path} />
          </>
        }
      />
      <AuditFilters />
      {search.request !== undefined && (
        <Badge
          mb="sm"
          size="lg"
          variant="light"
          tt="none"
          rightSection={
            <CloseButton
              size="xs"
              aria-label={w.allRequests}
              onClick={() => setSearch({ request: undefined })}
            />
          }
        >
          {w.ofRequest(search.request)}
        </Badge>
      )}
      <News place={place} />
      <ListTable<AuditEntry>
        key={path}
        name={isAll ? "audit-all" : "audit"}
        caption={w.caption}
        columns={useColumns(isAll)}
        keyOf={({ id }) => id}
        queryKey={[...auditOf(place), filters]}
        live={[]}
        load={(wish) =>
          listAudit(place, { ...wish, filters: [...filters, ...(wish.filters ?? [])] })
        }
        search={search}
        onSearch={setSearch}
        filterLabel={w.filter}
        filterOf={(value) => [{ field: "target", operator: "contains", value }]}
        onOpen={({ id }) => setSearch({ entry: id }, { isStep: true })}
        empty={
          hasFilters(search) ? (
            <EmptyState title={w.nothingTitle} text={w.nothingText} />
          ) : (
            <EmptyState
              icon={IconHistory}
              title={w.emptyTitle}
              text={w.emptyText}
              command={curlOf({ method: "GET", path })}
            />
          )
        }
      />
      <EntryDialog place={place} />
    </>
  );
}

/**
 * Rows that move while somebody reads them are a nuisance, and a busy tenant changes many times in a
 * second: the list says that there is more, and the person fetches it.
 */
function News({ place }: { place: Place }) {
  const w = useWords(words);
  const queries = useQueryClient();
  const [isThere, setThere] = useState(false);
  useLiveEvent(useCallback(() => setThere(true), []));
  if (!isThere) return undefined;
  const show = () => {
    setThere(false);
    void queries.invalidateQueries({ queryKey: auditOf(place) });
  };
  return (
    <div className={classes.news}>
      <Button
        variant="light"
        size="xs"
        radius="xl"
        leftSection={<IconRefresh size={16} />}
        onClick={show}
      >
        {w.newer}
      </Button>
    </div>
  );
}

function useColumns(isAll: boolean): readonly Column<AuditEntry>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(() => {
    const tenant: Column<AuditEntry> = {
      id: "tenant",
      title: w.tenant,
      width: "minmax(7rem, 0.8fr)",
      sortField: "tenantId",
      render: ({ tenantId }) => (
        <Text size="sm" c={tenantId === null ? "dimmed" : undefined}>
          {tenantId ?? w.installation}
        </Text>
      ),
    };
    return [
      {
        id: "operation",
        title: w.operation,
        width: "minmax(10rem, 1.2fr)",
        sortField: "op",
        render: ({ op }) => (
          <Text size="sm" fw={600} component="span">
            {op}
          </Text>
        ),
      },
      {
        id: "who",
        title: w.who,
        width: "minmax(11rem, 1.5fr)",
        sortField: "actorId",
        render: ({ actor }) => (
          <div>
            <Text size="sm">{actor.id === actor.kind ? w[actor.kind] : actor.id}</Text>
            {actor.id !== actor.kind && (
              <Text size="xs" c="dimmed">
                {w[actor.kind]}
              </Text>
            )}
          </div>
        ),
      },
      ...(isAll ? [tenant] : []),
      {
        id: "target",
        title: w.target,
        width: "minmax(10rem, 1.6fr)",
        sortField: "target",
        render: ({ target }) => <code className={classes.mono}>{target}</code>,
      },
      {
        id: "when",
        title: w.when,
        width: "minmax(8rem, 0.9fr)",
        sortField: "at",
        render: ({ at }) => (
          <Tooltip label={format.moment(at)}>
            <Text size="sm">{format.ago(at)}</Text>
          </Tooltip>
        ),
      },
      {
        id: "ip",
        title: w.ip,
        width: "minmax(7rem, 0.7fr)",
        isExtra: true,
        render: ({ ip }) => <Text size="sm">{ip === "" ? w.noIp : ip}</Text>,
      },
      {
        id: "request",
        title: w.requestId,
        width: "minmax(9rem, 1fr)",
        isExtra: true,
        render: ({ requestId }) => (
          <Group gap={4} wrap="nowrap">
            <code className={classes.mono}>{requestId}</code>
          </Group>
        ),
      },
    ];
  }, [w, isAll, format]);
}
