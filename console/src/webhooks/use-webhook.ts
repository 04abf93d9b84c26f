import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { getWebhook, WEBHOOK_EVENTS, webhooksOf } from "./webhook.ts";

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
