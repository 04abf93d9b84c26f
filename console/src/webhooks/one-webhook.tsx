import { Alert, Badge, Button, Group, Skeleton, Text, Tooltip } from "@mantine/core";
import { IconArrowLeft, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CopyIcon, CurlIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { deliveryListsOf } from "./deliveries/delivery.ts";
import { DeliveryDrawer } from "./deliveries/delivery-drawer.tsx";
import { DeliveryTable } from "./deliveries/delivery-table.tsx";
import { words as deliveryWords } from "./deliveries/words.ts";
import { useHealth, useHealthLook, useNews } from "./health.tsx";
import { page } from "./page.ts";
import { SecretReveal } from "./secret.tsx";
import { useWebhook } from "./use-webhook.ts";
import { getSettings, healthOf, nameOf, type Webhook, webhooksOf } from "./webhook.ts";
import { Patterns } from "./webhook-list.tsx";
import { useSwitch, WebhookMenu } from "./webhook-menu.tsx";
import classes from "./webhooks.module.css";
import { words } from "./words.ts";

const PATTERNS_SHOWN = 12;

/** One subscription: how it fares, and everything that was sent to it. */
export function OneWebhook({ id }: { id: string }) {
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const { data: webhook, error, refetch } = useWebhook(id);
  useNews(healthOf(tenantId, id), deliveryListsOf(tenantId));
  return (
    <>
      <BackToList />
      {error !== null && <ErrorDisplay error={error} onRetry={() => void refetch()} />}
      {webhook === undefined && error === null && <Skeleton h={240} radius="lg" />}
      {webhook !== undefined && <Opened webhook={webhook} />}
      {search.delivery !== undefined && (
        <DeliveryDrawer
          key={search.delivery}
          webhookId={id}
          deliveryId={search.delivery}
          onClose={() => setSearch({ delivery: undefined })}
        />
      )}
    </>
  );
}

function BackToList() {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const back = () =>
    setSearch(
      {
        id: undefined,
        state: undefined,
        event: undefined,
        period: undefined,
        delivery: undefined,
      },
      { isStep: true },
    );
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      mb="xs"
      ml={-8}
      leftSection={<IconArrowLeft size={16} stroke={1.6} />}
      onClick={back}
    >
      {w.backToList}
    </Button>
  );
}

function Opened({ webhook }: { webhook: Webhook }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const { id } = webhook;
  const testButton = (
    <ScopedButton
      operation="webhook.test"
      leftSection={<IconSend size={16} stroke={1.6} />}
      onClick={() => setSearch({ test: id }, { isStep: true })}
    >
      {w.testNow}
    </ScopedButton>
  );
  return (
    <>
      <PageHead
        page={page}
        title={nameOf(webhook)}
        actions={
          <>
            <CurlIcon method="GET" path={`/api/${tenantId}/webhooks/${id}/deliveries`} />
            {testButton}
            <WebhookMenu webhook={webhook} isInHead />
          </>
        }
      />
      <Warnings webhook={webhook} />
      <Summary webhook={webhook} />
      <DeliveryTable webhook={webhook} testButton={testButton} />
    </>
  );
}

/** What somebody should do something about. */
function Warnings({ webhook }: { webhook: Webhook }) {
  const w = useWords(words);
  const flip = useSwitch();
  const [, setSearch] = usePageSearch(page);
  const { data } = useHealth(webhook.id);
  if (data === undefined) return undefined;
  const { enabled, disabledReason, unmatchedPatterns } = data;
  return (
    <>
      {!enabled && disabledReason !== null && (
        <Alert color="red" variant="light" mb="md">
          <Group justify="space-between">
            <Text size="sm">{disabledReason === "gone" ? w.disabledGone : w.disabledFailing}</Text>
            <ScopedButton
              operation="webhook.update"
              size="compact-sm"
              variant="default"
              onClick={() => void flip(webhook)}
            >
              {w.turnOn}
            </ScopedButton>
          </Group>
        </Alert>
      )}
      {unmatchedPatterns.map(({ pattern, nearest }) => (
        <Alert key={pattern} color="yellow" variant="light" mb="md">
          <Group justify="space-between">
            <Text size="sm">
              {w.unmatched(pattern)} {nearest !== null && w.nearest(nearest)}
            </Text>
            <ScopedButton
              operation="webhook.update"
              size="compact-sm"
              variant="default"
              onClick={() => setSearch({ edit: webhook.id }, { isStep: true })}
            >
              {w.edit}
            </ScopedButton>
          </Group>
        </Alert>
      ))}
    </>
  );
}

function Summary({ webhook }: { webhook: Webhook }) {
  const w = useWords(words);
  const d = useWords(deliveryWords);
  const format = useFormat();
  const tenantId = useTenantId();
  const lookOf = useHealthLook();
  const { data: health } = useHealth(webhook.id);
  const { data: delivery } = useQuery({
    queryKey: [...webhooksOf(tenantId), "settings", webhook.id],
    queryFn: () => getSettings(tenantId, webhook.id),
  });
  const look = health === undefined ? undefined : lookOf(health);
  const moment = (at: string | null | undefined, none: string): ReactNode =>
    at === null || at === undefined ? (
      none
    ) : (
      <Tooltip label={format.moment(at)}>
        <span>{format.ago(at)}</span>
      </Tooltip>
    );
  return (
    <dl className={classes.summary}>
      <Fact title={w.health}>
        <Badge color={look?.color ?? "gray"} variant="light" tt="none" size="lg">
          {look?.label ?? "…"}
        </Badge>
        {look?.hint !== undefined && <span className={classes.soft}>{look.hint}</span>}
      </Fact>
      <Fact title={w.lastDelivered}>{moment(health?.lastDeliveredAt, w.never)}</Fact>
      <Fact title={d.waitingCard}>
        {format.number(health?.pending ?? 0)}
        <span className={classes.soft}>
          {(health?.pending ?? 0) === 0
            ? d.nothingWaits
            : health?.nextAttemptAt != null && d.next(format.ago(health.nextAttemptAt))}
        </span>
      </Fact>
      <Fact title={w.events}>
        <Patterns patterns={webhook.events} shown={PATTERNS_SHOWN} />
        {delivery?.ordered === true && <span className={classes.soft}>{w.ordered}</span>}
      </Fact>
      <Fact title={w.endpoint}>
        <Group gap={4} wrap="nowrap">
          <code className={classes.mono}>{webhook.endpoint}</code>
          <CopyIcon value={webhook.endpoint} />
        </Group>
      </Fact>
      <Fact title={w.secret}>
        <SecretReveal id={webhook.id} />
      </Fact>
    </dl>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
