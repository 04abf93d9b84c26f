import { newId } from "#kernel/ids.ts";
import type { ApiClient, ApiResponse } from "./client.ts";

/*
 * Webhooks, customers and what they are owed, for tests that are about something else. Through the front
 * door where one is made; as rows where a thousand are needed, or what no caller can bring about. Passes
 * are made by `seedPass` in `pass-tenant.ts`.
 */

type Door = Pick<ApiClient, "post"> & { readonly operatorKey: string };
type Rows = { sql(text: string, values: unknown[]): Promise<unknown> };

export type Hook = {
  readonly id: string;
  readonly tenantId: string;
  readonly signatureSecret: string;
  /** `/api/{tenantId}/webhooks/{id}` */
  readonly path: string;
};

function requireMade({ status, text }: ApiResponse, what: string): void {
  if (status > 201) throw new Error(`${what} not seeded: ${text}`);
}

/** Enabled, and for the event that `seed.key` makes happen, unless it is said otherwise. */
export async function seedWebhook(
  { post, operatorKey: key }: Door,
  tenantId: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Hook> {
  const path = `/api/${tenantId}/webhooks`;
  const endpoint = "https://hooks.example/events";
  const body = { events: ["api-key.created"], endpoint, enabled: true, ...more };
  const made = await post(path, { key, body });
  requireMade(made, "Webhook");
  return { ...made.body, tenantId, path: `${path}/${made.body.id}` };
}

export async function seedCustomer(
  { post, operatorKey: key }: Door,
  tenantId: string,
  body: Readonly<Record<string, unknown>> = { firstName: "Camille" },
): Promise<{ readonly customerId: string }> {
  const made = await post(`/api/${tenantId}/customers`, { key, body });
  requireMade(made, "Customer");
  return made.body;
}

type Owed = {
  readonly count?: number;
  readonly event?: string;
  /** JSON, kept to the letter. */
  readonly data?: string;
  /** An interval of PostgreSQL: when they may be sent. */
  readonly dueIn?: string;
};

/** As if so much had happened while nobody sent; the ids of the events, in their order. */
export async function oweDeliveries(
  { sql }: Rows,
  { tenantId, id }: Pick<Hook, "tenantId" | "id">,
  { count = 1, event = "api-key.created", data = "{}", dueIn = "0" }: Owed = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId("evt")).sort();
  await sql(
    `with happened as (
       insert into event (tenant_id, id, name, occurred_at, data)
       select $1, id, $4, now(), $5::jsonb from unnest($3::text[]) as id
       returning id)
     insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
     select $1, $2, id, $4, 'pending', now() + $6::interval, now() from happened`,
    [tenantId, id, ids, event, data, dueIn],
  );
  return ids;
}

/** The id of the pass with a number, counted from 1. */
export const insertedPassId = (number: number): string => `ps_${String(number).padStart(22, "0")}`;

/** Of a type without unique identifiers, or with `loyalty.number`, which is the number of each. */
export async function insertPasses(
  { sql }: Rows,
  tenantId: string,
  count: number,
  { passType = "loyalty", data = { firstName: "Ada" } as Readonly<Record<string, unknown>> } = {},
): Promise<void> {
  await sql(
    `insert into pass (tenant_id, id, pass_type, status, identifiers, data, secret, created_at,
                       updated_at)
     select $1, 'ps_' || lpad(number::text, 22, '0'), $3, 'active',
            case $3 when 'loyalty' then jsonb_build_object('loyalty.number', number::text)
                    else '{}' end,
            $4::jsonb, md5(number::text), now(), now()
       from generate_series(1, $2::int) as number`,
    [tenantId, count, passType, JSON.stringify(data)],
  );
}
