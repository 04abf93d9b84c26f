import type { ApiResponse } from "./client.ts";
import { PASS_FILES, seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

/** A tenant with vendors whose journeys call with an API key. */

const MEMBER = String(PASS_FILES["server/passes/loyalty.yml"])
  .replace(/^identifiers:.*$/m, "identifiers: { unique: [crm.customerId] }")
  .replace("required: [firstName]", "required: []");

let tenants = 0;

export type JourneyStage = Awaited<ReturnType<typeof openJourneys>>;

export async function openJourneys(
  api: TestApi,
  connector = "klaviyo",
  settings: Readonly<Record<string, unknown>> = {},
) {
  tenants += 1;
  const tenantId = `journeys-${tenants}`;
  await seedPassTenant(api, tenantId, { "server/passes/member.yml": MEMBER });
  const operator = api.operatorKey;
  const path = `/api/${tenantId}/admin/extensions/${connector}`;
  const put = async (more: Readonly<Record<string, unknown>> = {}) => {
    const body = { passType: "member", ...settings, ...more };
    const { status, text } = await api.put(path, { key: operator, body });
    if (status !== 204) throw new Error(`No ${connector}: ${status} ${text}`);
  };
  await put();
  const key = await api.seed.key(tenantId, "Extension.Journey");
  const call = (
    action: string,
    body: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> =>
    api.post(`/api/${tenantId}/extensions/${connector}/journey/${action}`, {
      key,
      rawBody: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  return {
    tenantId,
    path,
    put,
    key,
    call,
    passes: async () =>
      await api.sql("select id, identifiers, data, version from pass where tenant_id = $1", [
        tenantId,
      ]),
    /** The names of all events of the tenant, in their order. */
    events: async () => {
      const rows = await api.sql(
        "select name from event where tenant_id = $1 and name like 'pass.%' order by sequence",
        [tenantId],
      );
      return rows.map(({ name }) => String(name));
    },
  };
}

export const person = (customerId: string) => ({ identifiers: { "crm.customerId": customerId } });
