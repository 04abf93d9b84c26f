import { Button, Group, Select, Text, Title } from "@mantine/core";
import { IconMailbox } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { usePageSearch, useTenantId } from "../../navigation.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { beginningOf } from "../../parts/events/pattern.ts";
import { useLookAgain } from "../../parts/look-again.ts";
import { ListTable } from "../../parts/table/list-table.tsx";
import { useWords } from "../../words/language.ts";
import { page } from "../page.ts";
import { healthOf, type Webhook } from "../webhook.ts";
import classes from "../webhooks.module.css";
import {
  type DeliverySummary,
  deliveryListsOf,
  dueOf,
  filtersOf,
  listDeliveries,
  PERIODS,
} from "./delivery.ts";
import { useDeliveryColumns } from "./delivery-columns.tsx";
import { StateFilter } from "./state-filter.tsx";
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
  const queryKey = [...deliveryListsOf(tenantId), id, state, period];
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
        columns={useDeliveryColumns()}
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
      <StateFilter state={state} onChange={(value) => setSearch({ state: value })} />
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
