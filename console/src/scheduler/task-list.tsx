import { Anchor, Badge, Group, Text, Tooltip } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { page } from "./page.ts";
import { RunState, useKinds } from "./run-state.tsx";
import classes from "./scheduler.module.css";
import { runName, runTask, type Task, tasksOf } from "./task.ts";
import { words } from "./words.ts";

export function TaskList({ tasks }: { tasks: readonly Task[] }) {
  const w = useWords(words);
  return (
    <ul className={classes.tasks} aria-label={w.tasks}>
      {tasks.map((task) => (
        <TaskLine key={task.taskId} task={task} />
      ))}
    </ul>
  );
}

function TaskLine({ task }: { task: Task }) {
  const w = useWords(words);
  const kindOf = useKinds();
  const [, setSearch] = usePageSearch(page);
  const { taskId, kind, cron, timeZone } = task;
  return (
    <li className={classes.task}>
      <div>
        <Anchor
          component="button"
          className={classes.name}
          aria-label={w.runsOf(taskId)}
          onClick={() => setSearch({ task: taskId }, { isStep: true })}
        >
          {taskId}
        </Anchor>
        <span className={classes.quiet}>{kindOf(kind)}</span>
      </div>
      <div>
        <Text size="xs" c="dimmed">
          {w.schedule}
        </Text>
        <code className={classes.mono}>{cron}</code>
        <span className={classes.quiet}>{timeZone}</span>
      </div>
      <div>
        <Text size="xs" c="dimmed">
          {w.nextRun}
        </Text>
        <NextRun task={task} />
      </div>
      <div>
        <Text size="xs" c="dimmed">
          {w.lastRun}
        </Text>
        <LastRun task={task} />
      </div>
      <RunNow task={task} />
    </li>
  );
}

function NextRun({ task: { enabled, nextRunAt } }: { task: Task }) {
  const w = useWords(words);
  const format = useFormat();
  if (!enabled || nextRunAt === null) {
    return (
      <Tooltip label={w.offHint}>
        <Badge color="gray" variant="light" tt="none">
          {w.off}
        </Badge>
      </Tooltip>
    );
  }
  return (
    <>
      <Text size="sm">{format.ago(nextRunAt)}</Text>
      <span className={classes.quiet}>{format.moment(nextRunAt)}</span>
    </>
  );
}

function LastRun({ task: { lastExecution } }: { task: Task }) {
  const w = useWords(words);
  const format = useFormat();
  const [, setSearch] = usePageSearch(page);
  if (lastExecution === null) {
    return (
      <Text size="sm" c="dimmed">
        {w.neverRun}
      </Text>
    );
  }
  const at = lastExecution.finishedAt ?? lastExecution.startedAt;
  return (
    <Group gap={8}>
      <RunState run={lastExecution} />
      <Anchor
        component="button"
        size="sm"
        onClick={() => setSearch({ run: runName(lastExecution) }, { isStep: true })}
      >
        {at === null ? w.openRun : format.ago(at)}
      </Anchor>
    </Group>
  );
}

function RunNow({ task: { taskId, lastExecution } }: { task: Task }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  const [isStarting, setStarting] = useState(false);
  const start = async () => {
    setStarting(true);
    try {
      const run = await runTask(tenantId, taskId);
      setSearch({ run: runName(run) }, { isStep: true });
      toast({ message: w.started(taskId) });
    } catch (error) {
      toastProblem(error);
    } finally {
      setStarting(false);
      await queries.invalidateQueries({ queryKey: tasksOf(tenantId) });
    }
  };
  return (
    <ScopedButton
      operation="task.run"
      variant="default"
      size="xs"
      loading={isStarting}
      disabled={lastExecution?.status === "running"}
      leftSection={<IconPlayerPlay size={14} stroke={1.6} />}
      onClick={() => void start()}
    >
      {w.runNow}
    </ScopedButton>
  );
}
