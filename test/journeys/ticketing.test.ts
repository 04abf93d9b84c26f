import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { PRODUCT_OPERATOR_KEY } from "#test/support/product.ts";
import { shareProduct } from "#test/support/share-product.ts";
import { startWait } from "#test/support/slowness.ts";
import { TICKET_FILES } from "#test/support/ticket-stage.ts";

const key = PRODUCT_OPERATOR_KEY;
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;

/** Waits until the vendor, the service and the phones, which talk by themselves, have come so far. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const isOver = startWait(PATIENCE_MS);
  while (!(await isSo())) {
    assert.ok(!isOver(), `${what}: not after ${PATIENCE_MS} ms`);
    await sleep(LOOK_MS);
  }
}

describe("a ticket on two phones", () => {
  const product = shareProduct({ DEMO: "0" });
  const vendor = async (path: string, body?: object, method = "POST") => {
    const options = body === undefined ? {} : { body };
    const answer = await product().request(method, `/simulator/vendors${path}`, options);
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const open = async (tenantId: string, connector: string, settings: object): Promise<string> => {
    const icon = PASS_FILES["images/icon.png"];
    const files = {
      "tenant.yml": "name: Harbour Club\n",
      "images/icon.png": icon,
      ...TICKET_FILES,
    };
    const made = await product().put(`/api/tenants/${tenantId}`, { key, body: { files } });
    assert.equal(made.status, 201, made.text);
    const path = `/api/${tenantId}/admin/extensions/${connector}`;
    const saved = await product().put(path, { key, body: { passType: "ticket", ...settings } });
    assert.equal(saved.status, 204, saved.text);
    return (await product().get(path, { key })).body.webhookUrl;
  };
  const passOf = async (tenantId: string) => {
    let passes: { id: string }[] = [];
    await until("the pass", async () => {
      passes = (await product().get(`/api/${tenantId}/passes`, { key })).body;
      return passes.length === 1;
    });
    return (await product().get(`/api/${tenantId}/passes/${passes[0]?.id}`, { key })).body;
  };
  const phonesWith = async (landing: string): Promise<string[]> => {
    const ids: string[] = [];
    for (const kind of ["iphone", "android"]) {
      const { body } = await product().post("/simulator/api/phones", { body: { kind } });
      const path = `/simulator/api/phones/${body.id}/passes`;
      const added = await product().post(path, { body: { url: landing } });
      assert.equal(added.status, 201, added.text);
      ids.push(body.id);
    }
    return ids;
  };
  type Card = { readonly status: string };
  const cardsOf = async (phone: string): Promise<Card[]> =>
    (await product().get(`/simulator/api/phones/${phone}`)).body.cards;
  const shows = async (phone: string, text: string) =>
    JSON.stringify(await cardsOf(phone)).includes(`"value":${JSON.stringify(text)}`);
  /** Each wallet writes times in its own way. */
  const isIn = async (phone: string) => !(await shows(phone, "no"));
  const ended = async ([iphone = "", android = ""]: readonly string[]) => {
    const statuses = [...(await cardsOf(iphone)), ...(await cardsOf(android))];
    return statuses.map(({ status }) => status).join() === "voided,inactive";
  };

  it("pretix: sold, given to somebody else, scanned at our gate, cancelled", async () => {
    const { vendors } = (await product().get("/simulator/vendors")).body;
    const { url } = vendors.find(({ name }: { name: string }) => name === "pretix");
    await vendor("/pretix/organizers", { slug: "harbour", token: "team-token" });
    await vendor("/pretix/events", { slug: "regatta" });
    const target_url = await open("pretix-club", "pretix", {
      baseUrl: url,
      organizer: "harbour",
      fields: { holder: "attendee_name", barcode: "secret" },
      checkedInAs: "checkedInAt",
      checkInLists: [7],
      apiToken: "team-token",
    });
    await vendor("/pretix/webhooks", { target_url });
    const positions = [{ attendee_name: "Ada" }];
    const { code } = await vendor("/pretix/orders", { event: "regatta", positions });
    const pass = await passOf("pretix-club");
    const phones = await phonesWith(pass.links.landing);
    for (const phone of phones) assert.ok(await shows(phone, "Ada"), phone);

    await vendor(`/pretix/orders/${code}/positions/1`, { attendee_name: "Grace" }, "PATCH");
    for (const phone of phones) await until("the new holder", () => shows(phone, "Grace"));

    const scan = await product().post("/api/pretix-club/scans", {
      key,
      body: { data: pass.additionalData.barcode, type: "qrcode" },
    });
    assert.deepEqual([scan.status, scan.body.decision], [201, "accepted"]);
    const checkIns = async (): Promise<{ list: number }[]> =>
      (await vendor(`/pretix/orders/${code}`, undefined, "GET")).positions[0].checkins;
    await until("the check-in at pretix", async () => (await checkIns()).length === 1);
    const [checkIn] = await checkIns();
    assert.equal(checkIn?.list, 7);
    for (const phone of phones) await until("the check-in", () => isIn(phone));

    await vendor(`/pretix/orders/${code}/cancel`);
    await until("the end", () => ended(phones));
  });

  it("Tito: sold, given to somebody else, checked in, voided", async () => {
    const url = await open("tito-club", "tito", {
      fields: { holder: "name", barcode: "slug" },
      checkedInAs: "checkedInAt",
      securityToken: "regatta:s3cret",
    });
    await vendor("/tito/events", { slug: "regatta", securityToken: "s3cret", url });
    const { slug } = await vendor("/tito/tickets", { first_name: "Ada" });
    const pass = await passOf("tito-club");
    const phones = await phonesWith(pass.links.landing);
    for (const phone of phones) assert.ok(await shows(phone, "Ada"), phone);
    await vendor(`/tito/tickets/${slug}/reassign`, { first_name: "Grace" });
    for (const phone of phones) await until("the new holder", () => shows(phone, "Grace"));
    await vendor(`/tito/tickets/${slug}/checkin`);
    for (const phone of phones) await until("the check-in", () => isIn(phone));
    await vendor(`/tito/tickets/${slug}/void`);
    await until("the end", () => ended(phones));
  });
});
