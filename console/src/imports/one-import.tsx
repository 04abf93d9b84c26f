import {
  Alert,
  Anchor,
  Button,
  Group,
  Progress,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { IconArrowLeft, IconCopyCheck, IconPlayerStop, IconX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { CopyIcon, CurlIcon } from "../parts/copy.tsx";
import { DownloadButton } from "../parts/download-button.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  cancelImport,
  getImport,
  IMPORT_EVENTS,
  type Import,
  importsOf,
  isOpen,
  ROW_EVENTS,
} from "./import.ts";
import { StateBadge, useSize } from "./import-state.tsx";
import classes from "./imports.module.css";
import { OutcomeNumbers, OutcomeRows } from "./outcomes.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

const LIST = { import: undefined, outcome: undefined, row: undefined };

/** One import: how far it has come, what became of its rows, and what to do about those that failed. */
export function OneImport({ importId }: { importId: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const queryKey = [...importsOf(tenantId), "one", importId];
  const known = useQueryClient().getQueryData<Import>(queryKey);
  const isOver = known !== undefined && !isOpen(known);
  const { data: file, error } = useQuery({
    queryKey,
    queryFn: () => getImport(tenantId, importId),
    // What is over does not change with every pass.
    meta: { live: isOver ? IMPORT_EVENTS : ROW_EVENTS },
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
  return (
    <Stack gap="lg">
      <Anchor
        component="button"
        ta="start"
        w="fit-content"
        onClick={() => setSearch(LIST, { isStep: true })}
      >
        <Group gap={6} component="span">
          <IconArrowLeft size={16} aria-hidden /> {w.back}
        </Group>
      </Anchor>
      <ErrorDisplay error={error} />
      {file === undefined && error === null && <Skeleton h={220} radius="lg" />}
      {file !== undefined && <Content file={file} />}
    </Stack>
  );
}

function Content({ file }: { file: Import }) {
  const tenantId = useTenantId();
  const path = `/api/${tenantId}/admin/imports/${file.importId}`;
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="sm">
            <Title order={2}>{file.fileName}</Title>
            <StateBadge file={file} />
          </Group>
          <Record file={file} />
        </div>
        <Group gap="xs">
          <CurlIcon method="GET" path={path} />
          <Downloads file={file} path={path} />
          <Cancel file={file} />
        </Group>
      </Group>
      <Running file={file} />
      <Notes file={file} />
      <OutcomeNumbers file={file} />
      <OutcomeRows file={file} />
    </>
  );
}

function Running({ file }: { file: Import }) {
  const w = useWords(words);
  const format = useFormat();
  if (!isOpen(file)) return undefined;
  const { status, progress, ratePerSecond, remainingSeconds } = file;
  const told = [
    ratePerSecond === null ? undefined : w.rate(format.number(Math.round(ratePerSecond))),
    remainingSeconds === null ? undefined : w.remaining(duration(remainingSeconds)),
  ].filter((part) => part !== undefined);
  return (
    <div className={classes.panel} role="status">
      <Progress value={progress * 100} size="lg" animated aria-label={w.progress} />
      <Group justify="space-between" mt="xs">
        <Text size="sm">{format.percent(progress)}</Text>
        <Text size="sm" c="dimmed">
          {status === "running" ? told.join(" · ") : w.waiting}
        </Text>
      </Group>
    </div>
  );
}

/** `3:05` */
const duration = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")}`;

/** What one has to know or do next, in sentences. */
function Notes({ file }: { file: Import }) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const { duplicateOf, problem, status, dryRun, failed } = file;
  if (duplicateOf !== null) {
    return (
      <Alert color="yellow" title={w.duplicate} icon={<IconCopyCheck size={20} stroke={1.6} />}>
        <Text size="sm">{problem}</Text>
        <Anchor
          size="sm"
          component="button"
          onClick={() => setSearch({ import: duplicateOf }, { isStep: true })}
        >
          {w.openDuplicate}
        </Anchor>
      </Alert>
    );
  }
  if (status === "error") {
    return (
      <Alert color="red" title={w.stopped} icon={<IconX size={20} stroke={1.6} />}>
        <Text size="sm">{problem}</Text>
      </Alert>
    );
  }
  if (status !== "processed") return undefined;
  if (dryRun) {
    return (
      <Alert color="blue" title={w.dryRun}>
        <Group justify="space-between">
          <Text size="sm">{w.forRealHint}</Text>
          <Button size="xs" onClick={() => setSearch({ ...LIST, new: "yes" }, { isStep: true })}>
            {w.forReal}
          </Button>
        </Group>
      </Alert>
    );
  }
  if (failed > 0) return <Alert color="orange">{w.again}</Alert>;
  return undefined;
}

function Downloads({ file, path }: { file: Import; path: string }) {
  const w = useWords(words);
  const { rows, failed, fileName } = file;
  return (
    <>
      {rows > 0 && (
        <DownloadButton
          operation="import.list-outcomes"
          path={`${path}/log`}
          accept="text/csv"
          fileName={`log-${fileName}`}
        >
          {w.log}
        </DownloadButton>
      )}
      {failed > 0 && (
        <DownloadButton
          operation="import.export-failed-rows"
          path={`${path}/failed-rows`}
          fileName={`failed-${fileName}`}
        >
          {w.failedRows}
        </DownloadButton>
      )}
    </>
  );
}

function Cancel({ file }: { file: Import }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  if (!isOpen(file)) return undefined;
  const { fileName, importId, status } = file;
  const isRunning = status === "running";
  const ask = () =>
    confirm({
      title: w.cancelTitle(fileName),
      text: isRunning ? w.cancelRunning : w.cancelWaiting,
      verb: w.cancel,
      isHarmful: true,
      act: async () => {
        await cancelImport(tenantId, importId);
        // A file that had not been begun is gone.
        if (!isRunning) setSearch(LIST);
        await queries.invalidateQueries({ queryKey: importsOf(tenantId) });
        toast({ message: w.cancelled(fileName) });
      },
    });
  return (
    <ScopedButton
      operation="import.cancel"
      variant="light"
      color="red"
      leftSection={<IconPlayerStop size={16} stroke={1.6} />}
      onClick={ask}
    >
      {w.cancel}
    </ScopedButton>
  );
}

/** Where the file came from, in one line: below it there may be a million rows. */
function Record({ file }: { file: Import }) {
  const w = useWords(words);
  const format = useFormat();
  const sizeOf = useSize();
  const sources = { sftp: w.sourceSftp, http: w.sourceHttp, task: w.sourceTask };
  const told = [
    sources[file.source],
    sizeOf(file.size),
    `${w.createdBy} ${file.createdBy}`,
    format.moment(file.receivedAt),
  ];
  return (
    <Group gap={4}>
      <Text size="sm" c="dimmed">
        {told.join(" · ")} · <code className={classes.mono}>{file.importId}</code>
      </Text>
      <CopyIcon value={file.importId} />
    </Group>
  );
}
