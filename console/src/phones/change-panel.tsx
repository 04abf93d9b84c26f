import { Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId, useToastLink } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  changePass,
  getPass,
  listPrivileges,
  moveValue,
  type Pass,
  type Privilege,
  tellHolder,
} from "./pass.ts";
import classes from "./phones.module.css";
import { words } from "./words.ts";

const STEPS = [1, 10];
const MESSAGE_CHARS_MAX = 500;

/** Changes a pass at the API, so that its phones hear of it by the real ways. */
export function ChangePanel({ passId }: { passId: string | undefined }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const pass = useQuery({
    queryKey: ["pass", tenantId, passId],
    queryFn: () => getPass(tenantId, passId ?? ""),
    enabled: passId !== undefined,
    meta: { live: ["pass."] },
  });
  return (
    <section className={classes.panel} aria-label={w.changeTitle}>
      <div>
        <Title order={2}>{w.changeTitle}</Title>
        <Text size="sm" c="dimmed" mt={4}>
          {passId === undefined ? w.changeFirst : w.changeText}
        </Text>
      </div>
      {pass.error !== null && <ErrorDisplay error={pass.error} />}
      {pass.data !== undefined && passId !== undefined && (
        <Stack gap="lg" key={passId}>
          <Values pass={pass.data} />
          <Balances passId={passId} />
          <Message passId={passId} />
        </Stack>
      )}
    </section>
  );
}

/** Values that can be typed. Others are lists or objects, which people change at the API. */
const isPlain = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** What was typed, as the kind of value that was there. */
function sameKind(before: unknown, typed: string): unknown {
  if (typeof before === "number" && typed.trim() !== "" && !Number.isNaN(Number(typed))) {
    return Number(typed);
  }
  if (typeof before === "boolean" && ["true", "false"].includes(typed)) return typed === "true";
  return typed;
}

function Values({ pass: { id, additionalData } }: { pass: Pass }) {
  const w = useWords(words);
  const linkTo = useToastLink();
  const tenantId = useTenantId();
  // A dot in a name would be read as a path by the form.
  const entries = Object.entries(additionalData).filter(
    ([name, value]) => isPlain(value) && !name.includes("."),
  );
  const form = useApiForm<Record<string, string>>({
    initialValues: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
    fieldOf: (path) => path.replace(/^additionalData\./, ""),
    send: async (values) => {
      const changed = entries.filter(([name, value]) => values[name] !== String(value));
      const sent = changed.map(([name, value]) => [name, sameKind(value, values[name] ?? "")]);
      await changePass(tenantId, id, Object.fromEntries(sent));
      toast({ message: w.saved, link: linkTo("pass", { passId: id }) });
    },
  });
  if (entries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {w.noFields}
      </Text>
    );
  }
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="sm">
        {entries.map(([name]) => (
          <TextInput key={name} label={labelOf(name)} autoComplete="off" {...form.field(name)} />
        ))}
        <ErrorDisplay error={form.problem} />
        <Group>
          <ScopedButton operation="pass.update" type="submit" loading={form.isSending}>
            {w.save}
          </ScopedButton>
        </Group>
      </Stack>
    </form>
  );
}

/** `firstName` is read as "First name". */
function labelOf(name: string): string {
  const spaced = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function Balances({ passId }: { passId: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data: privileges = [] } = useQuery({
    queryKey: ["pass", tenantId, passId, "privileges"],
    queryFn: () => listPrivileges(tenantId, passId),
    meta: { live: ["privilege."] },
  });
  const counted = privileges.filter(({ value }) => value !== null);
  if (counted.length === 0) return undefined;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {w.balances}
      </Text>
      {counted.map((privilege) => (
        <Balance key={privilege.privilegeId} passId={passId} privilege={privilege} />
      ))}
    </Stack>
  );
}

function Balance({ passId, privilege }: { passId: string; privilege: Privilege }) {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const { privilegeId, name, value, unit } = privilege;
  const move = async (by: number) => {
    try {
      await moveValue(tenantId, passId, privilegeId, by);
      await queries.invalidateQueries({ queryKey: ["pass", tenantId, passId] });
    } catch (error) {
      toastProblem(error);
    }
  };
  return (
    <div className={classes.balance}>
      <Text size="sm">
        {name} <strong>{format.number(Number(value))}</strong> {unit}
      </Text>
      <Group gap={6} wrap="nowrap">
        {STEPS.map((by) => (
          <ScopedButton
            key={by}
            operation="movement.create"
            size="compact-sm"
            variant="default"
            aria-label={w.add(String(by), name)}
            onClick={() => void move(by)}
          >
            +{by}
          </ScopedButton>
        ))}
      </Group>
    </div>
  );
}

function Message({ passId }: { passId: string }) {
  const w = useWords(words);
  const linkTo = useToastLink();
  const tenantId = useTenantId();
  const [sends, setSends] = useState(0);
  return (
    <MessageForm
      key={sends}
      send={async (content) => {
        await tellHolder(tenantId, passId, content);
        setSends(sends + 1);
        toast({ message: w.sent, link: linkTo("pass", { passId }) });
      }}
    />
  );
}

function MessageForm({ send }: { send: (content: string) => Promise<void> }) {
  const w = useWords(words);
  const form = useApiForm({
    initialValues: { content: "" },
    send: ({ content }) => send(content),
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label={w.message}
          description={w.messageHint}
          maxLength={MESSAGE_CHARS_MAX}
          autoComplete="off"
          {...form.field("content")}
        />
        <ErrorDisplay error={form.problem} />
        <Group>
          <ScopedButton
            operation="pass.notify"
            type="submit"
            variant="default"
            loading={form.isSending}
          >
            {w.send}
          </ScopedButton>
        </Group>
      </Stack>
    </form>
  );
}
