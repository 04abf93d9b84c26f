import { Button, CopyButton, Drawer, Group, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { IconCheck, IconSend, IconTerminal2 } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTenantId } from "../../navigation.tsx";
import { CodeBlock, CopyIcon } from "../../parts/copy.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { useLookAgain } from "../../parts/look-again.ts";
import { prettyJson } from "../../parts/pretty-json.ts";
import { ScopedButton } from "../../parts/scoped.tsx";
import { toast, toastProblem } from "../../parts/toast.tsx";
import { words as partWords } from "../../parts/words.ts";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import { healthOf } from "../webhook.ts";
import classes from "../webhooks.module.css";
import { AttemptList } from "./attempt-list.tsx";
import {
  curlOfAttempt,
  type Delivery,
  deliveryListsOf,
  deliveryOf,
  dueOf,
  getDelivery,
  redeliver,
} from "./delivery.ts";
import { StateBadge } from "./state-badge.tsx";
import { VerifyPanel } from "./verify-panel.tsx";
import { words } from "./words.ts";

type Props = {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly onClose: () => void;
};

/** One delivery beside the list: everything that was sent and came back. */
export function DeliveryDrawer({ webhookId, deliveryId, onClose }: Props) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const tenantId = useTenantId();
  const { data, error, refetch } = useQuery({
    queryKey: deliveryOf(tenantId, webhookId, deliveryId),
    queryFn: () => getDelivery(tenantId, webhookId, deliveryId),
  });
  const note = useLookAgain(() => void refetch());
  useEffect(() => {
    if (data !== undefined) note(dueOf([data]));
  }, [data, note]);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="46rem"
      title={data === undefined ? w.deliveries : w.title(data.sampleOf ?? data.event)}
      closeButtonProps={{ "aria-label": parts.close }}
      classNames={{ title: classes.drawerTitle ?? "" }}
    >
      {error !== null && <ErrorDisplay error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={320} radius="md" />}
      {data !== undefined && <Inspector delivery={data} webhookId={webhookId} />}
    </Drawer>
  );
}

function Inspector({ delivery, webhookId }: { delivery: Delivery; webhookId: string }) {
  const w = useWords(words);
  const { body } = delivery;
  return (
    <Stack>
      <Facts delivery={delivery} />
      <Actions delivery={delivery} webhookId={webhookId} />
      <Tabs defaultValue="attempts" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="attempts">{w.tabAttempts}</Tabs.Tab>
          <Tabs.Tab value="body">{w.tabBody}</Tabs.Tab>
          <Tabs.Tab value="verify">{w.tabVerify}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="attempts">
          <AttemptList delivery={delivery} />
        </Tabs.Panel>
        <Tabs.Panel value="body">
          {body === null ? (
            <Text size="sm">{w.bodyGone}</Text>
          ) : (
            <CodeBlock code={prettyJson(body)} label={w.requestBody} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="verify">
          <VerifyPanel delivery={delivery} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Facts({ delivery }: { delivery: Delivery }) {
  const w = useWords(words);
  const format = useFormat();
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{w.state}</dt>
        <dd>
          <StateBadge state={delivery.state} />
        </dd>
      </div>
      <div>
        <dt>{w.created}</dt>
        <dd>{format.moment(delivery.createdAt)}</dd>
      </div>
      <div>
        <dt>{w.attempts}</dt>
        <dd>{format.number(delivery.attemptCount)}</dd>
      </div>
      <div>
        <dt>{w.id}</dt>
        <dd>
          <Group gap={4} wrap="nowrap">
            <code className={classes.mono}>{delivery.id}</code>
            <CopyIcon value={delivery.id} />
          </Group>
        </dd>
      </div>
    </dl>
  );
}

function Actions({ delivery, webhookId }: { delivery: Delivery; webhookId: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const last = delivery.attempts.at(-1);
  const again = async () => {
    try {
      const sent = await redeliver(tenantId, webhookId, delivery.id);
      queries.setQueryData(deliveryOf(tenantId, webhookId, delivery.id), sent);
      toast({ message: w.redelivering });
      await Promise.all([
        queries.invalidateQueries({ queryKey: deliveryListsOf(tenantId) }),
        queries.invalidateQueries({ queryKey: healthOf(tenantId, webhookId) }),
      ]);
    } catch (error) {
      toastProblem(error);
    }
  };
  return (
    <Group>
      <ScopedButton
        operation="delivery.redeliver"
        leftSection={<IconSend size={16} stroke={1.6} />}
        onClick={() => void again()}
      >
        {w.redeliver}
      </ScopedButton>
      {last !== undefined && (
        <CopyButton value={curlOfAttempt(last, delivery.body)}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={
                copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} stroke={1.6} />
              }
            >
              {copied ? w.copied : w.copyCurl}
            </Button>
          )}
        </CopyButton>
      )}
    </Group>
  );
}
