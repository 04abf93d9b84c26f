import { Select, Skeleton, Text, Title, Tooltip } from "@mantine/core";
import { IconCalendarClock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { NothingFits } from "../parts/nothing-fits.tsx";
import { PageHead } from "../parts/page-head.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { page } from "./page.ts";
import { RunDrawer } from "./run-drawer.tsx";
import { RunState, RunSummary } from "./run-state.tsx";
import classes from "./scheduler.module.css";
import {
  type Execution,
  lengthOf,
  listExecutions,
  listTasks,
  runName,
  TASK_EVENTS,
  type Task,
  tasksOf,
} from "./task.ts";
import { TaskList } from "./task-list.tsx";
import { words } from "./words.ts";

const EXAMPLE = `# server/schedule.yml
tasks:
  - id: nightly-export
    kind: export
    cron: "30 4 * * *"          # each night at half past four
    settings: { status: active }`;
/** A publication may change the tasks. */
const LIVE = [...TASK_EVENTS, "configuration."];

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const { data: tasks, error } = useQuery({
    queryKey: [...tasksOf(tenantId), "list"],
    queryFn: () => listTasks(tenantId),
    meta: { live: LIVE },
  });
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={<CurlIcon method="GET" path={`/api/${tenantId}/scheduler`} />}
      />
      <ErrorDisplay error={error} />
      {tasks === undefined && error === null && <Skeleton h={200} radius="lg" />}
      {tasks?.length === 0 && (
        <EmptyState
          icon={IconCalendarClock}
          title={w.emptyTitle}
          text={w.emptyText}
          command={EXAMPLE}
        />
      )}
      {tasks !== undefined && tasks.length > 0 && (
        <>
          <TaskList tasks={tasks} />
          <Title order={2} mt="xl" mb="sm">
            {w.runs}
          </Title>
          <Runs tasks={tasks} />
        </>
      )}
      {search.run !== undefined && (
        <RunDrawer
          key={search.run}
          name={search.run}
          onClose={() => setSearch({ run: undefined })}
        />
      )}
    </>
  );
}

function Runs({ tasks }: { tasks: readonly Task[] }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const { task, status } = search;
  const chosen = { taskId: task, status };
  const filters = Object.entries(chosen).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, operator: "equals" as const, value }],
  );
  return (
    <>
      <div className={classes.filters}>
        <Select
          aria-label={w.task}
          placeholder={w.anyTask}
          clearable
          data={tasks.map(({ taskId }) => taskId)}
          value={task ?? null}
          onChange={(value) => setSearch({ task: value ?? undefined }, { isStep: true })}
        />
        <Select
          aria-label={w.status}
          placeholder={w.anyStatus}
          clearable
          data={[
            { value: "running", label: w.running },
            { value: "succeeded", label: w.succeeded },
            { value: "failed", label: w.failed },
          ]}
          value={status ?? null}
          onChange={(value) => setSearch({ status: value ?? undefined }, { isStep: true })}
        />
      </div>
      <ListTable<Execution>
        name="executions"
        caption={w.runsCaption}
        columns={useColumns()}
        keyOf={({ executionId }) => executionId}
        queryKey={[...tasksOf(tenantId), "runs", task, status]}
        live={TASK_EVENTS}
        load={(wish) =>
          listExecutions(tenantId, { ...wish, filters: [...filters, ...(wish.filters ?? [])] })
        }
        search={search}
        onSearch={setSearch}
        filterLabel={w.filter}
        filterOf={(value) => [{ field: "taskId", operator: "contains", value }]}
        onOpen={(run) => setSearch({ run: runName(run) }, { isStep: true })}
        empty={
          filters.length === 0 ? (
            <EmptyState title={w.noRuns} text={w.noRunsText} />
          ) : (
            <NothingFits
              onClear={() => setSearch({ task: undefined, status: undefined }, { isStep: true })}
            />
          )
        }
      />
    </>
  );
}

function useColumns(): readonly Column<Execution>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(() => {
    const triggers = { schedule: w.bySchedule, missed: w.byMissed, manual: w.byHand };
    return [
      {
        id: "task",
        title: w.task,
        width: "minmax(10rem, 1fr)",
        render: ({ taskId }) => <span className={classes.name}>{taskId}</span>,
      },
      {
        id: "status",
        title: w.status,
        width: "minmax(7rem, 0.6fr)",
        render: (run) => <RunState run={run} />,
      },
      {
        id: "summary",
        title: w.summary,
        width: "minmax(14rem, 2fr)",
        render: (run) => (
          <Text size="sm">
            <RunSummary run={run} until="—" />
          </Text>
        ),
      },
      {
        id: "trigger",
        title: w.trigger,
        width: "minmax(8rem, 0.8fr)",
        render: ({ trigger }) => <Text size="sm">{triggers[trigger]}</Text>,
      },
      {
        id: "took",
        title: w.took,
        width: "minmax(5rem, 0.5fr)",
        render: (run) => {
          const seconds = lengthOf(run);
          return (
            <Text size="sm">{seconds === undefined ? "—" : w.seconds(format.number(seconds))}</Text>
          );
        },
      },
      {
        id: "when",
        title: w.when,
        width: "minmax(8rem, 0.8fr)",
        render: ({ startedAt, scheduledFor }) => {
          const at = startedAt ?? scheduledFor;
          if (at === null) return "—";
          return (
            <Tooltip label={format.moment(at)}>
              <Text size="sm" w="fit-content">
                {format.ago(at)}
              </Text>
            </Tooltip>
          );
        },
      },
    ];
  }, [w, format]);
}
