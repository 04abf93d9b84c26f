import { Alert, Progress, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { newRow, readRows, type ValueRow } from "../parts/form/value-rows.ts";
import { ValueRowsInput } from "../parts/form/value-rows-input.tsx";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { changePasses, type Message, notifyHolder, type Selection } from "./pass.ts";
import { words } from "./words.ts";

/** Each message is a request of its own, so they are few. */
export const NOTIFIED_MAX = 200;
const AT_ONCE = 4;

type ChangeProps = {
  readonly selection: Selection;
  readonly count: string;
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onJob: (jobId: string) => void;
};

export function ChangeDataDialog({ selection, count, names, onClose, onJob }: ChangeProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const form = useApiForm<{ rows: readonly ValueRow[] }>({
    initialValues: { rows: [newRow()] },
    send: async ({ rows }) => {
      const additionalData = readRows(rows);
      onJob(await changePasses(tenantId, selection, { additionalData }));
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="pass.update-many"
      onClose={onClose}
      title={w.changeDataTitle(count)}
      size="lg"
      verb={w.changeDataVerb(count)}
    >
      <Stack>
        <Text c="dimmed">{w.changeDataLead}</Text>
        <ValueRowsInput
          label={w.additionalData}
          rows={form.values.rows}
          onChange={(rows) => form.setValues({ rows })}
          names={names}
          kinds={["text", "number", "truth", "json", "nothing"]}
        />
      </Stack>
    </ApiFormDialog>
  );
}

type NotifyProps = { readonly passIds: readonly string[]; readonly onClose: () => void };
type Outcome = { readonly done: number; readonly failed: number; readonly reason: unknown };

/** Sends one message after the other and says how far it is. */
export function NotifyDialog({ passIds, onClose }: NotifyProps) {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  const [outcome, setOutcome] = useState<Outcome>();
  const total = passIds.length;
  const form = useApiForm<Message>({
    initialValues: { title: "", content: "" },
    send: async (message) => {
      const left = [...passIds];
      let [done, failed, reason] = [0, 0, undefined as unknown];
      const work = async () => {
        for (let id = left.shift(); id !== undefined; id = left.shift()) {
          try {
            await notifyHolder(tenantId, id, message);
          } catch (error) {
            failed += 1;
            reason ??= error;
          }
          done += 1;
          setOutcome({ done, failed, reason });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      // What the API says of the message itself stands at its field.
      if (failed === total) throw reason;
      if (failed > 0) return;
      onClose();
      toast({ message: w.notified(format.number(total)) });
    },
  });
  const shown = format.number(total);
  return (
    <ApiFormDialog
      form={form}
      operation="pass.notify"
      onClose={onClose}
      title={w.notifyTitle(shown)}
      size="lg"
      verb={w.send}
    >
      <Stack>
        <Text c="dimmed">{w.notifyLead}</Text>
        <TextInput label={w.messageTitle} {...form.field("title")} maxLength={100} />
        <Textarea
          label={w.message}
          withAsterisk
          autosize
          minRows={3}
          maxLength={500}
          {...form.field("content")}
        />
        {form.isSending && outcome !== undefined && (
          <div>
            <Progress value={(outcome.done / total) * 100} aria-label={w.message} animated />
            <Text size="sm" c="dimmed" role="status">
              {w.sending(format.number(outcome.done), shown)}
            </Text>
          </div>
        )}
        {!form.isSending && outcome !== undefined && outcome.failed > 0 && (
          <Alert color="orange" variant="light">
            <Text size="sm">{w.notifiedSome(format.number(outcome.failed), shown)}</Text>
            <ErrorDisplay error={outcome.reason} />
          </Alert>
        )}
      </Stack>
    </ApiFormDialog>
  );
}
