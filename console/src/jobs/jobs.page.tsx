import { Button, NativeSelect, Progress, Text, Tooltip } from "@mantine/core";
import { IconProgressCheck } from "@tabler/icons-react";
import { useMemo } from "react";
import { curlOf } from "../api/curl.ts";
import { PageLink, usePageSearch, useTenantId } from "../navigation.tsx";
import { pageById } from "../pages.ts";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { NothingFits } from "../parts/nothing-fits.tsx";
import { PageHead } from "../parts/page-head.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { JOB_LIST_EVENTS, type JobSummary, jobsOf, listJobs, STATES } from "./job.ts";
import { StateMark, useKindName } from "./marks.tsx";
import { OneJob } from "./one-job.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

export function Page() {
  const [search] = usePageSearch(page);
  return search.job === undefined ? <JobList /> : <OneJob key={search.job} jobId={search.job} />;
}

function JobList() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const path = `/api/${tenantId}/jobs`;
  const state = STATES.find((one) => one === search.state);
  const filters =
    state === undefined ? [] : [{ field: "state", operator: "equals", value: state } as const];
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <>
            <StateFilter
              value={state ?? ""}
              onChange={(value) => setSearch({ state: value === "" ? undefined : value })}
            />
            <CurlIcon method="GET" path={path} />
          </>
        }
      />
      <ListTable<JobSummary>
        name="jobs"
        caption={w.caption}
        columns={useColumns()}
        keyOf={({ id }) => id}
        queryKey={[...jobsOf(tenantId), "list", state]}
        live={JOB_LIST_EVENTS}
        load={(wish) =>
          listJobs(tenantId, { ...wish, filters: [...filters, ...(wish.filters ?? [])] })
        }
        search={search}
        onSearch={setSearch}
        filterLabel={w.filter}
        filterOf={(value) => [{ field: "kind", operator: "contains", value }]}
        onOpen={({ id }) => setSearch({ job: id }, { isStep: true })}
        empty={
          state === undefined ? (
            <Nothing />
          ) : (
            <NothingFits onClear={() => setSearch({ state: undefined })} />
          )
        }
      />
    </>
  );
}

function Nothing() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const passes = pageById("passes");
  return (
    <EmptyState
      icon={IconProgressCheck}
      title={w.emptyTitle}
      text={w.emptyText}
      action={
        passes && (
          <Button renderRoot={(props) => <PageLink page={passes} {...props} />}>
            {w.toPasses}
          </Button>
        )
      }
      command={curlOf({
        method: "PATCH",
        path: `/api/${tenantId}/passes`,
        body: {
          filter: [{ field: "passType", operator: "equals", value: "loyalty" }],
          additionalData: { tier: "Gold" },
        },
      })}
    />
  );
}

type FilterProps = { readonly value: string; readonly onChange: (value: string) => void };

function StateFilter({ value, onChange }: FilterProps) {
  const w = useWords(words);
  return (
    <NativeSelect
      aria-label={w.state}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: "", label: w.anyState },
        { value: "queued", label: w.queued },
        { value: "running", label: w.running },
        { value: "completed", label: w.completed },
        { value: "cancelled", label: w.cancelled },
        { value: "failed", label: w.failedState },
      ]}
    />
  );
}

function useColumns(): readonly Column<JobSummary>[] {
  const w = useWords(words);
  return useMemo(
    () => [
      {
        id: "kind",
        title: w.kind,
        width: "minmax(12rem, 1.6fr)",
        render: (job) => <Kind job={job} />,
      },
      {
        id: "state",
        title: w.state,
        width: "minmax(6rem, 0.6fr)",
        render: ({ state }) => <StateMark state={state} />,
      },
      {
        id: "progress",
        title: w.progress,
        width: "minmax(9rem, 1.2fr)",
        render: (job) => <Done job={job} />,
      },
      {
        id: "failed",
        title: w.failed,
        width: "minmax(5rem, 0.5fr)",
        render: ({ failed }) => <Failed count={failed} />,
      },
      {
        id: "created",
        title: w.created,
        width: "minmax(7rem, 0.8fr)",
        render: ({ createdAt }) => <Ago iso={createdAt} />,
      },
      {
        id: "createdBy",
        title: w.createdBy,
        width: "minmax(8rem, 1fr)",
        isExtra: true,
        render: ({ createdBy }) => <Text size="sm">{createdBy}</Text>,
      },
    ],
    [w],
  );
}

function Kind({ job }: { readonly job: JobSummary }) {
  const kindName = useKindName();
  return (
    <>
      <Text fw={600}>{kindName(job)}</Text>
      <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
        {job.request.changes.join(", ") || job.id}
      </Text>
    </>
  );
}

function Done({ job }: { readonly job: JobSummary }) {
  const w = useWords(words);
  const format = useFormat();
  return (
    <div style={{ width: "100%", maxWidth: "13rem" }}>
      <Progress value={job.progress * 100} aria-label={w.progress} size="sm" />
      <Text size="xs" c="dimmed" mt={4}>
        {format.number(job.processed)} / {format.number(job.matched)}
      </Text>
    </div>
  );
}

function Failed({ count }: { readonly count: number }) {
  const format = useFormat();
  return (
    <Text size="sm" c={count > 0 ? "red" : "dimmed"} fw={count > 0 ? 600 : 400}>
      {format.number(count)}
    </Text>
  );
}

function Ago({ iso }: { readonly iso: string }) {
  const format = useFormat();
  return (
    <Tooltip label={format.moment(iso)}>
      <Text size="sm">{format.ago(iso)}</Text>
    </Tooltip>
  );
}
