import { Alert, Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconSend } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageSearch, useTenantId } from "../../navigation.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { useCatalogue } from "../../parts/events/use-catalogue.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { ScopedButton } from "../../parts/scoped.tsx";
import { useWords } from "../../words/language.ts";
import { page } from "../page.ts";
import { nameOf, type Webhook } from "../webhook.ts";
import { AttemptView } from "./attempt-view.tsx";
import { type Delivery, deliveryListsOf, testWebhook } from "./delivery.ts";
import { useDuration } from "./duration.ts";
import { words } from "./words.ts";

const PLAIN = "webhook.test";

type Props = { readonly webhook: Webhook; readonly onClose: () => void };

export function TestDialog({ webhook, onClose }: Props) {
  const w = useWords(words);
  return (
    <FormDialog
      operation="webhook.test"
      opened
      onClose={onClose}
      title={w.testTitle(nameOf(webhook))}
      size="lg"
    >
      <TestPanel id={webhook.id} />
    </FormDialog>
  );
}

/** Sends a test and shows what came back: the real answer of the endpoint, with its timing. */
export function TestPanel({ id }: { id: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const known = useCatalogue();
  const [event, setEvent] = useState(PLAIN);
  const [answer, setAnswer] = useState<Delivery>();
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const send = async () => {
    setSending(true);
    setError(undefined);
    try {
      setAnswer(await testWebhook(tenantId, id, event === PLAIN ? undefined : event));
      await queries.invalidateQueries({ queryKey: deliveryListsOf(tenantId) });
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  const names = known.map(({ name }) => name).filter((name) => name !== PLAIN);
  return (
    <Stack>
      <Text>{w.testLead}</Text>
      <Group align="flex-end">
        <Select
          flex="1 1 14rem"
          label={w.testEvent}
          data={[{ value: PLAIN, label: w.testPlain }, ...names]}
          value={event}
          onChange={(value) => setEvent(value ?? PLAIN)}
          searchable
          allowDeselect={false}
          data-autofocus
        />
        <ScopedButton
          operation="webhook.test"
          loading={isSending}
          leftSection={<IconSend size={16} stroke={1.6} />}
          onClick={() => void send()}
        >
          {answer === undefined ? w.sendTest : w.sendAgain}
        </ScopedButton>
      </Group>
      <ErrorDisplay error={error} />
      {answer !== undefined && <Answer key={answer.id} delivery={answer} webhookId={id} />}
    </Stack>
  );
}

function Answer({ delivery, webhookId }: { delivery: Delivery; webhookId: string }) {
  const w = useWords(words);
  const duration = useDuration();
  const [, setSearch] = usePageSearch(page);
  const attempt = delivery.attempts.at(-1);
  if (attempt === undefined) return undefined;
  const isTaken = delivery.state === "delivered";
  const { status } = attempt;
  const time = duration(attempt.durationMs);
  const told =
    status === null
      ? w.unreachable(time)
      : isTaken
        ? w.accepted(status, time)
        : w.refused(status, time);
  const open = () =>
    setSearch(
      { id: webhookId, delivery: delivery.id, test: undefined, rotate: undefined },
      { isStep: true },
    );
  return (
    <>
      <Alert
        role="status"
        variant="light"
        color={isTaken ? "teal" : "red"}
        icon={isTaken ? <IconCheck size={20} /> : <IconAlertTriangle size={20} stroke={1.6} />}
        title={told}
      >
        <Button size="compact-sm" variant="default" onClick={open}>
          {w.seeDelivery}
        </Button>
      </Alert>
      <AttemptView attempt={attempt} />
    </>
  );
}
