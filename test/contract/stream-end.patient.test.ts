import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openEvents } from "#test/support/event-source.ts";
import { accessToken, createFirstAdministrator, joinByInvitation } from "#test/support/people.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

/*
 * A stream must end within a second after its right ends, busy or idle, on every node. It must not
 * send events that happened later. The test measures real time, so nothing busy may run beside it.
 */

const END_MS_MAX = 1_000;
const BASE_URL = "https://passes.example.com";
const env = { ROLES: "api", BASE_URL };

const api = await startApi({ after }, { env });
const other = await api.node();
const key = api.operatorKey;
await createFirstAdministrator(api);

let count = 0;
async function newTenant(): Promise<string> {
  count += 1;
  const tenantId = `tenant-${count}`;
  await api.seed.tenant(tenantId);
  return tenantId;
}

async function newKey(tenantId: string, name: string): Promise<string> {
  const body = { name, scopes: ["Webhook.Read", "Webhook.Write"] };
  const made = await api.post(`/api/${tenantId}/admin/apiKeys`, { key, body });
  assert.equal(made.status, 201, made.text);
  return made.body.token;
}

/**
 * Causes events all the time, until the returned function is called. Each event contains the time
 * of its request.
 */
function keepHappening(tenantId: string): () => Promise<void> {
  let isOver = false;
  const going = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const body = { firstName: String(performance.now()), identifiers: { "crm.id": `c${turn}` } };
      await api.post(`/api/${tenantId}/customers`, { key, body });
      await sleep(5);
    }
  })();
  return async () => {
    isOver = true;
    await going;
  };
}

type Case = {
  readonly what: string;
  readonly on?: TestApi;
  /** Returns the credential for the stream, and a function that ends its right. */
  prepare(tenantId: string): Promise<{ credential: Credential; end: () => Promise<unknown> }>;
};
type Credential = { readonly key: string } | { readonly bearer: string };

const revokeKey = async (tenantId: string) => ({
  credential: { key: await newKey(tenantId, "listener") },
  end: () => api.delete(`/api/${tenantId}/admin/apiKeys/listener`, { key }),
});

async function personOf(tenantId: string) {
  const email = `${tenantId}@example.com`;
  const invited = { email, name: "Liz", role: "tenant", tenants: [tenantId] } as const;
  const { id, browser } = await joinByInvitation(api, invited);
  return { id, invited, credential: { bearer: await accessToken(api, browser) } };
}

const cases: readonly Case[] = [
  { what: "its key is revoked", prepare: revokeKey },
  { what: "its key is revoked on another node", on: other, prepare: revokeKey },
  {
    what: "its key loses the scope",
    prepare: async (tenantId) => ({
      credential: { key: await newKey(tenantId, "listener") },
      end: () =>
        api.put(`/api/${tenantId}/admin/apiKeys/listener`, {
          key,
          body: { scopes: ["Pass.Read"] },
        }),
    }),
  },
  {
    what: "its tenant is ended, heard by a key of it",
    prepare: async (tenantId) => ({
      credential: { key: await newKey(tenantId, "listener") },
      end: () => api.delete(`/api/tenants/${tenantId}`, { key }),
    }),
  },
  {
    what: "its tenant is ended, heard by the operator on another node",
    on: other,
    prepare: async (tenantId) => ({
      credential: { key },
      end: () => api.delete(`/api/tenants/${tenantId}`, { key }),
    }),
  },
  {
    what: "its person is disabled",
    prepare: async (tenantId) => {
      const { id, invited, credential } = await personOf(tenantId);
      const body = { ...invited, disabled: true };
      return { credential, end: () => api.put(`/api/administrators/${id}`, { key, body }) };
    },
  },
];

async function listen(node: TestApi, path: string, credential: Credential) {
  const source = await openEvents(node, path, credential);
  assert.equal(source.status, 200);
  await source.started();
  return source;
}

describe("a stream", () => {
  for (const { what, on = api, prepare } of cases) {
    for (const isBusy of [true, false]) {
      it(`ends within a second, ${isBusy ? "busy" : "idle"}, when ${what}`, async (t) => {
        const tenantId = await newTenant();
        const { credential, end } = await prepare(tenantId);
        const source = await listen(on, `/api/${tenantId}/events/stream`, credential);
        t.after(() => source.close());
        const stop = isBusy ? keepHappening(tenantId) : async () => undefined;
        if (isBusy) await source.count(20);

        await end();
        const endedAt = performance.now();
        const elapsedMs = startStopwatch();
        await source.ended();
        const tookMs = elapsedMs();
        await stop();
        assert.ok(tookMs < END_MS_MAX, `${tookMs} ms`);
        const late = source.messages
          .filter(({ event }) => event === "customer.created")
          .map(({ data = "" }) => Number(JSON.parse(data).data.firstName) - endedAt)
          .filter((ms) => ms > 0);
        assert.deepEqual(late, []);
      });
    }
  }

  it("of a webhook ends within a second, too", async (t) => {
    const tenantId = await newTenant();
    const body = { events: ["*"], endpoint: "https://hooks.example/x", enabled: true };
    const made = await api.post(`/api/${tenantId}/webhooks`, { key, body });
    const { credential, end } = await revokeKey(tenantId);
    const path = `/api/${tenantId}/webhooks/${made.body.id}/stream`;
    const source = await listen(other, path, credential);
    t.after(() => source.close());
    await end();
    const elapsedMs = startStopwatch();
    await source.ended();
    assert.ok(elapsedMs() < END_MS_MAX);
  });

  it("goes on when something else in its tenant changes", async (t) => {
    const tenantId = await newTenant();
    const credential = { key: await newKey(tenantId, "listener") };
    await newKey(tenantId, "neighbour");
    const source = await listen(api, `/api/${tenantId}/events/stream`, credential);
    t.after(() => source.close());
    await api.delete(`/api/${tenantId}/admin/apiKeys/neighbour`, { key });
    await api.seed.tenant(tenantId, { "locales/fr.yml": "Points: Points\n" });
    await newKey(tenantId, "last");
    const named = (name: string) => source.messages.some(({ data }) => data?.includes(name));
    await source.until("the last one", () => named('"last"'));
  });
});
