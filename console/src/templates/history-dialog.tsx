import { Badge, Button, Group, Loader, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useToastLink } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { Compared, changesBetween } from "./changes-dialog.tsx";
import {
  CONFIGURATION_EVENTS,
  configurationKey,
  getFiles,
  listVersions,
  rollBack,
  type Version,
} from "./configuration.ts";
import classes from "./templates.module.css";
import type { WorkingSet } from "./use-working-set.ts";
import { words } from "./words.ts";

/** Who published what, when and why, and the way back. */
export function HistoryDialog({ working, onClose }: { working: WorkingSet; onClose: () => void }) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const { tenantId } = working;
  const { data, error } = useQuery({
    queryKey: [...configurationKey(tenantId), "history"],
    queryFn: () => listVersions(tenantId),
    meta: { live: CONFIGURATION_EVENTS },
  });
  const newest = data?.items[0]?.version;
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.historyTitle}
      size="70rem"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <ErrorDisplay error={error} />
      {data === undefined && error === null && <Loader type="dots" />}
      <Stack gap={0} component="ol" className={classes.history}>
        {data?.items.map((version) => (
          <Entry
            key={version.version}
            version={version}
            isNewest={version.version === newest}
            working={working}
          />
        ))}
      </Stack>
    </Modal>
  );
}

type EntryProps = {
  readonly version: Version;
  readonly isNewest: boolean;
  readonly working: WorkingSet;
};

function Entry({ version: one, isNewest, working }: EntryProps) {
  const w = useWords(words);
  const format = useFormat();
  const linkTo = useToastLink();
  const [isOpened, setOpened] = useState(false);
  const { version, publishedAt, author, message, changes } = one;
  const back = () =>
    confirm({
      title: w.rollBackTitle(version),
      text: w.rollBackText,
      verb: w.rollBack,
      act: async () => {
        const published = await rollBack(working.tenantId, version);
        await working.reload();
        const message = w.rolledBack(version, published.version);
        toast({ message, link: linkTo("passes") });
      },
    });
  return (
    <li className={classes.entry}>
      <Group justify="space-between">
        <div>
          <Group gap="xs">
            <Text fw={600}>{w.version(version)}</Text>
            {isNewest && (
              <Badge variant="light" color="teal" tt="none">
                {w.inForce}
              </Badge>
            )}
          </Group>
          {message !== null && <Text size="sm">{message}</Text>}
          <Text size="xs" c="dimmed" title={format.moment(publishedAt)}>
            {w.by(author, format.ago(publishedAt))}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={isOpened}
            onClick={() => setOpened(!isOpened)}
          >
            {w.changesOf(changes.length)}
          </Button>
          {!isNewest && (
            <ScopedButton operation="tenant.rollback" size="xs" variant="default" onClick={back}>
              {w.rollBack}
            </ScopedButton>
          )}
        </Group>
      </Group>
      {isOpened && <EntryChanges tenantId={working.tenantId} version={version} />}
    </li>
  );
}

/** What a version changed, against the one before it. */
function EntryChanges({ tenantId, version }: { tenantId: string; version: number }) {
  const { data, error } = useQuery({
    queryKey: [...configurationKey(tenantId), "change", version],
    queryFn: async () => ({
      before: version === 1 ? {} : await getFiles(tenantId, { version: version - 1 }),
      after: await getFiles(tenantId, { version }),
    }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <ErrorDisplay error={error} />;
  if (data === undefined) return <Loader type="dots" />;
  return <Compared {...data} changes={changesBetween(data.before, data.after)} />;
}
