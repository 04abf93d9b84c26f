import { Alert, Badge, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconFolderOff, IconFolderOpen } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { Facts } from "../parts/facts.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { getDrop, importsOf, listDropFiles, type SftpFile, type SftpStatus } from "./import.ts";
import { StateBadge, useSize } from "./import-state.tsx";
import classes from "./imports.module.css";
import { page } from "./page.ts";
import { words } from "./words.ts";

const LIVE = ["import.", "configuration.", "secret."];
const OPENING = `sftp:
  enabled: true
  keys:                                # optional
    - ssh-ed25519 AAAAC3Nz… till@example`;

/** The file drop: how to reach it and what is in it, or how it is opened. */
export function Drop() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data: drop, error } = useQuery({
    queryKey: [...importsOf(tenantId), "drop"],
    queryFn: () => getDrop(tenantId),
    meta: { live: LIVE },
  });
  if (error !== null) return <ErrorDisplay error={error} />;
  if (drop === undefined) return <Skeleton h={240} radius="lg" />;
  if (!drop.sftpEnabled) {
    return (
      <Stack>
        <EmptyState icon={IconFolderOff} title={w.dropOff} text={w.dropOffText} command={OPENING} />
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <Text c="dimmed">{w.dropLead}</Text>
      <div className={classes.pair}>
        <Connection drop={drop} />
        <Folders drop={drop} />
      </div>
      <Title order={2}>{w.dropFiles}</Title>
      <Files />
    </Stack>
  );
}

function Connection({ drop }: { drop: SftpStatus }) {
  const w = useWords(words);
  const { host, port, username, passwordSet, keys, fingerprint, hostKeys } = drop;
  const ways = [passwordSet ? w.password : undefined, keys > 0 ? w.keys(keys) : undefined];
  const known = ways.filter((way) => way !== undefined);
  return (
    <section className={classes.panel}>
      <Stack>
        <Group justify="space-between">
          <Title order={2}>{w.connect}</Title>
          <Badge color="teal" variant="light" tt="none">
            {w.dropOn}
          </Badge>
        </Group>
        <CodeBlock code={`sftp -P ${port} ${username}@${host}`} label={w.connect} />
        {known.length === 0 && <Alert color="yellow">{w.noSignIn}</Alert>}
        <Facts
          facts={[
            [w.address, `${host}:${port}`],
            [w.user, username],
            [w.signIn, known.length === 0 ? undefined : known.join(", ")],
            [
              w.fingerprint,
              <code key="print" className={classes.mono}>
                {fingerprint}
              </code>,
            ],
          ]}
        />
        <div>
          <Text size="sm" fw={600} mb={6}>
            {w.hostKeys}
          </Text>
          <CodeBlock
            code={hostKeys.map((key) => `[${host}]:${port} ${key}`).join("\n")}
            label={w.hostKeys}
          />
        </div>
      </Stack>
    </section>
  );
}

function Folders({ drop }: { drop: SftpStatus }) {
  const w = useWords(words);
  const format = useFormat();
  const { uploading, pending, processed, error, lastActivityAt } = drop;
  const folders = [
    { name: "/inbox", text: w.inbox, count: uploading + pending },
    { name: "/processed", text: w.processedFolder, count: processed },
    { name: "/error", text: w.errorFolder, count: error },
  ];
  return (
    <section className={classes.panel}>
      <Stack>
        <Title order={2}>{w.folders}</Title>
        {folders.map(({ name, text, count }) => (
          <Group key={name} wrap="nowrap" align="flex-start">
            <IconFolderOpen size={22} stroke={1.5} aria-hidden />
            <div style={{ flex: 1 }}>
              <code className={classes.mono}>{name}</code>
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            </div>
            <span
              className={classes.value}
              data-bad={(name === "/error" && count > 0) || undefined}
            >
              {format.number(count)}
            </span>
          </Group>
        ))}
        <Text size="sm" c="dimmed">
          {w.lastActivity}: {lastActivityAt === null ? w.never : format.ago(lastActivityAt)}
        </Text>
      </Stack>
    </section>
  );
}

function Files() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  return (
    <ListTable<SftpFile>
      name="drop-files"
      caption={w.dropFiles}
      columns={useColumns()}
      keyOf={({ importId }) => importId}
      queryKey={[...importsOf(tenantId), "drop files"]}
      live={LIVE}
      load={(wish) => listDropFiles(tenantId, wish)}
      search={search}
      onSearch={setSearch}
      filterLabel={w.dropFilter}
      filterOf={(value) => [{ field: "fileName", operator: "contains", value }]}
      onOpen={({ importId }) => setSearch({ import: importId }, { isStep: true })}
      empty={<EmptyState title={w.noDropFiles} text={w.noDropFilesText} />}
    />
  );
}

function useColumns(): readonly Column<SftpFile>[] {
  const w = useWords(words);
  const format = useFormat();
  const sizeOf = useSize();
  return useMemo(
    () => [
      {
        id: "file",
        title: w.file,
        width: "minmax(12rem, 2fr)",
        sortField: "fileName",
        render: ({ fileName }) => <span className={classes.name}>{fileName}</span>,
      },
      {
        id: "status",
        title: w.status,
        width: "minmax(9rem, 1fr)",
        sortField: "status",
        render: (file) => <StateBadge file={file} />,
      },
      {
        id: "rows",
        title: w.rows,
        width: "minmax(9rem, 1fr)",
        sortField: "rows",
        render: ({ rows, failed }) => (
          <Text size="sm">
            {failed > 0
              ? w.counted(format.number(rows), format.number(failed))
              : w.countedFine(format.number(rows))}
          </Text>
        ),
      },
      {
        id: "size",
        title: w.size,
        width: "minmax(6rem, 0.7fr)",
        sortField: "size",
        render: ({ size }) => <Text size="sm">{sizeOf(size)}</Text>,
      },
      {
        id: "received",
        title: w.received,
        width: "minmax(8rem, 1fr)",
        sortField: "receivedAt",
        render: ({ receivedAt }) => <Text size="sm">{format.ago(receivedAt)}</Text>,
      },
    ],
    [w, format, sizeOf],
  );
}
