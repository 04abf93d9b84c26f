import { Anchor, Button, Progress, Skeleton, Table, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLiveStatus } from "../live/live.ts";
import { PageLink, usePageSearch, useTenantId } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { confirm } from "../parts/confirm.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { Facts } from "../parts/facts.tsx";
import { PageHead } from "../parts/page-head.tsx";
import partClasses from "../parts/parts.module.css";
import { ScopedButton } from "../parts/scoped.tsx";
import { ScrollRegion } from "../parts/scroll-region.tsx";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { cancelJob, getJob, isOpen, JOB_EVENTS, type Job, jobsOf } from "./job.ts";
import classes from "./jobs.module.css";
import { StateMark, useKindName } from "./marks.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

/** One job as it goes on. Events say when to look; nobody asks in between. */
export function OneJob({ jobId }: { readonly jobId: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const kindName = useKindName();
  const queries = useQueryClient();
  const isLive = useLiveStatus() !== "off";
  const queryKey = [...jobsOf(tenantId), "one", jobId];
  const {
    data: job,
    error,
    refetch,
  } = useQuery({
    queryKey,
    queryFn: () => getJob(tenantId, jobId),
    meta: { live: JOB_EVENTS },
  });
  const stop = () =>
    confirm({
      title: w.cancelTitle,
      text: w.cancelText,
      verb: w.cancel,
      isHarmful: true,
      act: async () => {
        queries.setQueryData(queryKey, await cancelJob(tenantId, jobId));
        toast({ message: w.stopped });
      },
    });
  const isGoingOn = job !== undefined && isOpen(job);
  return (
    <>
      <Anchor component="button" size="sm" mb="xs" onClick={() => setSearch({ job: undefined })}>
        <IconArrowLeft size={14} aria-hidden /> {w.all}
      </Anchor>
      <PageHead
        page={page}
        title={job === undefined ? jobId : kindName(job)}
        actions={
          <>
            <CurlIcon method="GET" path={`/api/${tenantId}/jobs/${jobId}`} />
            {isGoingOn && (!isLive || job.kind.startsWith("webhook.")) && (
              <Button
                variant="default"
                leftSection={<IconRefresh size={16} />}
                onClick={() => void refetch()}
              >
                {w.look}
              </Button>
            )}
            {isGoingOn && (
              <ScopedButton
                operation="job.cancel"
                color="red"
                variant="light"
                leftSection={<IconPlayerStop size={16} />}
                onClick={stop}
              >
                {w.cancel}
              </ScopedButton>
            )}
          </>
        }
      />
      {error !== null && <ErrorDisplay error={error} onRetry={() => void refetch()} />}
      {job === undefined && error === null && <Skeleton h={280} radius="lg" />}
      {job !== undefined && <JobBody job={job} isLive={isLive} />}
    </>
  );
}

function JobBody({ job, isLive }: { readonly job: Job; readonly isLive: boolean }) {
  const w = useWords(words);
  return (
    <div className={classes.columns}>
      <div>
        <ProgressPanel job={job} />
        {!isLive && isOpen(job) && (
          <Text size="sm" c="dimmed" mt="xs">
            {w.notLive}
          </Text>
        )}
        <Counts job={job} />
        <Failures job={job} />
      </div>
      <RequestFacts job={job} />
    </div>
  );
}

function ProgressPanel({ job }: { readonly job: Job }) {
  const w = useWords(words);
  const format = useFormat();
  const told = [
    job.ratePerSecond === null ? undefined : w.rate(format.number(job.ratePerSecond)),
    isOpen(job) && job.remainingSeconds !== null
      ? w.remaining(durationOf(job.remainingSeconds, w))
      : undefined,
  ].filter((part) => part !== undefined);
  return (
    <div className={classes.panel}>
      <div className={classes.progressHead}>
        <span className={classes.percent} role="status">
          {format.percent(job.progress)}
        </span>
        <StateMark state={job.state} />
      </div>
      <Progress.Root size="lg" aria-label={w.progress}>
        <Part count={job.updated} of={job.matched} color="teal" label={w.updated} />
        <Part count={job.unchanged} of={job.matched} color="gray" label={w.unchanged} />
        <Part count={job.failed} of={job.matched} color="red" label={w.failed} />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt="xs">
        {told.join(" · ")}
      </Text>
    </div>
  );
}

type PartProps = {
  readonly count: number;
  readonly of: number;
  readonly color: string;
  readonly label: string;
};

function Part({ count, of, color, label }: PartProps) {
  if (count === 0 || of === 0) return undefined;
  return <Progress.Section value={(count / of) * 100} color={color} aria-label={label} />;
}

const MINUTE_S = 60;
const LONG_S = 90;

function durationOf(
  seconds: number,
  w: { seconds: (count: number) => string; minutes: (count: number) => string },
): string {
  return seconds < LONG_S ? w.seconds(seconds) : w.minutes(Math.round(seconds / MINUTE_S));
}

function Counts({ job }: { readonly job: Job }) {
  const w = useWords(words);
  const format = useFormat();
  const counts = [
    [w.matched, job.matched],
    [w.processed, job.processed],
    [w.updated, job.updated],
    [w.unchanged, job.unchanged],
    [w.failed, job.failed],
  ] as const;
  return (
    <dl className={classes.counts}>
      {counts.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-bad={(name === w.failed && count > 0) || undefined}>{format.number(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Failures({ job: { failures } }: { readonly job: Job }) {
  const w = useWords(words);
  const passPage = pageById("pass");
  if (failures.length === 0) return undefined;
  return (
    <section className={classes.panel} aria-label={w.failures}>
      <Title order={2} size="h3">
        {w.failures}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {w.failuresLead}
      </Text>
      <ScrollRegion label={w.failures}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{w.subject}</Table.Th>
              <Table.Th>{w.code}</Table.Th>
              <Table.Th>{w.reason}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {failures.map(({ subject, code, message }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a subject can fail more than once, and the list only grows.
              <Table.Tr key={`${subject} ${at}`}>
                <Table.Td>
                  {passPage !== undefined && subject.startsWith("ps_") ? (
                    <PageLink
                      page={passPage}
                      search={{ passId: subject } as Search}
                      className={partClasses.mono}
                    >
                      {subject}
                    </PageLink>
                  ) : (
                    <code className={partClasses.mono}>{subject}</code>
                  )}
                </Table.Td>
                <Table.Td>
                  <code className={partClasses.mono}>{code}</code>
                </Table.Td>
                <Table.Td>{message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </section>
  );
}

function RequestFacts({ job }: { readonly job: Job }) {
  const w = useWords(words);
  const format = useFormat();
  const { request } = job;
  const ways: Readonly<Record<string, string>> = {
    passIds: w.byPassIds,
    passId: w.byPassId,
    filter: w.byFilter,
    identifiers: w.byIdentifiers,
    updates: w.byUpdates,
  };
  const options = Object.entries(request.options)
    .filter(([, isOn]) => isOn)
    .map(([name]) => name);
  return (
    <section aria-label={w.request}>
      <Title order={2} size="h3" mb="sm">
        {w.request}
      </Title>
      <Facts
        facts={[
          [
            w.jobId,
            <code key="id" className={partClasses.mono}>
              {job.id}
            </code>,
          ],
          [w.selection, ways[request.selection] ?? request.selection],
          [w.changes, request.changes.length === 0 ? undefined : request.changes.join(", ")],
          [w.options, options.length === 0 ? undefined : options.join(", ")],
          [w.createdBy, job.createdBy],
          [w.created, format.moment(job.createdAt)],
          [w.startedAt, job.startedAt === null ? undefined : format.moment(job.startedAt)],
          [w.finishedAt, job.finishedAt === null ? undefined : format.moment(job.finishedAt)],
        ]}
      />
    </section>
  );
}
