import { Group, Select, Text } from "@mantine/core";
import { IconMailbox } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { PageLink, usePageSearch, useTenantId } from "../../navigation.tsx";
import { CurlIcon } from "../../parts/copy.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { beginningOf } from "../../parts/events/pattern.ts";
import links from "../../parts/link.module.css";
import { useLookAgain } from "../../parts/look-again.ts";
import { NothingFits } from "../../parts/nothing-fits.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { PeriodSelect } from "../../parts/period/period-select.tsx";
import type { Column } from "../../parts/table/column.ts";
import { ListTable } from "../../parts/table/list-table.tsx";
import { useWords } from "../../words/language.ts";
import { useNews } from "../health.tsx";
import { page as webhooksPage } from "../page.ts";
import { useWebhooks } from "../use-webhook.ts";
import { nameOf } from "../webhook.ts";
import classes from "../webhooks.module.css";
import {
  allFiltersOf,
  type DeliveryOfWebhook,
  deliveryListsOf,
  dueOf,
  listAllDeliveries,
  typedFilter,
} from "./delivery.ts";
import { useDeliveryColumns } from "./delivery-columns.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { page } from "./page.ts";
import { StateFilter } from "./state-filter.tsx";
import { words } from "./words.ts";

const NO_FILTER = { state: undefined, webhook: undefined, days: undefined };

/** An event has a delivery for each webhook, so both tell deliveries apart. */
const keyOf = ({ webhookId, id }: DeliveryOfWebhook): string => `${webhookId}/${id}`;

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const webhooks = useWebhooks();
  const [search, setSearch] = usePageSearch(page);
  const filters = allFiltersOf(search);
  const queryKey = [...deliveryListsOf(tenantId), "all", JSON.stringify(filters)];
  const note = useLookAgain(() => void queries.invalidateQueries({ queryKey }));
  useNews(deliveryListsOf(tenantId));
  const [webhookId, deliveryId] = search.delivery?.split("/") ?? [];
  return (
    <>
      <PageHead
        page={page}
        lead={w.allLead}
        actions={<CurlIcon method="GET" path={`/api/${tenantId}/deliveries`} />}
      />
      <Filters />
      <ListTable<DeliveryOfWebhook>
        name="all-deliveries"
        caption={w.deliveries}
        columns={useColumns()}
        keyOf={keyOf}
        queryKey={queryKey}
        live={[...webhooks.values()].flatMap(({ events }) => events.map(beginningOf))}
        load={async (wish) => {
          const wanted = { ...wish, filters: [...filters, ...(wish.filters ?? [])] };
          const found = await listAllDeliveries(tenantId, wanted);
          if (wish.cursor === undefined) note(dueOf(found.items));
          return found;
        }}
        search={{ q: search.q }}
        onSearch={({ q }) => setSearch({ q })}
        filterLabel={w.filterAll}
        filterOf={typedFilter}
        onOpen={(delivery) => setSearch({ delivery: keyOf(delivery) }, { isStep: true })}
        empty={
          filters.length > 0 ? (
            <NothingFits onClear={() => setSearch(NO_FILTER, { isStep: true })} />
          ) : (
            <EmptyState icon={IconMailbox} title={w.emptyTitle} text={w.allEmptyText} />
          )
        }
      />
      {webhookId !== undefined && deliveryId !== undefined && (
        <DeliveryDrawer
          key={search.delivery}
          webhookId={webhookId}
          deliveryId={deliveryId}
          onClose={() => setSearch({ delivery: undefined })}
        />
      )}
    </>
  );
}

/** Each choice stands in the address, so a filtered list can be sent to somebody. */
function Filters() {
  const w = useWords(words);
  const webhooks = useWebhooks();
  const [{ state, webhook, days }, setSearch] = usePageSearch(page);
  return (
    <Group role="group" aria-label={w.filters} gap="sm" mb="sm" className={classes.filters}>
      <StateFilter
        state={state}
        onChange={(value) => setSearch({ state: value }, { isStep: true })}
      />
      <Select
        className={classes.choice}
        aria-label={w.webhook}
        placeholder={w.anyWebhook}
        clearable
        searchable
        data={[...webhooks.values()].map((one) => ({ value: one.id, label: nameOf(one) }))}
        value={webhook ?? null}
        onChange={(value) => setSearch({ webhook: value ?? undefined }, { isStep: true })}
      />
      <PeriodSelect
        className={classes.choice}
        days={days}
        onChange={(value) => setSearch({ days: value }, { isStep: true })}
      />
    </Group>
  );
}

function useColumns(): readonly Column<DeliveryOfWebhook>[] {
  const w = useWords(words);
  const webhooks = useWebhooks();
  const columns = useDeliveryColumns();
  return useMemo(() => {
    const [event, ...others] = columns;
    const webhookColumn: Column<DeliveryOfWebhook> = {
      id: "webhook",
      title: w.webhook,
      width: "minmax(11rem, 1.5fr)",
      render: ({ webhookId }) => {
        const webhook = webhooks.get(webhookId);
        return (
          <Text size="sm">
            <PageLink page={webhooksPage} search={{ id: webhookId }} className={links.link}>
              {webhook === undefined ? webhookId : nameOf(webhook)}
            </PageLink>
          </Text>
        );
      },
    };
    return event === undefined ? [] : [event, webhookColumn, ...others];
  }, [columns, webhooks, w]);
}
