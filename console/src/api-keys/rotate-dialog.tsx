import { Alert, Button, Group, Stack, Stepper, Text, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import classes from "./api-keys.module.css";
import {
  type ApiKey,
  createKey,
  getKey,
  isBusy,
  KEY_EVENTS,
  keysOf,
  nextName,
  revokeKey,
  updateKey,
} from "./key.ts";
import { FIELD_OF_CODE, fieldOf } from "./key-dialogs.tsx";
import { EndingFields, expiryOf, type KeyValues, NEW_KEY } from "./key-fields.tsx";
import type { ScopeName } from "./scopes.ts";
import { ShownOnce } from "./shown-once.tsx";
import { words } from "./words.ts";

const DAY_MS = 86_400_000;

type Props = {
  readonly old: ApiKey;
  /** The name of the new key; in the address, so that one can come back after days. */
  readonly newName: string | undefined;
  readonly onMade: (name: string) => void;
  readonly onClose: () => void;
};

/** Create, deploy, revoke: with both keys working in between. */
export function RotateDialog({ old, newName, onMade, onClose }: Props) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const isNarrow = useMediaQuery("(max-width: 36em)");
  const [token, setToken] = useState<string>();
  const step = newName === undefined ? 0 : token === undefined ? 2 : 1;
  return (
    <FormDialog
      operation="api-key.create"
      opened
      onClose={onClose}
      isDirty={step === 1}
      title={w.rotateTitle(old.name)}
      size="lg"
    >
      <Stepper
        active={step}
        size="sm"
        mb="lg"
        orientation={isNarrow === true ? "vertical" : "horizontal"}
        allowNextStepsSelect={false}
      >
        <Stepper.Step label={w.stepCreate} description={w.stepCreateText} allowStepSelect={false} />
        <Stepper.Step label={w.stepDeploy} description={w.stepDeployText} allowStepSelect={false} />
        <Stepper.Step label={w.stepRevoke} description={w.stepRevokeText} allowStepSelect={false} />
      </Stepper>
      {newName === undefined && (
        <CreateStep
          old={old}
          onMade={(name, value) => {
            setToken(value);
            onMade(name);
          }}
        />
      )}
      {token !== undefined && (
        <Stack>
          <Text>{w.deployText}</Text>
          <ShownOnce
            token={token}
            tenantId={tenantId}
            doneLabel={w.next}
            onDone={() => setToken(undefined)}
          />
        </Stack>
      )}
      {step === 2 && newName !== undefined && (
        <RevokeStep old={old} newName={newName} onClose={onClose} />
      )}
    </FormDialog>
  );
}

type CreateProps = { readonly old: ApiKey; readonly onMade: (name: string, token: string) => void };

function CreateStep({ old, onMade }: CreateProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const form = useApiForm<KeyValues>({
    initialValues: { ...NEW_KEY, name: nextName(old.name) },
    fieldOf,
    fieldOfCode: FIELD_OF_CODE,
    send: async (values) => {
      const scopes = old.scopes as ScopeName[];
      const sent = { name: values.name, scopes, expiresAt: expiryOf(values) ?? null };
      const made = await createKey(tenantId, sent);
      await queries.invalidateQueries({ queryKey: keysOf(tenantId) });
      onMade(made.name, made.token);
    },
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <Text>{w.rotateLead}</Text>
        <TextInput
          label={w.newName}
          required
          maxLength={64}
          data-autofocus
          {...form.field("name")}
        />
        <EndingFields values={form.values} field={form.field} />
        <ErrorDisplay error={form.problem} />
        <Group justify="flex-end">
          <Button type="submit" loading={form.isSending}>
            {w.createNew}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type RevokeProps = { readonly old: ApiKey; readonly newName: string; readonly onClose: () => void };

function RevokeStep({ old, newName, onClose }: RevokeProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const pair = useQuery({
    queryKey: [...keysOf(tenantId), "pair", old.name, newName],
    queryFn: () => Promise.all([getKey(tenantId, old.name), getKey(tenantId, newName)]),
    meta: { live: KEY_EVENTS },
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
  const [before = old, after] = pair.data ?? [];
  const finish = async (act: () => Promise<unknown>, message: string) => {
    try {
      await act();
      await queries.invalidateQueries({ queryKey: keysOf(tenantId) });
      onClose();
      toast({ message });
    } catch (error) {
      toastProblem(error);
    }
  };
  const endsAt = () => new Date(Date.now() + DAY_MS).toISOString();
  return (
    <Stack>
      <Text>{w.overlap}</Text>
      <div className={classes.compare}>
        <Use title={w.oldKey} apiKey={before} />
        <Use title={w.newKey} apiKey={after} />
      </div>
      {isBusy(before) && <Alert color="yellow">{w.stillUsed}</Alert>}
      {after?.lastUsedAt === null && <Alert color="yellow">{w.newUnused}</Alert>}
      <ErrorDisplay error={pair.error} />
      <Group justify="space-between">
        <Button variant="subtle" loading={pair.isFetching} onClick={() => void pair.refetch()}>
          {w.lookAgain}
        </Button>
        <Group>
          <Button
            variant="default"
            onClick={() =>
              void finish(
                () => updateKey(tenantId, old.name, { expiresAt: endsAt() }),
                w.endsLater(old.name),
              )
            }
          >
            {w.endLater}
          </Button>
          <Button
            color="red"
            onClick={() =>
              void finish(() => revokeKey(tenantId, old.name), w.rotated(old.name, newName))
            }
          >
            {w.revokeOld}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

function Use({ title, apiKey }: { title: string; apiKey: ApiKey | undefined }) {
  const w = useWords(words);
  const format = useFormat();
  const used = apiKey?.lastUsedAt ?? undefined;
  return (
    <div>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={600}>{apiKey?.name ?? "…"}</Text>
      <Text size="sm" mt={4}>
        {w.lastUsed}: {used === undefined ? w.neverUsed : format.ago(used)}
      </Text>
    </div>
  );
}
