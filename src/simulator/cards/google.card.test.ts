import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { googleCard } from "./google.card.ts";
import type { Json } from "./google.values.ts";

function shown(type: string, klass: Json, object: Json): string | undefined {
  const card = googleCard({ type, klass, object }, "de-CH", { key: "k", updatedAt: "", now: 0 });
  return card.rows.flat().find(({ key }) => key === "start" || key === "departure")?.value;
}

describe("a card of the simulated Google Wallet", () => {
  it("shows the clock of the place: the part of a time that stands before its offset", () => {
    const start = "2027-05-01T20:30:00-04:00";
    assert.equal(shown("eventTicket", { dateTime: { start } }, {}), "01.05.2027, 20:30");
    const utc = { dateTime: { start: "2027-05-01T18:30:00.000Z" } };
    assert.equal(shown("eventTicket", utc, {}), "01.05.2027, 18:30");
    const ticketLeg = { departureDateTime: "2027-05-01T07:15:00+09:00" };
    assert.equal(shown("transit", {}, { ticketLeg }), "01.05.2027, 07:15");
  });

  it("shows the expected departure of a flight in place of the planned one", () => {
    const planned = { localScheduledDepartureDateTime: "2027-05-01T18:30:00" };
    assert.equal(shown("flight", planned, {}), "01.05.2027, 18:30");
    const late = { ...planned, localEstimatedOrActualDepartureDateTime: "2027-05-01T19:45:00" };
    assert.equal(shown("flight", late, {}), "01.05.2027, 19:45");
  });
});
