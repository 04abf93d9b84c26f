import { Badge, Text, Tooltip } from "@mantine/core";
import { IconRefresh, IconSend } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ScopedIcon } from "../parts/scoped.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  CONNECTOR_EVENTS,
  type Connector,
  connectorsOf,
  listRefused,
  type RefusedEvent,
  replayRefused,
} from "./connector.ts";
import { page } from "./page.ts";
import { words } from "./words.ts";

/** The vendor answers in its own time, and its answer is the event of nothing. */
const ANSWERED_MS = 1_500;

/** Events that were set aside because the vendor would not take them. */
export function RefusedEvents({ connector: { name } }: { connector: Connector }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [search, setSearch] = usePageSearch(page);
  const askAnew = () => queries.invalidateQueries({ queryKey: connectorsOf(tenantId) });
  const sendAgain = async ({ eventId }: RefusedEvent) => {
    try {
      await replayRefused(tenantId, name, eventId);
      toast({ message: w.sentAgain });
      await askAnew();
      setTimeout(() => void askAnew(), ANSWERED_MS);
    } catch (error) {
      toastProblem(error);
    }
  };
  return (
    <ListTable<RefusedEvent>
      name="refused-events"
      caption={w.refusedCaption}
      columns={useColumns()}
      keyOf={({ eventId }) => eventId}
      queryKey={[...connectorsOf(tenantId), name, "refused"]}
      live={CONNECTOR_EVENTS}
      load={(wish) => listRefused(tenantId, name, wish)}
      search={search}
      onSearch={setSearch}
      filterLabel={w.filterEvent}
      filterOf={(value) => [{ field: "event", operator: "contains", value }]}
      rowActions={(refused) => (
        <ScopedIcon
          operation="refused-event.replay"
          label={w.sendAgainOf(refused.event)}
          onClick={() => void sendAgain(refused)}
        >
          <IconRefresh size={18} stroke={1.6} />
        </ScopedIcon>
      )}
      empty={<EmptyState icon={IconSend} title={w.refusedEmpty} text={w.refusedEmptyText} />}
    />
  );
}

function useColumns(): readonly Column<RefusedEvent>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "event",
        title: w.event,
        width: "minmax(10rem, 1fr)",
        sortField: "event",
        render: ({ event, isWaiting }) => (
          <>
            <Text size="sm" fw={500}>
              {event}
            </Text>
            {isWaiting && (
              <Badge variant="light" tt="none">
                {w.isWaiting}
              </Badge>
            )}
          </>
        ),
      },
      {
        id: "reason",
        title: w.reason,
        width: "minmax(14rem, 2fr)",
        render: ({ reason }) => (
          <Text size="sm" lineClamp={2}>
            {reason}
          </Text>
        ),
      },
      {
        id: "refusedAt",
        title: w.refusedAt,
        width: "minmax(8rem, 0.8fr)",
        sortField: "refusedAt",
        render: ({ refusedAt }) => (
          <Tooltip label={format.moment(refusedAt)}>
            <Text size="sm">{format.ago(refusedAt)}</Text>
          </Tooltip>
        ),
      },
    ],
    [w, format],
  );
}
