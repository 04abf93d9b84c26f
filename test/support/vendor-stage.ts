import { setTimeout as sleep } from "node:timers/promises";
import type { ApiResponse } from "./client.ts";
import { hastenDeliveries } from "./hasten-deliveries.ts";
import { PASS_FILES, seedPassTenant } from "./pass-tenant.ts";
import { startWait } from "./slowness.ts";
import type { TestApi } from "./start-api.ts";

/** A tenant with one connector, and a vendor that signs what it sends by code of its own. */

const WAIT_MS = 10;
const WAIT_MS_MAX = 60_000;

export type VendorSetup = {
  readonly connector: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The identifier by which its passes are known, such as `square.customerId`. */
  readonly identifier: string;
  /** The headers with the signature. */
  sign(rawBody: string, url: string): Readonly<Record<string, string>>;
};

function templateOf(identifier: string): string {
  return String(PASS_FILES["server/passes/loyalty.yml"])
    .replace(/^identifiers:.*$/m, `identifiers: { unique: [${identifier}] }`)
    .replace("required: [firstName]", "required: []")
    .replace("tier: { type: string, enum: [Deck, Bridge] }", "tier: { type: string }");
}

export async function openVendor(api: TestApi, tenantId: string, setup: VendorSetup) {
  const { connector, settings, identifier, sign } = setup;
  const key = api.operatorKey;
  await seedPassTenant(api, tenantId, { "server/passes/member.yml": templateOf(identifier) });
  const path = `/api/${tenantId}/admin/extensions/${connector}`;
  const saved = await api.put(path, { key, body: { passType: "member", ...settings } });
  if (saved.status !== 204) throw new Error(`No settings: ${saved.status} ${saved.text}`);
  const { body: shown } = await api.get(path, { key });
  const url = String(shown.webhookUrl);

  const send = (body: object | string, headers?: Record<string, string>): Promise<ApiResponse> => {
    const rawBody = typeof body === "string" ? body : JSON.stringify(body);
    return api.post(new URL(url).pathname, {
      rawBody,
      headers: { "content-type": "application/json", ...(headers ?? sign(rawBody, url)) },
    });
  };

  const deliveries = async () =>
    await api.sql("select * from inbound_delivery where tenant_id = $1 order by id", [tenantId]);

  /** Waits until nothing is left that could be worked on now. */
  const settled = async () => {
    const isOver = startWait(WAIT_MS_MAX);
    for (;;) {
      const rows = await deliveries();
      const open = rows.filter(({ status, problem }) => status === "waiting" && problem === null);
      if (open.length === 0) return rows;
      if (isOver()) throw new Error(`Still waiting: ${JSON.stringify(open[0])}`);
      await sleep(WAIT_MS);
    }
  };

  return {
    path,
    shown,
    send,
    deliveries,
    /** Sends, and waits until it was worked on. */
    async deliver(body: object): Promise<ApiResponse> {
      const answer = await send(body);
      await settled();
      return answer;
    },
    /** As if the time of those that wait had come. */
    async hasten(): Promise<void> {
      await hastenDeliveries(api, tenantId);
      await settled();
    },
    /** The data and the points of the pass with this value of the identifier. */
    async pass(value: string) {
      const [row] = await api.sql(
        `select pass.data, privilege.value::float as points
           from pass
           left join privilege on privilege.tenant_id = pass.tenant_id
                and privilege.pass_id = pass.id and privilege.id = 'points'
          where pass.tenant_id = $1 and pass.identifiers ->> $2 = $3`,
        [tenantId, identifier, value],
      );
      return row;
    },
  };
}
