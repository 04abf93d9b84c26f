import {
  Alert,
  Button,
  Group,
  List,
  Modal,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CodeBlock, CopyIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  CONNECTOR_EVENTS,
  type Connector,
  connectorsOf,
  type DeliveryDetail,
  getDelivery,
  replayDelivery,
} from "./connector.ts";
import classes from "./connectors.module.css";
import { page } from "./page.ts";
import { StatusBadge } from "./status-badge.tsx";
import { words } from "./words.ts";

/** A delivery without effect is the event of nothing, so it is asked for once more a moment later. */
const WORKED_ON_MS = 1_200;

type Props = { readonly connector: Connector; readonly deliveryId: string };

/** One delivery: what came, and what was done about it. */
export function DeliveryDialog({ connector, deliveryId }: Props) {
  const w = useWords(words);
  const p = useWords(partWords);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const { data, error } = useQuery({
    queryKey: [...connectorsOf(tenantId), connector.name, "delivery", deliveryId],
    queryFn: () => getDelivery(tenantId, connector.name, deliveryId),
    meta: { live: CONNECTOR_EVENTS },
  });
  return (
    <Modal
      opened
      size="xl"
      title={data === undefined ? w.delivery : data.topic}
      onClose={() => setSearch({ delivery: undefined })}
      closeButtonProps={{ "aria-label": p.close }}
    >
      {error !== null && <ErrorDisplay error={error} />}
      {data === undefined && error === null && <Skeleton h={240} />}
      {data !== undefined && <Contents connector={connector} delivery={data} />}
    </Modal>
  );
}

type ContentsProps = { readonly connector: Connector; readonly delivery: DeliveryDetail };

function Contents({ connector, delivery }: ContentsProps) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const { subject, status, problem, headers, body } = delivery;
  return (
    <Stack gap="lg">
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <StatusBadge status={status} />
          <Text size="sm">{subject}</Text>
        </Group>
        <Button
          size="xs"
          variant="subtle"
          onClick={() => setSearch({ delivery: undefined, subject, status: undefined })}
        >
          {w.sameSubject}
        </Button>
      </Group>
      {problem !== null && (
        <Alert
          color={status === "failed" ? "red" : "orange"}
          icon={<IconAlertTriangle size={20} stroke={1.6} />}
        >
          {problem}
        </Alert>
      )}
      <Replay connector={connector} delivery={delivery} />
      <Times delivery={delivery} />
      <section>
        <Title order={3} mb="xs">
          {w.done}
        </Title>
        <Result result={delivery.result} />
      </section>
      <section>
        <Title order={3} mb="xs">
          {w.body}
        </Title>
        {body === null ? (
          <Text c="dimmed">{w.erased}</Text>
        ) : (
          <CodeBlock code={pretty(body)} label={w.body} />
        )}
      </section>
      <section>
        <Title order={3} mb="xs">
          {w.headers}
        </Title>
        <Table className={classes.headers} aria-label={w.headers}>
          <Table.Tbody>
            {Object.entries(headers).map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Stack>
  );
}

/** JSON as people read it; anything else as it came. Numbers keep their digits. */
function pretty(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    const text = JSON.stringify(parsed, undefined, 2);
    // Digits that a number of this language cannot hold would be changed: then it stays as it came.
    return JSON.stringify(parsed).replaceAll(/\s/g, "") === body.replaceAll(/\s/g, "")
      ? text
      : body;
  } catch {
    return body;
  }
}

function Times({ delivery }: { delivery: DeliveryDetail }) {
  const w = useWords(words);
  const format = useFormat();
  const { occurredAt, receivedAt, finishedAt, nextAttemptAt, attempts } = delivery;
  const rows = [
    [w.occurred, occurredAt],
    [w.received, receivedAt],
    [w.finished, finishedAt],
    [w.nextAttempt, finishedAt === null ? nextAttemptAt : null],
  ] as const;
  return (
    <dl className={classes.times}>
      {rows.map(
        ([label, at]) =>
          at !== null && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{format.moment(at)}</dd>
            </div>
          ),
      )}
      <div>
        <dt>{w.attempts}</dt>
        <dd>{format.number(attempts)}</dd>
      </div>
    </dl>
  );
}

type Deed = Readonly<Record<string, unknown>>;

/** Action by action, with the ids of what it concerned. */
function Result({ result }: { result: unknown }) {
  const w = useWords(words);
  const deeds = Array.isArray(result) ? (result as readonly Deed[]) : [];
  if (deeds.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {w.nothingDone}
      </Text>
    );
  return (
    <List size="sm" spacing={6}>
      {deeds.map((deed, at) => {
        const { do: verb, outcome, note, ...ids } = deed;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: actions have no names, and keep their places.
          <List.Item key={at}>
            <strong>{String(verb)}</strong> {String(outcome)}
            {note !== undefined && ` · ${String(note)}`}
            {Object.entries(ids).map(([name, value]) => (
              <Text key={name} size="sm" c="dimmed" component="div">
                {name} <code className={classes.mono}>{String(value)}</code>{" "}
                <CopyIcon value={String(value)} />
              </Text>
            ))}
          </List.Item>
        );
      })}
    </List>
  );
}

function Replay({ connector: { name }, delivery }: ContentsProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const { deliveryId, status } = delivery;
  const askAnew = () => queries.invalidateQueries({ queryKey: connectorsOf(tenantId) });
  const replay = async () => {
    setSending(true);
    setProblem(undefined);
    try {
      await replayDelivery(tenantId, name, deliveryId);
      toast({ message: w.replayed });
      await askAnew();
      setTimeout(() => void askAnew(), WORKED_ON_MS);
    } catch (error) {
      setProblem(error);
    } finally {
      setSending(false);
    }
  };
  if (status === "waiting") return <ErrorDisplay error={problem} />;
  return (
    <>
      <Group gap="sm">
        <ScopedButton
          operation="inbox.replay"
          variant={status === "failed" ? "filled" : "default"}
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          loading={isSending}
          onClick={() => void replay()}
        >
          {w.replay}
        </ScopedButton>
        <Text size="sm" c="dimmed">
          {w.replayHint}
        </Text>
      </Group>
      <ErrorDisplay error={problem} />
    </>
  );
}
