import assert from "node:assert/strict";
import { PASS_FILES } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";
import { until } from "./webhook-receiver.ts";

/** Tenants whose cards people hold on simulated phones, and vendors that make them change. */

/** The public address of the product, which vendors and phones are given. */
export const PUBLIC_URL = "http://localhost:18997";
/** Work that an outage cut short goes on when its lease has ended: that of pushes lasts two minutes. */
const WAIT_MS = 150_000;

const cardOf = (identifier: string) => `kind: loyalty
name: Harbour Card
organization: Harbour Club
description: Card of the Harbour Club
colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }
images: { icon: images/icon.png, logo: images/icon.png }
barcode: { format: qr, message: "{{ pass.id }}" }
identifiers: { unique: [${identifier}] }
fields:
  header: [ { key: points, label: Points, value: "{{ privileges.points.value }} points", change: "Now %@" } ]
  secondary:
    - { key: name, label: Member, value: "{{ metadata.cdp.first_name | default: data.firstName }}" }
    - { key: tier, label: Tier, value: "{{ data.tier }}" }
privileges: [ { id: points, name: Points, type: MultiUse, value: 0 } ]
`;

type Phone = {
  readonly cards: readonly { readonly key: string }[];
  readonly notices: readonly { readonly text: string }[];
  readonly deeds: readonly { readonly text: string }[];
};

/** `identifier` is the one by which the connector knows its passes, such as `square.customerId`. */
export async function openPhoneJourney(api: TestApi, tenantId: string, identifier: string) {
  const key = api.operatorKey;
  const files = {
    "tenant.yml": "name: Harbour Club\n",
    "server/passes/member.yml": cardOf(identifier),
    "images/icon.png": PASS_FILES["images/icon.png"],
  };
  const seeded = await api.put(`/api/tenants/${tenantId}`, { key, body: { files } });
  assert.equal(seeded.status, 201, seeded.text);
  const path = (rest: string) => `/api/${tenantId}/${rest}`;

  const passIdOf = async (value: string): Promise<string | undefined> => {
    const rows = await api.sql(
      "select id from pass where tenant_id = $1 and identifiers ->> $2 = $3",
      [tenantId, identifier, value],
    );
    return rows[0]?.id as string | undefined;
  };
  const waitFor = (what: string, isSo: () => Promise<boolean>) => until(isSo, () => what, WAIT_MS);

  /** Adds the pass of a link to a new phone. */
  const add = async (kind: "iphone" | "android", url: string) => {
    const made = await api.post("/simulator/api/phones", { body: { kind } });
    const phone = `/simulator/api/phones/${made.body.id}`;
    const added = await api.post(`${phone}/passes`, { body: { url } });
    assert.equal(added.status, 201, added.text);
    const look = async (): Promise<Phone> => (await api.get(phone)).body;
    const timesTold = async (text: string) =>
      (await look()).notices.filter((notice) => notice.text.includes(text)).length;
    return {
      look,
      /** Waits until the card shows all these texts. */
      async shows(...texts: readonly string[]): Promise<void> {
        const isShown = async () => {
          const cards = JSON.stringify((await look()).cards);
          return texts.every((text) => cards.includes(JSON.stringify(text)));
        };
        await waitFor(`${kind} shows ${texts.join(", ")}`, isShown);
      },
      /** How often the lock screen says this. */
      timesTold,
      async isTold(text: string): Promise<void> {
        await waitFor(`${kind} is told ${text}`, async () => (await timesTold(text)) > 0);
      },
      /** What the service answers when the owner throws the card away. */
      async remove(): Promise<string | undefined> {
        const [card] = (await look()).cards;
        await api.delete(`${phone}/passes/${card?.key}`);
        return (await look()).deeds.find(({ text }) => text.includes("unregister"))?.text;
      },
    };
  };

  return {
    key,
    add,
    path,
    passIdOf,
    waitFor,
    /** Saves settings, and returns the address that the vendor sends to. */
    async connect(connector: string, settings: object): Promise<string> {
      const at = path(`admin/extensions/${connector}`);
      const saved = await api.put(at, { key, body: settings });
      assert.equal(saved.status, 204, saved.text);
      return String((await api.get(at, { key })).body.webhookUrl);
    },
    /** Puts the pass with this identifier on a new phone, as soon as there is one. */
    async hold(kind: "iphone" | "android", value: string) {
      await waitFor(`a pass of ${value}`, async () => (await passIdOf(value)) !== undefined);
      const passId = (await passIdOf(value)) ?? "";
      const pass = await api.get(path(`passes/${passId}`), { key });
      return { passId, ...(await add(kind, pass.body.links.landing)) };
    },
    /** The values of all movements of a pass, in their order. */
    async movements(passId: string): Promise<number[]> {
      const rows = await api.sql(
        "select value::float8 from movement where tenant_id = $1 and pass_id = $2 order by sequence",
        [tenantId, passId],
      );
      return rows.map(({ value }) => Number(value));
    },
    /** Where this word still stands. */
    async traces(word: string): Promise<string[]> {
      const found: string[] = [];
      for (const table of ["pass", "customer", "event", "audit", "inbound_delivery", "job_item"]) {
        const rows = await api.sql(
          `select 1 from ${table} as x where tenant_id = $1 and x::text like $2 limit 1`,
          [tenantId, `%${word}%`],
        );
        if (rows.length > 0) found.push(table);
      }
      const bodies = await api.sql(
        "select 1 from inbound_delivery where tenant_id = $1 and position($2::bytea in body) > 0",
        [tenantId, Buffer.from(word)],
      );
      return bodies.length > 0 ? [...found, "a body"] : found;
    },
  };
}
