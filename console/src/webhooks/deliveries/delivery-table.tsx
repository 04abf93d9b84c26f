import {
  Badge,
  Button,
  Group,
  SegmentedControl,
  Select,
  Text,
  Title,
  Tooltip,
} from "@mantine/core";
import { IconMailbox } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { usePageSearch, useTenantId } from "../../navigation.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { beginningOf } from "../../parts/events/pattern.ts";
import { useLookAgain } from "../../parts/look-again.ts";
import type { Column } from "../../parts/table/column.ts";
import { ListTable } from "../../parts/table/list-table.tsx";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import { page } from "../page.ts";
import { healthOf, type Webhook } from "../webhook.ts";
import classes from "../webhooks.module.css";
import {
  type DeliverySummary,
  deliveriesOf,
  dueOf,
  filtersOf,
  listDeliveries,
  PERIODS,
  STATES,
} from "./delivery.ts";
import { StateBadge } from "./state-badge.tsx";
import { words } from "./words.ts";

/** What a webhook was sent, filtered by what stands in the address. */
export function DeliveryTable({
  webhook,
  testButton,
}: {
  webhook: Webhook;
  testButton: ReactNode;
}) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [{ state, period, event }, setSearch] = usePageSearch(page);
  const { id } = webhook;
  const queryKey = [...deliveriesOf(tenantId, id), "list", state, period];
  const note = useLookAgain(() => {
    void queries.invalidateQueries({ queryKey });
    void queries.invalidateQueries({ queryKey: healthOf(tenantId, id) });
  });
  const isFiltered = state !== undefined || period !== undefined;
  return (
    <section aria-label={w.deliveries}>
      <Title order={2}>{w.deliveries}</Title>
      <Text c="dimmed" size="sm" mb="md">
        {w.deliveriesLead}
      </Text>
      <Filters />
      <ListTable<DeliverySummary>
        name="deliveries"
        caption={w.deliveries}
        columns={useColumns()}
        keyOf={(delivery) => delivery.id}
        queryKey={queryKey}
        live={webhook.events.map(beginningOf)}
        load={async (wish) => {
          const filters = [...(wish.filters ?? []), ...filtersOf({ state, period })];
          const found = await listDeliveries(tenantId, id, { ...wish, filters });
          if (wish.cursor === undefined) note(dueOf(found.items));
          return found;
        }}
        search={{ q: event }}
        onSearch={({ q }) => setSearch({ event: q })}
        filterLabel={w.filterEvent}
        filterOf={(value) => [{ field: "event", operator: "contains", value }]}
        onOpen={(delivery) => setSearch({ delivery: delivery.id }, { isStep: true })}
        empty={
          isFiltered ? (
            <EmptyState
              title={w.nothingTitle}
              text={w.nothingText}
              action={
                <Button
                  variant="default"
                  onClick={() => setSearch({ state: undefined, period: undefined })}
                >
                  {w.clear}
                </Button>
              }
            />
          ) : (
            <EmptyState
              icon={IconMailbox}
              title={w.emptyTitle}
              text={w.emptyText}
              action={testButton}
            />
          )
        }
      />
    </section>
  );
}

function Filters() {
  const w = useWords(words);
  const [{ state, period }, setSearch] = usePageSearch(page);
  return (
    <Group mb="md" gap="sm" className={classes.filters}>
      <SegmentedControl
        aria-label={w.stateFilter}
        data={[{ value: "", label: w.all }, ...STATES.map((value) => ({ value, label: w[value] }))]}
        value={state ?? ""}
        onChange={(value) => setSearch({ state: value === "" ? undefined : value })}
      />
      <Select
        aria-label={w.period}
        data={[
          { value: "", label: w.anyTime },
          ...(Object.keys(PERIODS) as (keyof typeof PERIODS)[]).map((value) => ({
            value,
            label: w[value],
          })),
        ]}
        value={period ?? ""}
        allowDeselect={false}
        onChange={(value) =>
          setSearch({ period: value === "" || value === null ? undefined : value })
        }
      />
    </Group>
  );
}

function useColumns(): readonly Column<DeliverySummary>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "event",
        title: w.event,
        width: "minmax(12rem, 2fr)",
        render: ({ id, event, sampleOf }) => (
          <>
            <Group gap={6}>
              <span className={classes.eventName}>{sampleOf ?? event}</span>
              {event === "webhook.test" && (
                <Badge size="sm" variant="default" tt="none">
                  {w.test}
                </Badge>
              )}
            </Group>
            <span className={classes.address}>{id}</span>
          </>
        ),
      },
      {
        id: "state",
        title: w.state,
        width: "minmax(7rem, 0.8fr)",
        render: ({ state }) => <StateBadge state={state} />,
      },
      {
        id: "answer",
        title: w.answer,
        width: "minmax(6rem, 0.7fr)",
        render: ({ lastStatus, attemptCount }) => (
          <Text size="sm" className={classes.number}>
            {lastStatus ?? (attemptCount === 0 ? "–" : w.noAnswer)}
          </Text>
        ),
      },
      {
        id: "attempts",
        title: w.attempts,
        width: "minmax(6rem, 0.7fr)",
        render: ({ attemptCount, nextAttemptAt }) => (
          <Text size="sm" className={classes.number}>
            {format.number(attemptCount)}
            {nextAttemptAt !== null && (
              <span className={classes.soft}>{w.next(format.ago(nextAttemptAt))}</span>
            )}
          </Text>
        ),
      },
      {
        id: "when",
        title: w.when,
        width: "minmax(8rem, 1fr)",
        render: ({ createdAt }) => (
          <Tooltip label={format.moment(createdAt)}>
            <Text size="sm">{format.ago(createdAt)}</Text>
          </Tooltip>
        ),
      },
    ],
    [w, format],
  );
}
