import assert from "node:assert/strict";
import type { ApiResponse } from "./client.ts";
import { type Hook, seedWebhook } from "./factories.ts";
import type { TestApi } from "./start-api.ts";
import { type Receiver, startReceiver, until } from "./webhook-receiver.ts";

type Owner = Parameters<typeof startReceiver>[0];

let tenants = 0;

/** A tenant with a webhook, an endpoint that gets what is delivered, and things that happen. */
export function createStage(api: TestApi) {
  const key = api.operatorKey;

  const subscribe = (tenantId: string, endpoint: string, more: Record<string, unknown> = {}) =>
    seedWebhook(api, tenantId, { endpoint, ...more });

  const get = (path: string): Promise<ApiResponse> => api.get(path, { key });

  return {
    subscribe,
    get,
    post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      api.post(path, { key, headers, ...(body === undefined ? {} : { body }) }),
    put: (path: string, body: unknown) => api.put(path, { key, body }),
    enable: async (hook: Hook, enabled: boolean) => {
      assert.equal((await api.patch(hook.path, { key, body: { enabled } })).status, 200);
    },

    /** In a tenant of its own. */
    async open(
      owner: Owner,
      more: Record<string, unknown> = {},
    ): Promise<{ receiver: Receiver; hook: Hook }> {
      tenants += 1;
      const tenantId = `stage-${tenants}`;
      await api.seed.tenant(tenantId);
      const receiver = await startReceiver(owner);
      return { receiver, hook: await subscribe(tenantId, receiver.url, more) };
    },

    /** `api-key.created`, so many times; the ids of these events. */
    async happen({ tenantId }: Hook, count = 1): Promise<string[]> {
      const before = await eventIds(tenantId);
      for (let done = 0; done < count; done += 1) await api.seed.key(tenantId, "Pass.Read");
      return (await eventIds(tenantId)).filter((id) => !before.includes(id));
    },

    /** The delivery, once it has come to this. */
    async settled(hook: Hook, id: string, state: string) {
      let seen = await get(`${hook.path}/deliveries/${id}`);
      await until(
        async () => {
          seen = await get(`${hook.path}/deliveries/${id}`);
          return seen.body.state === state;
        },
        () => `${id} is not ${state}: ${seen.text}`,
      );
      return seen.body;
    },
  };

  async function eventIds(tenantId: string): Promise<string[]> {
    const rows = await api.sql(
      "select id from event where tenant_id = $1 and name = 'api-key.created' order by sequence",
      [tenantId],
    );
    return rows.map(({ id }) => String(id));
  }
}
