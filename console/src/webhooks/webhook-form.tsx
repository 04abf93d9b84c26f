import { Button, Group, Stack, Switch, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { settings } from "../settings.ts";
import { useWords } from "../words/language.ts";
import { EventPicker } from "./event-picker.tsx";
import { page } from "./page.ts";
import { SecretMade } from "./secret.tsx";
import {
  createWebhook,
  getSettings,
  nameOf,
  setSettings,
  updateWebhook,
  type Webhook,
  webhooksOf,
} from "./webhook.ts";
import { words } from "./words.ts";

type Values = {
  description: string;
  endpoint: string;
  events: string[];
  enabled: boolean;
  ordered: boolean;
};

const sentOf = ({ description, endpoint, events, enabled }: Values) => ({
  description: description.trim() === "" ? null : description,
  endpoint: endpoint.trim(),
  events,
  enabled,
});

const valuesOf = (webhook: Webhook, ordered: boolean): Values => ({
  description: webhook.description ?? "",
  endpoint: webhook.endpoint,
  events: webhook.events,
  enabled: webhook.enabled,
  ordered,
});

/** `begin`: the event that somebody chose in the catalogue. */
export function CreateDialog({ begin, onClose }: { begin?: string; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const form = useApiForm<Values>({
    initialValues: {
      description: "",
      endpoint: "",
      events: begin === undefined ? [] : [begin],
      enabled: true,
      ordered: false,
    },
    send: async (values) => {
      const { id, signatureSecret: secret } = await createWebhook(tenantId, sentOf(values));
      setMade({ id, secret });
      // The webhook is there; what follows must not make anybody create it twice.
      if (values.ordered) await setSettings(tenantId, id, { ordered: true }).catch(toastProblem);
      await queries.invalidateQueries({ queryKey: webhooksOf(tenantId) });
    },
  });
  const isMade = made !== undefined;
  return (
    <FormDialog
      operation="webhook.create"
      opened
      onClose={onClose}
      isDirty={!isMade && form.isDirty()}
      title={isMade ? w.madeTitle : w.create}
      size="xl"
    >
      {isMade ? (
        <SecretMade
          secret={made.secret}
          onTest={() => setSearch({ new: undefined, view: undefined, id: made.id, test: made.id })}
          onDone={() => setSearch({ new: undefined, view: undefined, id: made.id })}
        />
      ) : (
        <Fields form={form} verb={w.create} onCancel={onClose} />
      )}
    </FormDialog>
  );
}

type EditProps = { readonly webhook: Webhook; readonly onClose: () => void };

export function EditDialog({ webhook, onClose }: EditProps) {
  const tenantId = useTenantId();
  const { data, error } = useQuery({
    queryKey: [...webhooksOf(tenantId), "settings", webhook.id],
    queryFn: () => getSettings(tenantId, webhook.id),
    staleTime: 0,
    gcTime: 0,
  });
  if (error !== null) return <ErrorDisplay error={error} />;
  if (data === undefined) return undefined;
  return <EditForm webhook={webhook} ordered={data.ordered} onClose={onClose} />;
}

function EditForm({ webhook, ordered, onClose }: EditProps & { ordered: boolean }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const before = valuesOf(webhook, ordered);
  const { id } = webhook;
  const apply = async (from: Values, to: Values) => {
    await updateWebhook(tenantId, id, sentOf(to));
    if (from.ordered !== to.ordered) await setSettings(tenantId, id, { ordered: to.ordered });
    await queries.invalidateQueries({ queryKey: webhooksOf(tenantId) });
  };
  const form = useApiForm<Values>({
    initialValues: before,
    send: async (values) => {
      await apply(before, values);
      onClose();
      const name = nameOf({ id, ...sentOf(values) });
      toast({ message: w.changed(name), undo: () => apply(values, before) });
    },
  });
  return (
    <FormDialog
      operation="webhook.update"
      opened
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.editTitle(nameOf(webhook))}
      size="xl"
    >
      <Fields form={form} verb={w.save} onCancel={onClose} />
    </FormDialog>
  );
}

type FieldsProps = {
  readonly form: ReturnType<typeof useApiForm<Values>>;
  readonly verb: string;
  readonly onCancel: () => void;
};

function Fields({ form, verb, onCancel }: FieldsProps) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const { values, field } = form;
  const { error } = field("events") as { error?: string };
  const isStaging = settings.environment === "staging";
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="lg">
        <TextInput
          label={w.endpoint}
          description={isStaging ? w.endpointHintStaging : w.endpointHint}
          placeholder="https://hooks.example.com/passes"
          type="url"
          required
          maxLength={2_000}
          autoComplete="off"
          data-autofocus
          {...field("endpoint")}
        />
        <TextInput
          label={w.description}
          description={w.descriptionHint}
          maxLength={1_000}
          autoComplete="off"
          {...field("description")}
        />
        <EventPicker
          chosen={values.events}
          onChange={(events) => form.setValues({ events })}
          error={error}
        />
        <Switch
          label={w.enabled}
          description={w.enabledHint}
          checked={values.enabled}
          onChange={(event) => form.setValues({ enabled: event.currentTarget.checked })}
        />
        <Switch
          label={w.ordered}
          description={w.orderedHint}
          checked={values.ordered}
          onChange={(event) => form.setValues({ ordered: event.currentTarget.checked })}
        />
        <ErrorDisplay error={form.problem} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {parts.cancel}
          </Button>
          <Button type="submit" loading={form.isSending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
