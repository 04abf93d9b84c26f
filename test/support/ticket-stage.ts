import { setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { catchUpTenant } from "#src/extensions/catch-up/catch-up.jobs.ts";
import { appleTokenOf } from "#src/wallets/apple/bundle/bundle.service.ts";
import { createDevice } from "./apple-stage.ts";
import { hastenDeliveries } from "./hasten-deliveries.ts";
import { seedPassTenant } from "./pass-tenant.ts";
import { startWait } from "./slowness.ts";
import type { TestApi } from "./start-api.ts";
import { startVendors, type Vendors } from "./vendors.ts";

/** Tenants whose tickets are sold by a simulated vendor, and phones that hold their passes. */

const WAIT_MS = 10;
const WAIT_MS_MAX = 20_000;

export const TICKET_FILES = {
  "server/passes/ticket.yml": `kind: eventTicket
name: Regatta
organization: Harbour Club
description: Ticket for the regatta
images: { icon: images/icon.png }
barcode: { format: qr, message: "{{ data.barcode | default: pass.id }}" }
data:
  type: object
  properties:
    holder: { type: string, maxLength: 40 }
    barcode: { type: string }
    event: { type: string }
    product: { type: string }
    checkedInAt: { type: string }
fields:
  primary: [ { key: holder, label: Holder, value: "{{ data.holder }}" } ]
  secondary: [ { key: in, label: Checked in, value: "{{ data.checkedInAt | default: 'no' }}" } ]
`,
};

export type TicketPass = {
  readonly id: string;
  readonly status: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly identifiers: Readonly<Record<string, string>>;
};
type TicketScan = Readonly<Record<"scanner" | "decision" | "pass_id", unknown>> & {
  readonly scanned_at: Date;
};

type Owner = { after(undo: () => Promise<void>): void };

/** Vendors that reach the product of the test wherever it listens. */
export async function startTicketVendors(owner: Owner) {
  const inPlaceOf: Record<string, string> = {};
  const vendors = await startVendors(owner, { inPlaceOf });
  const lead = (api: TestApi, webhookUrl: string) => {
    inPlaceOf[new URL(webhookUrl).origin] = api.url;
  };
  return { vendors, lead };
}
type Ground = Awaited<ReturnType<typeof startTicketVendors>>;

/** A tenant with a connector whose settings are these. */
async function openTenant(
  api: TestApi,
  { vendors, lead }: Ground,
  tenantId: string,
  connector: string,
  settings: object,
) {
  const key = api.operatorKey;
  await seedPassTenant(api, tenantId, TICKET_FILES);
  const path = `/api/${tenantId}/admin/extensions/${connector}`;
  const put = async (more: object = {}) => {
    const { status, text } = await api.put(path, { key, body: { ...settings, ...more } });
    if (status !== 204) throw new Error(`No settings: ${status} ${text}`);
  };
  await put();
  const { body } = await api.get(path, { key });
  const webhookUrl = String(body.webhookUrl);
  lead(api, webhookUrl);

  const deliveries = async () =>
    await api.sql("select * from inbound_delivery where tenant_id = $1 order by id", [tenantId]);

  /** Waits until all was sent, and nothing is left that could be worked on now. */
  const settled = async () => {
    await vendors.idle();
    const isOver = startWait(WAIT_MS_MAX);
    for (;;) {
      const rows = await deliveries();
      const waiting = rows.filter(({ status }) => status === "waiting");
      const held = new Set(waiting.flatMap(({ problem, subject }) => (problem ? subject : [])));
      const open = waiting.filter(({ subject }) => !held.has(subject));
      if (open.length === 0) return rows;
      if (isOver()) throw new Error(`Still waiting: ${JSON.stringify(open[0])}`);
      await sleep(WAIT_MS);
    }
  };

  return {
    tenantId,
    path,
    put,
    webhookUrl,
    deliveries,
    settled,
    /** As if the time of those that wait had come, again and again until none is left. */
    async hasten(): Promise<void> {
      for (let turns = 0; turns < 50; turns += 1) {
        if ((await hastenDeliveries(api, tenantId)) === 0) return;
        await settled();
      }
    },
    /** The statuses of the deliveries, in the order of arrival. */
    async statuses(): Promise<unknown[]> {
      return (await deliveries()).map(({ status }) => status);
    },
    /** All passes, in the order of the vendor's ids. */
    async passes(): Promise<TicketPass[]> {
      const rows = await api.sql(
        `select id, status, data, identifiers from pass where tenant_id = $1
          order by substring(identifiers ->> $2 from '[0-9]+$')::bigint, id`,
        [tenantId, connector === "pretix" ? "pretix.positionId" : "tito.ticketId"],
      );
      return rows as TicketPass[];
    },
    async scans(): Promise<TicketScan[]> {
      const rows = await api.sql(
        "select * from scan where tenant_id = $1 order by recorded_at, id",
        [tenantId],
      );
      return rows as TicketScan[];
    },
    /** The nightly look at what the vendor did not tell, or the look at all of a part. */
    async catchUp(part?: string): Promise<void> {
      const context = systemCall(api.runtime, "extension.catch-up", { tenantId });
      const payload = { connector, ...(part && { part }) };
      await catchUpTenant.run(context, payload, new AbortController().signal);
      await settled();
    },
    /** An iPhone that holds the pass. */
    async phoneWith(passId: string) {
      const { body: pass } = await api.get(`/api/${tenantId}/passes/${passId}`, { key });
      const held = { id: passId, token: appleTokenOf({ secret: pass.secret }) };
      const service = {
        base: `/.well-known/wallet/${tenantId}/v1`,
        passType: `pass.dev.billfold.${tenantId}`,
      };
      const device = createDevice(api, service, `phone-${passId}`);
      const registered = await device.register(held);
      if (registered.status !== 201) throw new Error(`Not registered: ${registered.text}`);
      return {
        /** What its holder sees. */
        async see() {
          const card = await device.show(held);
          const { primaryFields, secondaryFields } = card.eventTicket;
          return {
            holder: primaryFields[0]?.value,
            in: secondaryFields[0]?.value,
            barcode: card.barcodes[0]?.message,
            isVoid: card.voided === true,
          };
        },
        /** What it is told when it asks for news since then. */
        async news(since?: string) {
          const { status, body } = await device.ask(since);
          return { status, tag: body?.lastUpdated, passes: body?.serialNumbers ?? [] };
        },
      };
    },
  };
}

const SHOWN = { holder: "attendee_name", barcode: "secret" };

/** A tenant whose tickets are sold by pretix. */
export async function openPretix(
  api: TestApi,
  ground: Ground,
  tenantId: string,
  settings: object = {},
) {
  const { pretix } = ground.vendors;
  const token = `token-of-${tenantId}`;
  pretix.createOrganizer({ slug: tenantId, token });
  const event = { organizer: tenantId, name: "Regatta", items: ["Deck", "Bridge"] };
  pretix.createEvent({ slug: `regatta-${tenantId}`, ...event });
  const stage = await openTenant(api, ground, tenantId, "pretix", {
    baseUrl: pretix.url,
    organizer: tenantId,
    passType: "ticket",
    fields: SHOWN,
    checkedInAs: "checkedInAt",
    apiToken: token,
    ...settings,
  });
  pretix.createWebhook({ organizer: tenantId, target_url: stage.webhookUrl });
  return {
    ...stage,
    event: `regatta-${tenantId}`,
    /** What pretix was asked about this organizer since it was told to forget. */
    requests: () =>
      pretix.server.requests.filter(({ path }) => path.includes(`/organizers/${tenantId}/`)),
    /** Sells tickets to people of these names. */
    sell: (names: readonly string[], more: object = {}) =>
      pretix.placeOrder({
        organizer: tenantId,
        event: `regatta-${tenantId}`,
        positions: names.map((attendee_name) => ({ attendee_name })),
        ...more,
      }),
  };
}

/** A tenant whose tickets are sold by Tito. */
export async function openTito(
  api: TestApi,
  ground: Ground,
  tenantId: string,
  settings: object = {},
) {
  const { tito } = ground.vendors;
  const token = `tito-of-${tenantId}`;
  const stage = await openTenant(api, ground, tenantId, "tito", {
    passType: "ticket",
    fields: { holder: "name", barcode: "slug" },
    checkedInAs: "checkedInAt",
    securityToken: `${tenantId}:${token}`,
    ...settings,
  });
  tito.createEvent({ slug: tenantId, securityToken: token, url: stage.webhookUrl });
  return {
    ...stage,
    sell: (first_name: string, more: object = {}) =>
      tito.createTicket({ event: tenantId, first_name, ...more }),
  };
}

export type { Vendors };
