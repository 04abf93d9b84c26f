import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { IconWebhook } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { curlOf } from "../api/curl.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { covers } from "../parts/events/pattern.ts";
import { useCatalogue } from "../parts/events/use-catalogue.ts";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useWords } from "../words/language.ts";
import { HealthBadge, LastDelivered, useNews } from "./health.tsx";
import { page } from "./page.ts";
import { listWebhooks, nameOf, WEBHOOK_EVENTS, type Webhook, webhooksOf } from "./webhook.ts";
import { WebhookMenu } from "./webhook-menu.tsx";
import classes from "./webhooks.module.css";
import { words } from "./words.ts";

const PATTERNS_SHOWN = 3;

export function WebhookList({ createButton }: { createButton: ReactNode }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  useNews([...webhooksOf(tenantId), "health"]);
  const example = {
    endpoint: "https://hooks.example.com/passes",
    events: ["pass.*"],
    enabled: true,
  };
  return (
    <ListTable<Webhook>
      name="webhooks"
      caption={w.caption}
      columns={useColumns()}
      keyOf={({ id }) => id}
      queryKey={[...webhooksOf(tenantId), "list"]}
      live={WEBHOOK_EVENTS}
      load={(wish) => listWebhooks(tenantId, wish)}
      search={search}
      onSearch={setSearch}
      filterLabel={w.filter}
      filterOf={(value) => [{ field: "endpoint", operator: "contains", value }]}
      onOpen={({ id }) => setSearch({ id }, { isStep: true })}
      rowActions={(webhook) => <WebhookMenu webhook={webhook} />}
      empty={
        <EmptyState
          icon={IconWebhook}
          title={w.emptyTitle}
          text={w.emptyText}
          action={createButton}
          command={curlOf({ method: "POST", path: `/api/${tenantId}/webhooks`, body: example })}
        />
      }
    />
  );
}

function useColumns(): readonly Column<Webhook>[] {
  const w = useWords(words);
  return useMemo(
    () => [
      {
        id: "endpoint",
        title: w.endpoint,
        width: "minmax(13rem, 2fr)",
        render: (webhook) => (
          <>
            <span className={classes.name}>{nameOf(webhook)}</span>
            <span className={classes.address}>{webhook.endpoint}</span>
          </>
        ),
      },
      {
        id: "events",
        title: w.events,
        width: "minmax(11rem, 1.6fr)",
        render: ({ events }) => <Patterns patterns={events} />,
      },
      {
        id: "health",
        title: w.health,
        width: "minmax(9rem, 1fr)",
        render: (webhook) => <HealthBadge webhook={webhook} />,
      },
      {
        id: "lastDelivered",
        title: w.lastDelivered,
        width: "minmax(8rem, 0.9fr)",
        render: (webhook) => <LastDelivered webhook={webhook} />,
      },
      {
        id: "enabled",
        title: w.enabled,
        width: "minmax(5rem, 0.5fr)",
        sortField: "enabled",
        render: ({ enabled }) => (
          <Text size="sm" c={enabled ? undefined : "dimmed"}>
            {enabled ? w.on : w.off}
          </Text>
        ),
      },
    ],
    [w],
  );
}

/** What a webhook subscribes to; pointing at a pattern tells what it covers. */
export function Patterns({
  patterns,
  shown = PATTERNS_SHOWN,
}: {
  patterns: readonly string[];
  shown?: number;
}) {
  const w = useWords(words);
  const known = useCatalogue();
  const hintOf = (pattern: string): ReactNode => {
    if (pattern === "*") return w.allEvents;
    const names = known.map(({ name }) => name).filter((name) => covers(pattern, name));
    if (names.length === 0) return w.coversNothing;
    return [w.coversThese(names.length), ...names].map((line) => <div key={line}>{line}</div>);
  };
  return (
    <Group gap={6}>
      {patterns.slice(0, shown).map((pattern) => (
        <Tooltip key={pattern} label={hintOf(pattern)} multiline maw={320}>
          <Badge variant="default" tt="none" fw={500} className={classes.pattern}>
            {pattern}
          </Badge>
        </Tooltip>
      ))}
      {patterns.length > shown && (
        <Tooltip label={patterns.slice(shown).join(", ")} multiline maw={320}>
          <Badge variant="default" tt="none" fw={500}>
            +{patterns.length - shown}
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
}
