import { Badge, Group, Loader, Modal, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useToastLink } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import { type Files, getFiles, isSame, isText, publishDraft } from "./configuration.ts";
import classes from "./templates.module.css";
import type { WorkingSet } from "./use-working-set.ts";
import { words } from "./words.ts";

const DiffView = lazy(async () => ({
  default: (await import("./editor/diff-view.tsx")).DiffView,
}));

type Change = { readonly path: string; readonly kind: "added" | "changed" | "removed" };

export function changesBetween(before: Files, after: Files): Change[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): Change[] => {
    if (before[path] === undefined) return [{ path, kind: "added" }];
    if (after[path] === undefined) return [{ path, kind: "removed" }];
    return isSame(before[path], after[path]) ? [] : [{ path, kind: "changed" }];
  });
}

/** What would change for holders, and the button that makes it so. */
export function ChangesDialog({ working, onClose }: { working: WorkingSet; onClose: () => void }) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const linkTo = useToastLink();
  const { tenantId, files } = working;
  const [message, setMessage] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const { data: before, error } = useQuery({
    queryKey: ["configuration", tenantId, "in force"],
    queryFn: () => getFiles(tenantId),
    staleTime: 0,
  });
  const changes = before === undefined ? [] : changesBetween(before, files);
  const publish = async () => {
    setSending(true);
    setProblem(undefined);
    try {
      await working.save();
      const { version } = await publishDraft(tenantId, message);
      await working.reload();
      toast({ message: w.published(version), link: linkTo("passes") });
      onClose();
    } catch (failure) {
      setProblem(failure);
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.changesTitle}
      size="80rem"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <Stack>
        <ErrorDisplay error={error} />
        {before === undefined && error === null && <Loader type="dots" />}
        {before !== undefined && changes.length === 0 && <Text>{w.noChanges}</Text>}
        {before !== undefined && changes.length > 0 && (
          <Compared before={before} after={files} changes={changes} />
        )}
        {changes.length > 0 && (
          <TextInput
            label={w.message}
            description={w.messageHint}
            value={message}
            maxLength={1_000}
            onChange={(event) => setMessage(event.currentTarget.value)}
          />
        )}
        <ErrorDisplay error={problem} />
        {changes.length > 0 && (
          <Group justify="flex-end">
            <ScopedButton
              operation="tenant.publish"
              loading={isSending}
              onClick={() => void publish()}
            >
              {w.publishVersion}
            </ScopedButton>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

const COLORS = { added: "teal", changed: "blue", removed: "red" } as const;

type ComparedProps = {
  readonly before: Files;
  readonly after: Files;
  readonly changes: readonly Change[];
};

/** The files that differ, and the lines of the one that is chosen. */
export function Compared({ before, after, changes }: ComparedProps) {
  const w = useWords(words);
  const [wished, setWished] = useState<string>();
  const chosen = changes.find(({ path }) => path === wished) ?? changes[0];
  const titles = { added: w.changeAdded, changed: w.changeChanged, removed: w.changeRemoved };
  if (chosen === undefined) return undefined;
  const [old, current] = [before[chosen.path], after[chosen.path]];
  const hasLines = (old === undefined || isText(old)) && (current === undefined || isText(current));
  return (
    <div className={classes.compared}>
      <ul className={classes.changeList}>
        {changes.map(({ path, kind }) => (
          <li key={path}>
            <UnstyledButton
              className={classes.fileButton}
              aria-current={path === chosen.path ? "true" : undefined}
              onClick={() => setWished(path)}
            >
              <span className={classes.fileName}>{path}</span>
              <Badge size="sm" variant="light" color={COLORS[kind]} tt="none">
                {titles[kind]}
              </Badge>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {hasLines ? (
        <Suspense fallback={<Loader type="dots" m="xl" />}>
          <DiffView
            path={chosen.path}
            before={isText(old) ? old : ""}
            after={isText(current) ? current : ""}
            label={w.editorOf(chosen.path)}
          />
        </Suspense>
      ) : (
        <Text p="md" c="dimmed">
          {w.notText}
        </Text>
      )}
    </div>
  );
}
