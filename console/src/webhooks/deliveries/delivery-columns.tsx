import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { useMemo } from "react";
import type { Column } from "../../parts/table/column.ts";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import classes from "../webhooks.module.css";
import type { DeliverySummary } from "./delivery.ts";
import { StateBadge } from "./state-badge.tsx";
import { words } from "./words.ts";

/** What both lists of deliveries show: that of one webhook, and that of all. */
export function useDeliveryColumns(): readonly Column<DeliverySummary>[] {
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
