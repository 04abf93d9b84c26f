import { Alert, Fieldset, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import {
  type Connector,
  type ConnectorTest,
  connectorsOf,
  getSettings,
  operationOf,
  putSettings,
  type Settings,
  testConnector,
} from "./connector.ts";
import classes from "./connectors.module.css";
import { page } from "./page.ts";
import { SettingInput } from "./setting-input.tsx";
import {
  bodyOf,
  type FormValues,
  fieldAt,
  type SettingField,
  useSettingFields,
  valuesOf,
} from "./settings-schema.ts";
import { words } from "./words.ts";

const NOTHING: Settings = {};

export function SettingsTab({ connector }: { connector: Connector }) {
  const tenantId = useTenantId();
  const { name, configured, secrets } = connector;
  const fields = useSettingFields(name, Object.keys(secrets));
  const stored = useQuery({
    queryKey: [...connectorsOf(tenantId), name, "settings"],
    queryFn: () => getSettings(tenantId, name),
    enabled: configured,
    meta: { live: ["configuration."] },
  });
  const error = fields.error ?? stored.error;
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void stored.refetch()} />;
  const known = configured ? stored.data : NOTHING;
  if (fields.data === undefined || known === undefined) return <Skeleton h={280} radius="lg" />;
  return <SettingsForm connector={connector} fields={fields.data} stored={known} />;
}

type FormProps = {
  readonly connector: Connector;
  readonly fields: readonly SettingField[];
  readonly stored: Settings;
};

function SettingsForm({ connector, fields, stored }: FormProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  const [test, setTest] = useState<ConnectorTest>();
  const { name, title, configured } = connector;
  const form = useApiForm<FormValues>({
    initialValues: valuesOf(fields, stored),
    fieldOf: (path) => fieldAt(fields, path),
    send: async (values) => {
      setTest(undefined);
      await putSettings(tenantId, name, bodyOf(fields, values, stored));
      const secrets = fields.filter(({ kind }) => kind === "secret");
      form.setValues(Object.fromEntries(secrets.map(({ path }) => [path, ""])));
      toast({ message: w.saved(title) });
      await queries.invalidateQueries({ queryKey: connectorsOf(tenantId) });
      // The next step is at the vendor.
      if (!configured) setSearch({ tab: "vendor" }, { isStep: true });
    },
  });
  const tried = new Map(
    Object.entries(test?.errors ?? {}).map(([path, reasons]) => [
      fieldAt(fields, path),
      reasons.join(" "),
    ]),
  );
  const input = (field: SettingField) => {
    const props = form.field(field.path);
    return (
      <SettingInput
        key={field.path}
        field={field}
        isStored={connector.secrets[field.path] === true}
        value={form.values[field.path] ?? ""}
        error={props.error ?? tried.get(field.path)}
        onChange={(value) => form.setValues({ [field.path]: value })}
      />
    );
  };
  return (
    <form onSubmit={form.submit} noValidate className={classes.panel}>
      <Stack gap="lg">
        {groupsOf(fields).map(([group, some]) =>
          group === "" ? (
            some.map(input)
          ) : (
            <Fieldset key={group} legend={groupTitle(w, group)}>
              <Stack>{some.map(input)}</Stack>
            </Fieldset>
          ),
        )}
        <ErrorDisplay error={form.problem} />
        <TestOutcome test={test} fields={fields} />
        <Group>
          <ScopedButton operation={operationOf(name, "put")} type="submit" loading={form.isSending}>
            {configured ? w.save : w.saveNew}
          </ScopedButton>
          {configured && <TestButton name={name} onTested={setTest} />}
        </Group>
        <Text size="sm" c="dimmed">
          {w.saveHint}
        </Text>
      </Stack>
    </form>
  );
}

/** Fields that belong together, in the order of the API: `earn/…` is a group. */
function groupsOf(fields: readonly SettingField[]) {
  const groups: [string, SettingField[]][] = [];
  for (const field of fields) {
    const group = field.path.includes("/") ? (field.path.split("/")[0] ?? "") : "";
    const last = groups.at(-1);
    if (last !== undefined && last[0] === group) last[1].push(field);
    else groups.push([group, [field]]);
  }
  return groups;
}

function groupTitle(w: { groupEarn: string; groupCache: string }, group: string): string {
  if (group === "earn") return w.groupEarn;
  return group === "cache" ? w.groupCache : group;
}

function TestButton({ name, onTested }: { name: string; onTested: (test: ConnectorTest) => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [isTesting, setTesting] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = async () => {
    setTesting(true);
    setProblem(undefined);
    try {
      onTested(await testConnector(tenantId, name));
    } catch (error) {
      setProblem(error);
    } finally {
      setTesting(false);
    }
  };
  return (
    <>
      <ScopedButton
        operation="extension.test"
        variant="default"
        loading={isTesting}
        onClick={() => void run()}
      >
        {w.test}
      </ScopedButton>
      <ErrorDisplay error={problem} />
    </>
  );
}

function TestOutcome({
  test,
  fields,
}: {
  readonly test: ConnectorTest | undefined;
  readonly fields: readonly SettingField[];
}) {
  const w = useWords(words);
  if (test === undefined) return undefined;
  if (test.ok) {
    return (
      <Alert role="status" color="teal" icon={<IconCheck size={20} stroke={1.6} />}>
        {w.testGood}
      </Alert>
    );
  }
  const entries = Object.entries(test.errors);
  const others = entries.filter(([path]) => {
    const field = fieldAt(fields, path);
    return !fields.some((one) => one.path === field);
  });
  return (
    <Alert role="alert" color="red" icon={<IconAlertTriangle size={20} stroke={1.6} />}>
      {others.length === 0 ? w.testBad : w.testOther}
      {others.map(([path, reasons]) => (
        <Text key={path} size="sm">
          {path} {reasons.join(" ")}
        </Text>
      ))}
    </Alert>
  );
}
