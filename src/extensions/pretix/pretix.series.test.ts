import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openPretix, startTicketVendors } from "#test/support/ticket-stage.ts";
import type { PretixSettings } from "./pretix.config.ts";
import { ticketOf } from "./pretix.order.ts";

const ground = await startTicketVendors({ after });
const { pretix } = ground.vendors;
const FIELDS = { holder: "attendee_name", event: "event.date_from", product: "event.location.en" };
const [MAY, JUNE] = ["2027-05-01T18:00:00Z", "2027-06-05T19:30:00Z"];

let count = 0;

describe("tickets of an event series at pretix", () => {
  const api = shareApi();

  async function open(fields: object = FIELDS) {
    count += 1;
    const tenantId = `series-${count}`;
    const stage = await openPretix(api(), ground, tenantId, { fields });
    const event = `series-of-${tenantId}`;
    const about = { organizer: tenantId, event };
    const series = { organizer: tenantId, slug: event, name: "Concerts", has_subevents: true };
    pretix.createEvent({ ...series, date_from: "2027-01-01T00:00:00Z" });
    const may = pretix.dates.create({ ...about, date_from: MAY, location: "Quay" });
    const june = pretix.dates.create({ ...about, date_from: JUNE, location: "Pier" });
    const sell = (positions: readonly { attendee_name: string; subevent: number }[]) =>
      pretix.placeOrder({ ...about, positions: [...positions] });
    const shown = async () =>
      (await stage.passes()).map(({ data }) => [data.holder, data.event, data.product]);
    return { stage, event, may: may.id, june: june.id, sell, shown };
  }

  it("have the time and the place of their own date, each in one order", async () => {
    const { stage, may, june, sell, shown } = await open();
    pretix.server.forget();
    sell([
      { attendee_name: "Ada", subevent: may },
      { attendee_name: "Bob", subevent: june },
      { attendee_name: "Cleo", subevent: june },
    ]);
    await stage.settled();
    assert.deepEqual(await shown(), [
      ["Ada", MAY, "Quay"],
      ["Bob", JUNE, "Pier"],
      ["Cleo", JUNE, "Pier"],
    ]);
    const asked = stage.requests().filter(({ path }) => path.includes("/subevents/"));
    assert.ok(asked.length >= 2 && asked.length % 2 === 0, "once for each date of an order");
  });

  it("follow when they are moved to another date, also on the phone", async () => {
    const { stage, may, june, sell } = await open({ holder: "event.date_from" });
    const { code } = sell([{ attendee_name: "Ada", subevent: may }]);
    await stage.settled();
    const [pass] = await stage.passes();
    const phone = await stage.phoneWith(pass?.id ?? "");
    assert.equal((await phone.see()).holder, MAY);
    pretix.changePosition(code, 1, { subevent: june });
    await stage.settled();
    assert.equal((await phone.see()).holder, JUNE);
  });

  it("follow when their date is put off, and those of other dates stay", async () => {
    const { stage, event, may, june, sell, shown } = await open();
    sell([{ attendee_name: "Ada", subevent: may }]);
    sell([{ attendee_name: "Bob", subevent: june }]);
    await stage.settled();
    pretix.dates.change(may, { date_from: "2027-05-08T18:00:00Z" });
    await stage.settled();
    await stage.catchUp(event);
    assert.deepEqual(await shown(), [
      ["Ada", "2027-05-08T18:00:00Z", "Quay"],
      ["Bob", JUNE, "Pier"],
    ]);
  });

  it("ask for no date where passes show nothing of the event", async () => {
    const { stage, may, sell } = await open({ holder: "attendee_name" });
    pretix.server.forget();
    sell([{ attendee_name: "Ada", subevent: may }]);
    pretix.dates.change(may, { date_from: JUNE });
    await stage.settled();
    const paths = stage.requests().map(({ path }) => path);
    assert.ok(
      paths.every((path) => path.includes("/orders/")),
      paths.join(),
    );
  });

  it("keep what they show while nothing is known of their date, and never show that of the series", () => {
    const settings: PretixSettings = {
      baseUrl: "https://pretix.example",
      organizer: "harbour",
      passType: "ticket",
      fields: { at: "event.date_from", end: "event.date_to", event: "event.slug" },
    };
    const ofSeries = { slug: "concerts", date_from: "2027-01-01T00:00:00Z", date_to: null };
    const show = (subevent: unknown, dates: ReadonlyMap<string, unknown>) => {
      const around = { event: ofSeries, dates, products: new Map() };
      const name = { event: "concerts", code: "ABC23" };
      return ticketOf(settings, name, {}, { id: 1, subevent }, around).additionalData;
    };
    const known = new Map([["7", { date_from: MAY, date_to: null, slug: "not this" }]]);
    assert.deepEqual(show(7, known), { at: MAY, end: null, event: "concerts" });
    assert.deepEqual(show(8, known), { event: "concerts" });
    assert.deepEqual(show(8, new Map([["8", undefined]])), { event: "concerts" });
    const { slug: event, date_from: at, date_to: end } = ofSeries;
    for (const none of [null, undefined]) assert.deepEqual(show(none, known), { at, end, event });
  });
});
