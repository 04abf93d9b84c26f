import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { getWebhook, listWebhooks, WEBHOOK_EVENTS, type Webhook, webhooksOf } from "./webhook.ts";

/** Reading webhooks is written to the audit trail, so they are asked for again only when they change. */
const UNTIL_CHANGED = { staleTime: Number.POSITIVE_INFINITY, meta: { live: WEBHOOK_EVENTS } };

export function useWebhook(id: string | undefined) {
  const tenantId = useTenantId();
  return useQuery({
    queryKey: [...webhooksOf(tenantId), "one", id],
    queryFn: () => getWebhook(tenantId, id ?? ""),
    enabled: id !== undefined,
    ...UNTIL_CHANGED,
  });
}

const NO_WEBHOOKS: ReadonlyMap<string, Webhook> = new Map();

/** All webhooks by their ids, for lists that name webhooks. */
export function useWebhooks(): ReadonlyMap<string, Webhook> {
  const tenantId = useTenantId();
  const { data } = useQuery({
    queryKey: [...webhooksOf(tenantId), "all"],
    queryFn: async () => {
      const { items } = await listWebhooks(tenantId, {});
      return new Map(items.map((webhook) => [webhook.id, webhook]));
    },
    ...UNTIL_CHANGED,
  });
  return data ?? NO_WEBHOOKS;
}
