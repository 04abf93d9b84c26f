import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { newId } from "#kernel/ids.ts";
import { ensurePass, type Maker, type Preparation } from "./operation-made.ts";
import type { TestApi } from "./start-api.ts";

/** What the operations of extensions are called with. */

const shopOf = (mark: string) => ({
  shop: "cafe-lune.myshopify.com",
  passType: "loyalty",
  fields: { firstName: mark },
  clientSecret: `shpss_${mark}`,
});

/** A vendor that likes every key. */
const platform = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end('{"success":true,"results":[],"hostname":"passes.example","slug":"harbour"}');
});
platform.listen(0, "127.0.0.1").unref();
await once(platform, "listening");

const PLATFORM = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;

const cdpOf = (mark: string) => ({
  projectToken: mark,
  baseUrl: PLATFORM,
  apiKeyId: mark,
  apiKeySecret: `hazel-${mark}`,
});

const squareOf = (mark: string) => ({
  merchantId: "MLEFBHHSJGVHD",
  passType: "loyalty",
  fields: { firstName: mark },
  signatureKey: `sig_${mark}`,
});

const lionOf = (mark: string) => ({
  passType: "loyalty",
  fields: { firstName: mark },
  signingSecret: `lion_${mark}`,
});

const pretixOf = (mark: string) => ({
  baseUrl: PLATFORM,
  organizer: "harbour",
  passType: "loyalty",
  fields: { firstName: mark },
  apiToken: `tk_${mark}`,
});

const titoOf = (mark: string) => ({
  passType: "loyalty",
  fields: { firstName: mark },
  securityToken: `tito_${mark}`,
});

const botCheckOf = (mark: string) => ({
  provider: "turnstile",
  siteKey: mark,
  hostnames: ["passes.example"],
  verifyUrl: `${PLATFORM}/siteverify`,
  secret: `0x${mark}`,
});

const journeysOf = () => ({ passType: "loyalty" });

/** What each connector is saved with, by its name. */
const SETTINGS: Readonly<Record<string, (mark: string) => unknown>> = {
  cdp: cdpOf,
  shopify: shopOf,
  square: squareOf,
  loyaltylion: lionOf,
  pretix: pretixOf,
  tito: titoOf,
  "bot-check": botCheckOf,
  klaviyo: journeysOf,
  braze: journeysOf,
  brevo: (mark) => ({ passType: "loyalty", text: mark }),
  hubspot: (mark) => ({ passType: "loyalty", clientSecret: mark }),
  customerio: (mark) => ({ passType: "loyalty", signingKey: mark }),
  sfmc: (mark) => ({ passType: "loyalty", name: mark.slice(0, 60), jwtSecret: mark }),
};

/** By it the pass is known that steps of journeys change. */
const ON_A_JOURNEY = { "crm.journey": "always-the-same" };

export const EXTENSION_BODIES: Readonly<Record<string, (mark: string) => unknown>> = {
  ...Object.fromEntries(Object.entries(SETTINGS).map(([name, body]) => [`${name}.put`, body])),
  "bot-check.verify": (mark) => ({ token: mark }),
  "journey.create-pass": (mark) => ({
    identifiers: { "loyalty.number": mark },
    additionalData: { firstName: mark },
  }),
  "journey.update-pass": (mark) => ({
    identifiers: ON_A_JOURNEY,
    additionalData: { firstName: mark },
  }),
  "journey.notify-pass": (mark) => ({
    idempotencyKey: `${mark} ${randomUUID()}`,
    identifiers: ON_A_JOURNEY,
    notification: { text: mark },
  }),
};

/** Saved once for each tenant: more often would be too often for the limit of the operation. */
async function save(api: TestApi, tenantId: string, name: string, mark: string): Promise<void> {
  await ensurePass(api, tenantId, {});
  const path = `/api/${tenantId}/admin/extensions/${name}`;
  if ((await api.get(path, { key: api.operatorKey })).status === 200) return;
  const body = SETTINGS[name]?.(mark);
  const { status, text } = await api.put(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
}

const putShop = (api: TestApi, tenantId: string, mark: string) =>
  save(api, tenantId, "shopify", mark);

/** A delivery that was worked on. Written as the service would: it needs a vendor to send one. */
async function noteDelivery(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const id = newId("inb");
  await api.sql(
    `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject, occurred_at,
                                   received_at, headers, body, status, next_attempt_at, finished_at)
     values ($1, $2, 'shopify', $2, $3, $3, now(), now(), '{}', $4, 'ignored', now(), now())`,
    [tenantId, id, mark, Buffer.from(JSON.stringify({ mark }))],
  );
  return id;
}

/** An event that the platform refused. Written as the service would: it takes a platform three times. */
async function noteRefusal(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const id = newId("evt");
  await api.sql(
    `insert into connector_refusal (tenant_id, connector, event_id, event_name, reason, refused_at)
     values ($1, 'cdp', $2, $3, $3, now())`,
    [tenantId, id, mark],
  );
  return id;
}

const withShop: Preparation = async (api, tenantId, mark) => {
  await putShop(api, tenantId, mark);
  return {};
};

/** A vendor with journeys, and one pass whose holder is on them. */
const onJourney: Preparation = async (api, tenantId, mark) => {
  await save(api, tenantId, "klaviyo", mark);
  const known = await api.sql(
    "select from pass where tenant_id = $1 and identifiers ->> 'crm.journey' is not null",
    [tenantId],
  );
  if (known.length === 0) await ensurePass(api, tenantId, { identifiers: ON_A_JOURNEY });
  return { connector: "klaviyo" };
};

export const EXTENSION_MAKERS: Readonly<Record<string, Maker>> = {
  async connector(api, tenantId, mark) {
    await putShop(api, tenantId, mark);
    return "shopify";
  },
  inboxDeliveryId: noteDelivery,
  refusedEventId: noteRefusal,
  async inboxToken(api, tenantId) {
    const path = `/api/${tenantId}/admin/extensions/shopify`;
    const { body } = await api.get(path, { key: api.operatorKey });
    return String(body.webhookUrl).split("/").at(-1) ?? "";
  },
  async activityToken(api, tenantId, mark) {
    await save(api, tenantId, "sfmc", mark);
    const path = `/api/${tenantId}/admin/extensions/sfmc`;
    const { body } = await api.get(path, { key: api.operatorKey });
    return String(body.webhookUrl).split("/").at(-1) ?? "";
  },
  step: () => Promise.resolve("save"),
};

/** For each connector: settings that can be read and deleted, and a tenant that can have some. */
const OF_CONNECTORS = Object.fromEntries(
  Object.keys(SETTINGS).flatMap((name): [string, Preparation][] => {
    const saved: Preparation = async (api, tenantId, mark) => {
      await save(api, tenantId, name, mark);
      return {};
    };
    const ready: Preparation = async (api, tenantId) => {
      await ensurePass(api, tenantId, {});
      return {};
    };
    return [
      [`${name}.get`, saved],
      [`${name}.delete`, saved],
      [`${name}.put`, ready],
      [`${name}.verify`, saved],
    ];
  }),
);

export const EXTENSION_PREPARATIONS: Readonly<Record<string, Preparation>> = {
  ...OF_CONNECTORS,
  "extension.list": withShop,
  "refused-event.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await noteRefusal(api, tenantId, `${mark}-${count}`);
    return { connector: "cdp" };
  },
  "refused-event.replay": async () => ({ connector: "cdp" }),
  "journey.create-pass": onJourney,
  "journey.update-pass": onJourney,
  "journey.notify-pass": onJourney,
  "inbox.list": async (api, tenantId, mark) => {
    for (const count of [1, 2]) await noteDelivery(api, tenantId, `${mark}-${count}`);
    return { connector: "shopify" };
  },
};
