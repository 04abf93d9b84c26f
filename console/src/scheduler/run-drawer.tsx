import { Alert, Group, Loader, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { CopyIcon } from "../parts/copy.tsx";
import { DetailDrawer } from "../parts/detail-drawer.tsx";
import { DownloadButton } from "../parts/download-button.tsx";
import { Facts, Section } from "../parts/facts.tsx";
import { useFormat } from "../words/format.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { frenchCount } from "./french-counts.ts";
import { RunState, RunSummary, useKinds } from "./run-state.tsx";
import classes from "./scheduler.module.css";
import { type ExecutionDetail, getExecution, lengthOf, TASK_EVENTS, tasksOf } from "./task.ts";
import { words } from "./words.ts";

export function RunDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const tenantId = useTenantId();
  const [taskId = "", executionId = ""] = name.split("/");
  const { data: run, error } = useQuery({
    queryKey: [...tasksOf(tenantId), "run", taskId, executionId],
    queryFn: () => getExecution(tenantId, taskId, executionId),
    meta: { live: TASK_EVENTS },
  });
  return (
    <DetailDrawer title={taskId} isLoading={run === undefined} error={error} onClose={onClose}>
      {run !== undefined && <Content run={run} />}
    </DetailDrawer>
  );
}

function Content({ run }: { run: ExecutionDetail }) {
  const w = useWords(words);
  const kindOf = useKinds();
  const { problem, status } = run;
  return (
    <>
      <div>
        <Group gap="xs" role="status">
          <RunState run={run} />
          {status === "running" && <Loader size={16} />}
        </Group>
        <Text mt="xs">
          <RunSummary run={run} until={kindOf(run.kind)} />
        </Text>
      </div>
      {problem !== null && (
        <Alert color="red" title={w.problem}>
          <Text size="sm" lang="en">
            {problem.message}
          </Text>
          <code className={classes.mono}>{problem.code}</code>
        </Alert>
      )}
      <File run={run} />
      <RunFacts run={run} />
      <Counts run={run} />
      <Section title={w.log}>
        <Log run={run} />
      </Section>
    </>
  );
}

function File({ run: { file, taskId, executionId } }: { run: ExecutionDetail }) {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  if (file === null) return undefined;
  return (
    <Group justify="space-between">
      <Text fw={600}>{w.fileLine(file.name, format.number(file.rows))}</Text>
      <DownloadButton
        operation="execution.download"
        path={`/api/${tenantId}/scheduler/${taskId}/executions/${executionId}/file`}
        fileName={file.name}
      >
        {w.download}
      </DownloadButton>
    </Group>
  );
}

function RunFacts({ run }: { run: ExecutionDetail }) {
  const w = useWords(words);
  const format = useFormat();
  const moment = (iso: string | null) => (iso === null ? undefined : format.moment(iso));
  const triggers = { schedule: w.bySchedule, missed: w.byMissed, manual: w.byHand };
  const seconds = lengthOf(run);
  const settings = JSON.stringify(run.settings);
  return (
    <Facts
      facts={[
        [
          w.trigger,
          <Tooltip key="trigger" label={w.missedHint} disabled={run.trigger !== "missed"}>
            <span>{triggers[run.trigger]}</span>
          </Tooltip>,
        ],
        [w.by, run.trigger === "manual" ? run.createdBy : undefined],
        [w.scheduledFor, moment(run.scheduledFor)],
        [w.startedAt, moment(run.startedAt)],
        [w.finishedAt, moment(run.finishedAt)],
        [w.took, seconds === undefined ? undefined : w.seconds(format.number(seconds))],
        [w.attempts, run.attempts > 1 ? format.number(run.attempts) : undefined],
        [
          w.settings,
          settings === "{}" ? undefined : (
            <code key="settings" className={classes.mono}>
              {settings}
            </code>
          ),
        ],
        [
          w.executionId,
          <Group key="id" gap={4}>
            <code className={classes.mono}>{run.executionId}</code>
            <CopyIcon value={run.executionId} />
          </Group>,
        ],
      ]}
    />
  );
}

function Counts({ run: { kind, counts } }: { run: ExecutionDetail }) {
  const w = useWords(words);
  const isFrench = useLanguage() === "fr";
  const format = useFormat();
  const entries = Object.entries(counts);
  const nameOf = (name: string) => (isFrench ? frenchCount(kind, name) : undefined) ?? name;
  if (entries.length === 0) return undefined;
  return (
    <Section title={w.counts}>
      <Facts facts={entries.map(([name, count]) => [nameOf(name), format.number(count)])} />
    </Section>
  );
}

function Log({ run: { logs } }: { run: ExecutionDetail }) {
  const w = useWords(words);
  const format = useFormat();
  if (logs.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {w.noLog}
      </Text>
    );
  }
  return (
    // Long logs scroll, and whoever uses the keyboard must be able to scroll them, too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls.
    <ol className={classes.log} tabIndex={0} aria-label={w.log}>
      {logs.map(({ time, level, message, data }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a log have no name and keep their place.
        <li key={at} data-level={level}>
          <time dateTime={time}>{format.moment(time)}</time>{" "}
          {level === "info" ? "" : `${w[level]} `}
          <span lang="en">
            {message} {data === null ? "" : JSON.stringify(data)}
          </span>
        </li>
      ))}
    </ol>
  );
}
