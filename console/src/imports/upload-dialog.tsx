import { Anchor, Button, FileButton, Group, Progress, Stack, Switch, Text } from "@mantine/core";
import { IconFileSpreadsheet, IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type DragEvent, useRef, useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { useWords } from "../words/language.ts";
import { type Import, importsOf } from "./import.ts";
import { useSize } from "./import-state.tsx";
import classes from "./imports.module.css";
import { upload } from "./upload.ts";
import { words } from "./words.ts";

const EXAMPLE = `passType;identifiers.loyalty.number;additionalData.firstName
loyalty;40012345;Camille
loyalty;40012346;Noé`;
const ACCEPTED = ".csv,.txt,.tsv,.json,.ndjson,.jsonl";

type Props = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onSent: (made: Import) => void;
};

export function UploadDialog({ opened, onClose, onSent }: Props) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [isDryRun, setDryRun] = useState(true);
  const [isAgain, setAgain] = useState(false);
  const [sent, setSent] = useState<number>();
  const [error, setError] = useState<unknown>();
  const ending = useRef<AbortController>(undefined);
  const isSending = sent !== undefined;

  const start = async () => {
    if (file === undefined) return;
    ending.current = new AbortController();
    setError(undefined);
    setSent(0);
    try {
      const { signal } = ending.current;
      const wish = { tenantId, file, dryRun: isDryRun, again: isAgain, signal };
      const made = await upload({ ...wish, onProgress: setSent });
      await queries.invalidateQueries({ queryKey: importsOf(tenantId) });
      onSent(made);
    } catch (failure) {
      if ((failure as Error).name !== "AbortError") setError(failure);
      setSent(undefined);
    }
  };
  const stop = () => ending.current?.abort();
  return (
    <FormDialog
      operation="import.create"
      opened={opened}
      onClose={() => {
        stop();
        onClose();
      }}
      isDirty={isSending}
      title={w.upload}
      size="lg"
    >
      <Stack>
        {isSending && file !== undefined ? (
          <Sending file={file} sent={sent} onStop={stop} />
        ) : (
          <>
            <Target file={file} onFile={setFile} />
            <Switch
              label={w.dryRun}
              description={w.dryRunHint}
              checked={isDryRun}
              onChange={(event) => setDryRun(event.currentTarget.checked)}
            />
            <Switch
              label={w.againLabel}
              checked={isAgain}
              onChange={(event) => setAgain(event.currentTarget.checked)}
            />
            <ErrorDisplay error={error} />
            {file === undefined && (
              <div>
                <Text size="sm" fw={600} mb={6}>
                  {w.example}
                </Text>
                <CodeBlock code={EXAMPLE} label={w.example} />
              </div>
            )}
            <Group justify="flex-end">
              <ScopedButton
                operation="import.create"
                disabled={file === undefined}
                leftSection={<IconUpload size={18} stroke={1.6} />}
                onClick={() => void start()}
              >
                {isDryRun ? w.sendDry : w.send}
              </ScopedButton>
            </Group>
          </>
        )}
      </Stack>
    </FormDialog>
  );
}

type TargetProps = { readonly file: File | undefined; readonly onFile: (file: File) => void };

function Target({ file, onFile }: TargetProps) {
  const w = useWords(words);
  const sizeOf = useSize();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer.files[0];
    if (dropped !== undefined) onFile(dropped);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: who has no mouse uses the button inside.
    <div
      className={classes.target}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <IconFileSpreadsheet size={32} stroke={1.3} aria-hidden />
      {file !== undefined && (
        <Text fw={600}>
          {file.name} · {sizeOf(file.size)}
        </Text>
      )}
      <Text>
        {w.drop}{" "}
        <FileButton
          accept={ACCEPTED}
          inputProps={{ "aria-label": w.chosen }}
          onChange={(chosen) => chosen !== null && onFile(chosen)}
        >
          {(props) => (
            <Anchor component="button" type="button" data-autofocus {...props}>
              {w.choose}
            </Anchor>
          )}
        </FileButton>
      </Text>
      <Text size="sm" c="dimmed">
        {w.formats}
      </Text>
    </div>
  );
}

type SendingProps = { readonly file: File; readonly sent: number; readonly onStop: () => void };

function Sending({ file, sent, onStop }: SendingProps) {
  const w = useWords(words);
  const sizeOf = useSize();
  const isAll = sent >= file.size;
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>{file.name}</Text>
      <Progress
        value={file.size === 0 ? 100 : (sent / file.size) * 100}
        animated={isAll}
        size="lg"
        aria-label={w.progress}
      />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {isAll ? w.storing : w.sending(sizeOf(sent), sizeOf(file.size))}
        </Text>
        <Button variant="default" onClick={onStop}>
          {w.stop}
        </Button>
      </Group>
    </Stack>
  );
}
