import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { getWebhook, listWebhooks, WEBHOOK_EVENTS, type Webhook, webhooksOf } from "./webhook.ts";

/** Asked again only when webhooks change, because each reading is written to the audit trail. */
export function useWebhook(id: string | undefined) {
  const tenantId = useTenantId();
  return useQuery({
    queryKey: [...webhooksOf(tenantId), "one", id],
    queryFn: () => getWebhook(tenantId, id ?? ""),
    enabled: id !== undefined,
    meta: { live: WEBHOOK_EVENTS },
  });
}

const NO_WEBHOOKS: ReadonlyMap<string, Webhook> = new Map();

/** All of them by their ids, for lists that name webhooks. Asked again as seldom as one of them. */
export function useWebhooks(): ReadonlyMap<string, Webhook> {
  const tenantId = useTenantId();
  const { data } = useQuery({
    queryKey: [...webhooksOf(tenantId), "all"],
    queryFn: async () => {
      const { items } = await listWebhooks(tenantId, {});
      return new Map(items.map((webhook) => [webhook.id, webhook]));
    },
    meta: { live: WEBHOOK_EVENTS },
  });
  return data ?? NO_WEBHOOKS;
}
