import { Group, Pill, SegmentedControl, Text, Tooltip } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { useMemo } from "react";
import type { Filter } from "../api/list-query.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  CONNECTOR_EVENTS,
  type Connector,
  connectorsOf,
  type Delivery,
  listDeliveries,
} from "./connector.ts";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { page } from "./page.ts";
import { StatusBadge } from "./status-badge.tsx";
import { words } from "./words.ts";

const STATUSES = ["waiting", "done", "ignored", "failed"] as const;

/** What the vendor has sent, filtered by what stands in the address. */
export function Inbox({ connector }: { connector: Connector }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const { name, webhookUrl } = connector;
  const status = STATUSES.find((one) => one === search.status);
  const { subject } = search;
  const further: Filter[] = [];
  if (status !== undefined) further.push({ field: "status", operator: "equals", value: status });
  if (subject !== undefined) further.push({ field: "subject", operator: "equals", value: subject });
  return (
    <>
      <Group mb="sm" gap="sm">
        <SegmentedControl
          data={[
            { value: "", label: w.anyStatus },
            ...STATUSES.map((value) => ({ value, label: w[`${value}Status`] })),
          ]}
          value={status ?? ""}
          onChange={(value) => setSearch({ status: value === "" ? undefined : value })}
          aria-label={w.status}
        />
        {subject !== undefined && (
          <Pill
            withRemoveButton
            size="md"
            onRemove={() => setSearch({ subject: undefined })}
            removeButtonProps={{ "aria-label": w.clearAbout, "aria-hidden": false, tabIndex: 0 }}
          >
            {w.onlyAbout(subject)}
          </Pill>
        )}
      </Group>
      <ListTable<Delivery>
        key={`${status} ${subject}`}
        name="inbox"
        caption={w.inboxCaption}
        columns={useColumns()}
        keyOf={({ deliveryId }) => deliveryId}
        queryKey={[...connectorsOf(tenantId), name, "inbox", status, subject]}
        live={CONNECTOR_EVENTS}
        load={(wish) =>
          listDeliveries(tenantId, name, {
            ...wish,
            filters: [...(wish.filters ?? []), ...further],
          })
        }
        search={search}
        onSearch={setSearch}
        filterLabel={w.filterTopic}
        filterOf={(value) => [{ field: "topic", operator: "contains", value }]}
        onOpen={({ deliveryId }) => setSearch({ delivery: deliveryId }, { isStep: true })}
        empty={
          further.length > 0 ? (
            <EmptyState title={w.inboxNone} text={w.inboxNoneText} />
          ) : (
            <EmptyState
              icon={IconInbox}
              title={w.inboxEmpty}
              text={w.inboxEmptyText}
              action={<CodeBlock code={webhookUrl ?? ""} label={w.address} />}
            />
          )
        }
      />
      {search.delivery !== undefined && (
        <DeliveryDialog connector={connector} deliveryId={search.delivery} />
      )}
    </>
  );
}

function useColumns(): readonly Column<Delivery>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "topic",
        title: w.topic,
        width: "minmax(10rem, 1.2fr)",
        sortField: "topic",
        render: ({ topic }) => (
          <Text size="sm" fw={500}>
            {topic}
          </Text>
        ),
      },
      {
        id: "status",
        title: w.status,
        width: "minmax(6.5rem, 0.6fr)",
        sortField: "status",
        render: ({ status }) => <StatusBadge status={status} />,
      },
      {
        id: "subject",
        title: w.subject,
        width: "minmax(9rem, 1fr)",
        sortField: "subject",
        render: ({ subject }) => (
          <Text size="sm" truncate>
            {subject}
          </Text>
        ),
      },
      {
        id: "problem",
        title: w.problem,
        width: "minmax(11rem, 1.6fr)",
        render: ({ problem }) => (
          <Text size="sm" lineClamp={2} c="dimmed">
            {problem ?? "–"}
          </Text>
        ),
      },
      {
        id: "received",
        title: w.received,
        width: "minmax(8rem, 0.8fr)",
        sortField: "receivedAt",
        render: ({ receivedAt }) => (
          <Tooltip label={format.moment(receivedAt)}>
            <Text size="sm">{format.ago(receivedAt)}</Text>
          </Tooltip>
        ),
      },
      {
        id: "attempts",
        title: w.attempts,
        width: "minmax(5rem, 0.4fr)",
        isExtra: true,
        render: ({ attempts }) => <Text size="sm">{format.number(attempts)}</Text>,
      },
    ],
    [w, format],
  );
}
