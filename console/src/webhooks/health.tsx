import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { useLiveEvent } from "../live/live.ts";
import { useTenantId } from "../navigation.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { getHealth, type Health, healthOf, WEBHOOK_EVENTS, type Webhook } from "./webhook.ts";
import { words } from "./words.ts";

/** An event is followed by its deliveries, most of which have ended after so long. */
const DELIVERED_MS = 1_500;

export function useHealth(id: string) {
  const tenantId = useTenantId();
  return useQuery({
    queryKey: healthOf(tenantId, id),
    queryFn: () => getHealth(tenantId, id),
    meta: { live: WEBHOOK_EVENTS },
  });
}

/** Asks again for what these keys name a moment after something happened, however much happens. */
export function useNews(...keys: readonly (readonly unknown[])[]): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvent(
    useCallback(() => {
      if (timer.current !== undefined) return;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        for (const queryKey of latest.current) void queries.invalidateQueries({ queryKey });
      }, DELIVERED_MS);
    }, [queries]),
  );
}

type Look = { readonly color: string; readonly label: string; readonly hint?: string };

export function useHealthLook(): (health: Health) => Look {
  const w = useWords(words);
  const format = useFormat();
  return ({ enabled, disabledReason, failingSince, lastDeliveredAt }) => {
    if (!enabled && disabledReason === null) return { color: "gray", label: w.off };
    if (!enabled) {
      const hint = disabledReason === "gone" ? w.disabledGone : w.disabledFailing;
      return { color: "red", label: w.switchedOff, hint };
    }
    if (failingSince !== null) {
      return { color: "red", label: w.failing, hint: w.failingSince(format.ago(failingSince)) };
    }
    if (lastDeliveredAt === null) return { color: "gray", label: w.quiet };
    return { color: "teal", label: w.healthy };
  };
}

export function HealthBadge({ webhook: { id } }: { webhook: Webhook }) {
  const w = useWords(words);
  const format = useFormat();
  const lookOf = useHealthLook();
  const { data } = useHealth(id);
  if (data === undefined) return <Text size="sm">…</Text>;
  const { color, label, hint } = lookOf(data);
  return (
    <Group gap={6}>
      <Tooltip label={hint} disabled={hint === undefined} multiline maw={300}>
        <Badge color={color} variant="light" tt="none">
          {label}
        </Badge>
      </Tooltip>
      {data.pending > 0 && (
        <Text size="xs" c="dimmed">
          {w.waiting(format.number(data.pending))}
        </Text>
      )}
    </Group>
  );
}

export function LastDelivered({ webhook: { id } }: { webhook: Webhook }) {
  const w = useWords(words);
  const format = useFormat();
  const { data } = useHealth(id);
  const at = data?.lastDeliveredAt ?? undefined;
  if (at === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {data === undefined ? "…" : w.never}
      </Text>
    );
  }
  return (
    <Tooltip label={format.moment(at)}>
      <Text size="sm">{format.ago(at)}</Text>
    </Tooltip>
  );
}
