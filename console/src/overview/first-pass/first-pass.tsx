import {
  Alert,
  Button,
  ColorInput,
  Group,
  Loader,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconCheck, IconDeviceMobile, IconExternalLink } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useState } from "react";
import { useMissingScope } from "../../api/rights.ts";
import { useLiveEvent } from "../../live/live.ts";
import { useTenantId } from "../../navigation.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { useApiForm } from "../../parts/form/api-form.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { listPassTypes } from "../../parts/pass-types.ts";
import { ScopedButton } from "../../parts/scoped.tsx";
import { basePath, settings } from "../../settings.ts";
import { useTenants } from "../../tenants.ts";
import { useWords } from "../../words/language.ts";
import type { Pass } from "../numbers.ts";
import classes from "../overview.module.css";
import { page } from "../page.ts";
import { words } from "../words.ts";
import { issuePass, neededFields } from "./issue.ts";
import { publishStarter, STARTER } from "./starter.ts";

const COLORS = ["#2b4bd8", "#14203b", "#0b6e4f", "#8f2d56", "#b5451b", "#3d3d4e"];

/** On a tenant without passes: from nothing to a pass on a phone. */
export function FirstPass({ onEnd }: { onEnd: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const mayRead = useMissingScope("pass-type.list") === undefined;
  const types = useQuery({
    queryKey: ["overview", tenantId, "pass types"],
    queryFn: () => listPassTypes(tenantId),
    enabled: mayRead,
    meta: { live: ["configuration."] },
  });
  const [pass, setPass] = useState<Pass>();
  const found = types.data ?? [];
  const hasType = found.length > 0;
  return (
    <>
      <PageHead page={page} title={w.guideTitle} lead={w.guideLead} />
      {types.error !== null && (
        <ErrorDisplay error={types.error} onRetry={() => void types.refetch()} />
      )}
      <div className={classes.guide}>
        <Step number={1} title={w.stepDesign} state={hasType ? "done" : "now"}>
          {hasType ? <Text c="dimmed">{w.stepDesignDone(found.join(", "))}</Text> : <DesignStep />}
        </Step>
        <Step number={2} title={w.stepIssue} state={pass ? "done" : hasType ? "now" : "later"}>
          {pass === undefined && hasType && <IssueStep types={found} onIssued={setPass} />}
          {pass !== undefined && <Text c="dimmed">{w.issueDone}</Text>}
        </Step>
        <Step number={3} title={w.stepPhone} state={pass === undefined ? "later" : "now"}>
          {pass !== undefined && <PhoneStep pass={pass} onEnd={onEnd} />}
        </Step>
      </div>
    </>
  );
}

type StepProps = {
  readonly number: number;
  readonly title: string;
  readonly state: "done" | "now" | "later";
  readonly children: ReactNode;
};

function Step({ number, title, state, children }: StepProps) {
  return (
    <section
      className={classes.step}
      data-state={state}
      aria-current={state === "now" ? "step" : undefined}
    >
      <span className={classes.mark}>{state === "done" ? <IconCheck size={18} /> : number}</span>
      <Title order={2}>{title}</Title>
      {state !== "later" && <div className={classes.stepBody}>{children}</div>}
    </section>
  );
}

function DesignStep() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const { data: tenants } = useTenants();
  const name = tenants?.find((tenant) => tenant.tenantId === tenantId)?.name ?? "";
  const form = useApiForm({
    initialValues: { brand: name, color: COLORS[0] ?? "" },
    send: async (brand) => {
      await publishStarter(tenantId, brand);
      await queries.invalidateQueries({ queryKey: ["overview", tenantId, "pass types"] });
    },
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <Text c="dimmed">{w.stepDesignText}</Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={w.brand} required maxLength={40} {...form.field("brand")} />
          <ColorInput
            label={w.color}
            swatches={COLORS}
            withEyeDropper={false}
            {...form.field("color")}
          />
        </SimpleGrid>
        <ErrorDisplay error={form.problem} />
        <Group>
          <ScopedButton operation="tenant.patch" type="submit" loading={form.isSending}>
            {w.makeCard}
          </ScopedButton>
        </Group>
      </Stack>
    </form>
  );
}

type IssueProps = { readonly types: readonly string[]; readonly onIssued: (pass: Pass) => void };

function IssueStep({ types, onIssued }: IssueProps) {
  const w = useWords(words);
  const [type, setType] = useState(types.includes(STARTER) ? STARTER : (types[0] ?? ""));
  return (
    <Stack>
      <Text c="dimmed">{w.stepIssueText}</Text>
      {types.length > 1 && (
        <Select
          label={w.kind}
          data={[...types]}
          value={type}
          allowDeselect={false}
          onChange={(value) => setType(value ?? type)}
        />
      )}
      <IssueForm key={type} type={type} onIssued={onIssued} />
    </Stack>
  );
}

function IssueForm({ type, onIssued }: { type: string; onIssued: (pass: Pass) => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [fields, setFields] = useState<readonly string[]>(
    type === STARTER ? ["additionalData.firstName"] : [],
  );
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const send = async () => {
    setSending(true);
    setProblem(undefined);
    try {
      onIssued(await issuePass(tenantId, type, values));
    } catch (error) {
      const needed = neededFields(error).filter((path) => !fields.includes(path));
      setFields([...fields, ...needed]);
      // The first refusal only says which fields there are.
      if (needed.length === 0) setProblem(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Stack>
        {fields.map((path) => (
          <TextInput
            key={path}
            label={labelOf(path)}
            required
            autoComplete="off"
            value={values[path] ?? ""}
            onChange={(event) => setValues({ ...values, [path]: event.currentTarget.value })}
          />
        ))}
        <ErrorDisplay error={problem} />
        <Group>
          <ScopedButton operation="pass.create" type="submit" loading={isSending}>
            {w.issue}
          </ScopedButton>
        </Group>
      </Stack>
    </form>
  );
}

/** `additionalData.firstName` is read as "First name". */
function labelOf(path: string): string {
  const name = path.replace(/^(identifiers|additionalData)\./, "");
  const spaced = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[._]/g, " ")
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function PhoneStep({ pass, onEnd }: { pass: Pass; onEnd: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [isInstalled, setInstalled] = useState(false);
  useLiveEvent(useCallback((name) => setInstalled((was) => was || name === "pass.installed"), []));
  const hasPhones = settings.environment === "staging";
  const landing = String(pass.links?.landing ?? "");
  const phones = `${basePath}/${tenantId}/phones?pass=${encodeURIComponent(pass.id)}`;
  return (
    <Stack>
      <Text c="dimmed">{hasPhones ? w.stepPhoneText : w.stepPhoneReal}</Text>
      <Group>
        {hasPhones && (
          <Button
            component="a"
            href={phones}
            target="_blank"
            rel="noopener"
            leftSection={<IconDeviceMobile size={18} stroke={1.6} />}
          >
            {w.openPhones}
          </Button>
        )}
        <Button
          component="a"
          href={landing}
          target="_blank"
          rel="noopener"
          variant="default"
          leftSection={<IconExternalLink size={18} stroke={1.6} />}
        >
          {w.openLanding}
        </Button>
      </Group>
      {isInstalled ? (
        <Alert color="teal" icon={<IconCheck size={20} />} role="status">
          {w.installedDone}
        </Alert>
      ) : (
        <Group gap="sm" role="status" c="dimmed">
          <Loader size="xs" type="dots" />
          <Text size="sm">{w.waiting}</Text>
        </Group>
      )}
      <Group>
        <Button variant={isInstalled ? "filled" : "subtle"} onClick={onEnd}>
          {w.toNumbers}
        </Button>
      </Group>
    </Stack>
  );
}
