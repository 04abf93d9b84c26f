import { Alert, Button, Group, Progress, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { usePageSearch, useTenantId } from "../../navigation.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { useApiForm } from "../../parts/form/api-form.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { useLookAgain } from "../../parts/look-again.ts";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import { useHealth } from "../health.tsx";
import { page } from "../page.ts";
import { type Job, nameOf, type Webhook, webhooksOf } from "../webhook.ts";
import { useSwitch } from "../webhook-menu.tsx";
import classes from "../webhooks.module.css";
import { words as webhookWords } from "../words.ts";
import { deliveriesOf, getJob, PERIODS, recover } from "./delivery.ts";
import { words } from "./words.ts";

type Props = { readonly webhook: Webhook; readonly onClose: () => void };

/** Since when, and then how far it is. The job stands in the address, so one can come back to it. */
export function RecoverDialog({ webhook, onClose }: Props) {
  const w = useWords(words);
  const [{ job }, setSearch] = usePageSearch(page);
  return (
    <FormDialog
      operation="webhook.recover"
      opened
      onClose={onClose}
      title={w.recoverTitle(nameOf(webhook))}
      size="lg"
    >
      {job === undefined ? (
        <Since webhook={webhook} onStarted={(jobId) => setSearch({ job: jobId })} />
      ) : (
        <Running jobId={job} onClose={onClose} />
      )}
    </FormDialog>
  );
}

/** As a field of the browser holds it: the time of the clock where the person is. */
function localTime(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

function Since({ webhook, onStarted }: { webhook: Webhook; onStarted: (jobId: string) => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data: health } = useHealth(webhook.id);
  const form = useApiForm<{ since: string }>({
    initialValues: { since: localTime(Date.now() - PERIODS.day) },
    send: async ({ since }) => {
      const moment = since === "" ? "" : new Date(since).toISOString();
      onStarted((await recover(tenantId, webhook.id, moment)).jobId);
    },
  });
  const failingSince = health?.failingSince ?? undefined;
  const choices = [
    ...(failingSince === undefined
      ? []
      : [{ label: w.sinceFailing, at: () => Date.parse(failingSince) - 60_000 }]),
    { label: w.hour, at: () => Date.now() - PERIODS.hour },
    { label: w.day, at: () => Date.now() - PERIODS.day },
    { label: w.week, at: () => Date.now() - PERIODS.week },
  ];
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <Text>{w.recoverLead}</Text>
        <IsOff webhook={webhook} />
        <TextInput type="datetime-local" label={w.since} required {...form.field("since")} />
        <Group gap={6}>
          {choices.map(({ label, at }) => (
            <Button
              key={label}
              size="compact-sm"
              variant="default"
              radius="xl"
              onClick={() => form.setValues({ since: localTime(at()) })}
            >
              {label}
            </Button>
          ))}
        </Group>
        <ErrorDisplay error={form.problem} />
        <Group justify="flex-end">
          <Button type="submit" loading={form.isSending} data-autofocus>
            {w.recoverStart}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function IsOff({ webhook }: { webhook: Webhook }) {
  const w = useWords(words);
  const hookWords = useWords(webhookWords);
  const flip = useSwitch();
  if (webhook.enabled) return undefined;
  return (
    <Alert color="yellow">
      <Group justify="space-between">
        <Text size="sm">{w.isOff}</Text>
        <Button size="compact-sm" variant="default" onClick={() => void flip(webhook)}>
          {hookWords.turnOn}
        </Button>
      </Group>
    </Alert>
  );
}

const hasEnded = ({ state }: Job): boolean => state !== "queued" && state !== "running";

function Running({ jobId, onClose }: Pick<Props, "onClose"> & { jobId: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const {
    data: job,
    error,
    refetch,
  } = useQuery({
    queryKey: [...webhooksOf(tenantId), "job", jobId],
    queryFn: () => getJob(tenantId, jobId),
    staleTime: 0,
  });
  const note = useLookAgain(() => void refetch());
  const isOver = job !== undefined && hasEnded(job);
  useEffect(() => {
    if (job === undefined) return;
    note({ at: hasEnded(job) ? undefined : 0, mark: `${job.state}${job.processed}` });
  }, [job, note]);
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: deliveriesOf(tenantId) });
  }, [isOver, queries, tenantId]);
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void refetch()} />;
  if (job === undefined) return undefined;
  return (
    <Stack>
      <JobProgress job={job} />
      <Group justify="flex-end">
        <Button variant={isOver ? "filled" : "default"} onClick={onClose}>
          {isOver ? w.seeWaiting : w.close}
        </Button>
      </Group>
    </Stack>
  );
}

function JobProgress({ job }: { job: Job }) {
  const w = useWords(words);
  const format = useFormat();
  const states: Readonly<Record<Job["state"], string>> = {
    queued: w.jobQueued,
    running: w.jobRunning,
    completed: w.jobCompleted,
    cancelled: w.jobCancelled,
    failed: w.jobFailed,
  };
  const counts = [
    [w.looked, job.processed],
    [w.owed, job.updated],
    [w.leftAlone, job.unchanged],
  ] as const;
  const share = job.state === "completed" ? 1 : job.progress;
  return (
    <>
      <Group justify="space-between">
        <Text fw={600} role="status">
          {states[job.state]}
        </Text>
        <Text c="dimmed" size="sm">
          {format.percent(share)}
          {job.ratePerSecond !== null &&
            ` · ${w.rate(format.number(Math.round(job.ratePerSecond)))}`}
        </Text>
      </Group>
      <Progress
        value={share * 100}
        color={job.state === "failed" ? "red" : undefined}
        animated={!hasEnded(job)}
        aria-label={states[job.state]}
      />
      <dl className={classes.facts}>
        {counts.map(([label, count]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{format.number(count)}</dd>
          </div>
        ))}
      </dl>
      {job.failures.map(({ subject, message }) => (
        <Alert key={subject} color="red" variant="light">
          {message}
        </Alert>
      ))}
    </>
  );
}
