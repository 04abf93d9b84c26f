import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

const HEAD = `organization: Harbour Club
description: Pass of the Harbour Club
images: { icon: images/icon.png, logo: images/icon.png }
`;

const trip = (type: string) => `kind: boardingPass
name: Trip by ${type}
${HEAD}transit:
  type: ${type}
  carrier: LX
  number: "{{ data.number | default: '15' }}"
  passenger: Ada
  origin: { code: JFK, name: New York, timeZone: "{{ data.zone | default: 'America/New_York' }}" }
  destination: { code: ZRH, name: Zurich, timeZone: Europe/Zurich }
  departure: "{{ data.departure }}"
  arrival: "{{ data.arrival }}"
fields:
  primary:
    - { key: from, label: From, value: JFK }
    - { key: to, label: To, value: ZRH }
  secondary:
    - { key: departs, label: Departs, value: "{{ data.departure }}", format: { time: short, timeZone: "{{ data.zone | default: 'America/New_York' }}" } }
    - { key: arrives, label: Arrives, value: "{{ data.arrival }}", format: { time: short, timeZone: Europe/Zurich } }
  back:
    - { key: words, label: Words, value: "{{ data.departure | date: '%H:%M', timeZone: 'America/New_York' }}" }
`;

const EVENT = `kind: eventTicket
name: Concert
${HEAD}event:
  name: Concert
  venue: Lune Hall
  address: 1 Moon Street
  timeZone: "{{ data.zone }}"
  doors: "{{ data.doors }}"
  start: "{{ data.start }}"
  end: "{{ data.end }}"
expiration: { at: "{{ data.end }}" }
fields:
  primary: [ { key: event, label: Event, value: Concert } ]
  secondary: [ { key: start, label: Starts, value: "{{ data.start }}", format: { time: short, timeZone: "{{ data.zone }}" } } ]
`;

/** 18:30 in New York, and 08:15 in Zurich, in every way of writing them. */
const FORMS = {
  "with an offset": ["2027-05-01T18:30:00-04:00", "2027-05-02T08:15:00+02:00"],
  "in UTC": ["2027-05-01T22:30:00Z", "2027-05-02T06:15:00Z"],
  "without a zone": ["2027-05-01T18:30", "2027-05-02T08:15"],
} as const;

describe("times of a journey or an event", () => {
  const api = shareApi({ env: { BASE_URL: "https://passes.example" } });

  before(async () => {
    await seedPassTenant(api(), "lune", {
      "tenant.yml": "name: Lune\ntimeZone: Europe/Zurich\ndefaultLocale: de\n",
      "server/passes/flight.yml": trip("air"),
      "server/passes/train.yml": trip("train"),
      "server/passes/event.yml": EVENT,
    });
  });

  async function preview(passType: string, additionalData: Record<string, string>) {
    const key = api().operatorKey;
    const path = `/api/lune/passes?passType=${passType}`;
    const made = await api().post(path, { key, body: { additionalData } });
    assert.equal(made.status, 201, made.text);
    const shown = await api().get(`/api/lune/passes/${made.body.id}/preview`, { key });
    assert.equal(shown.status, 200, shown.text);
    return { apple: shown.body.apple.pass, google: shown.body.google };
  }

  for (const [form, [departure, arrival]] of Object.entries(FORMS)) {
    it(`of a flight, written ${form}, are those of the airports' clocks on both wallets`, async () => {
      const { apple, google } = await preview("flight", { departure, arrival });
      assert.equal(google.class.localScheduledDepartureDateTime, "2027-05-01T18:30:00");
      assert.equal(google.class.localScheduledArrivalDateTime, "2027-05-02T08:15:00");
      assert.equal(apple.semantics.originalDepartureDate, "2027-05-01T22:30:00.000Z");
      assert.equal(apple.semantics.originalArrivalDate, "2027-05-02T06:15:00.000Z");
      assert.equal(apple.relevantDate, "2027-05-01T22:30:00.000Z");
      const [departs, arrives] = apple.boardingPass.secondaryFields;
      assert.deepEqual(
        [departs.value, departs.ignoresTimeZone, arrives.value],
        ["2027-05-01T18:30:00-04:00", true, "2027-05-02T08:15:00+02:00"],
      );
      const texts = google.object.textModulesData.map(({ body }: { body: string }) => body);
      assert.deepEqual(texts.slice(2), ["18:30", "08:15", "18:30"]);
    });

    it(`of a train, written ${form}, are those of the stations' clocks at Google`, async () => {
      const { google } = await preview("train", { departure, arrival });
      const { departureDateTime, arrivalDateTime } = google.object.ticketLeg;
      assert.equal(departureDateTime, "2027-05-01T18:30:00-04:00");
      assert.equal(arrivalDateTime, "2027-05-02T08:15:00+02:00");
    });
  }

  for (const number of ["15", "LX 15", "LX15"]) {
    it(`come with the flight '${number}', whose digits both wallets get`, async () => {
      const [departure, arrival] = FORMS["in UTC"];
      const { apple, google } = await preview("flight", { departure, arrival, number });
      assert.equal(google.class.flightHeader.flightNumber, "15");
      assert.equal(apple.semantics.flightNumber, 15);
      assert.equal(apple.semantics.flightCode, "LX15");
    });
  }

  for (const [zone, ends] of [
    ["Asia/Tokyo", "2027-05-01T13:00:00.000Z"],
    ["", "2027-05-01T20:00:00.000Z"],
    ["Atlantis/Sunken", "2027-05-01T20:00:00.000Z"],
  ] as const) {
    it(`end a pass on the clock of the venue: of '${zone}', or of the tenant where none is named`, async () => {
      const key = api().operatorKey;
      const additionalData = { zone, end: "2027-05-01T22:00" };
      const made = await api().post("/api/lune/passes?passType=event", {
        key,
        body: { additionalData },
      });
      assert.deepEqual([made.status, made.body.expirationDate], [201, ends], made.text);
      const body = { additionalData: { end: "2027-05-01T23:00" }, options: { BypassQueue: true } };
      const changed = await api().patch(`/api/lune/passes/${made.body.id}`, { key, body });
      const later = new Date(Date.parse(ends) + 3_600_000).toISOString();
      assert.deepEqual([changed.status, changed.body.expirationDate], [200, later], changed.text);
    });
  }

  it("of an event are those of the venue: of its own zone, or of the tenant's", async () => {
    const summer = "2027-05-01";
    const times = {
      doors: `${summer}T19:00`,
      start: `${summer}T18:00:00Z`,
      end: `${summer}T22:00`,
    };
    const zurich = await preview("event", times);
    assert.deepEqual(zurich.google.class.dateTime, {
      doorsOpen: "2027-05-01T19:00:00+02:00",
      start: "2027-05-01T20:00:00+02:00",
      end: "2027-05-01T22:00:00+02:00",
    });
    const zero = await preview("event", { ...times, start: `${summer}T18:00:00+00:00` });
    assert.equal(zero.google.class.dateTime.start, "2027-05-01T20:00:00+02:00");
    assert.deepEqual(zurich.google.object.validTimeInterval, {
      end: { date: "2027-05-01T22:00:00+02:00" },
    });
    assert.deepEqual(
      zurich.apple.relevantDates,
      [{ startDate: "2027-05-01T17:00:00.000Z", endDate: "2027-05-01T20:00:00.000Z" }],
      "from the doors to the end",
    );
    const tokyo = await preview("event", { ...times, zone: "Asia/Tokyo" });
    assert.deepEqual(tokyo.google.object.validTimeInterval, {
      end: { date: "2027-05-01T22:00:00+09:00" },
    });
    assert.deepEqual(tokyo.google.class.dateTime, {
      doorsOpen: "2027-05-01T19:00:00+09:00",
      start: "2027-05-02T03:00:00+09:00",
      end: "2027-05-01T22:00:00+09:00",
    });
    assert.equal(tokyo.apple.semantics.venueDoorsOpenDate, "2027-05-01T10:00:00.000Z");
    // An end before the start gives no interval.
    const date = "2027-05-01T18:00:00.000Z";
    assert.deepEqual(tokyo.apple.relevantDates, [{ date, relevantDate: date }]);
    assert.equal(tokyo.apple.relevantDate, date, "for older systems");
    assert.equal(tokyo.apple.eventTicket.secondaryFields[0].value, "2027-05-02T03:00:00+09:00");
  });

  for (const doors of [undefined, "2027-05-01T20:00:00Z"]) {
    it(`of an event with doors ${doors} let Wallet choose how long before the start`, async () => {
      const times = { start: "2027-05-01T20:00:00Z", end: "2027-05-01T23:00:00Z" };
      const { apple } = await preview("event", { ...times, ...(doors && { doors }) });
      const date = "2027-05-01T20:00:00.000Z";
      assert.deepEqual(apple.relevantDates, [{ date, relevantDate: date }]);
      assert.equal(apple.relevantDate, date);
    });
  }

  for (const [end, isInterval] of [
    ["2027-05-02T19:00:00Z", true],
    ["2027-05-02T19:00:01Z", false],
  ] as const) {
    const promise = isInterval
      ? "bring the ticket forward until it ends"
      : "keep the ticket relevant";
    it(`of an event from 2027-05-01T19:00:00Z to ${end} ${promise}`, async () => {
      const times = { doors: "2027-05-01T19:00:00Z", start: "2027-05-01T20:00:00Z", end };
      const { apple } = await preview("event", times);
      const date = "2027-05-01T20:00:00.000Z";
      const [{ startDate }] = apple.relevantDates;
      if (isInterval) assert.equal(startDate, "2027-05-01T19:00:00.000Z");
      else assert.deepEqual(apple.relevantDates, [{ date, relevantDate: date }]);
    });
  }

  it("without a zone of their place are shown in the offset that they are written with", async () => {
    const times = { start: "2027-05-01T20:00:00-04:00", doors: "soon", end: "2027-05-01" };
    const { apple, google } = await preview("event", times);
    const { dateTime } = google.class;
    const start = "2027-05-01T20:00:00-04:00";
    assert.deepEqual(dateTime, { start, end: "2027-05-01T00:00:00+02:00" });
    const date = "2027-05-02T00:00:00.000Z";
    assert.deepEqual(apple.relevantDates, [{ date, relevantDate: date }]);
  });

  it("in a zone that does not exist are those of the tenant", async () => {
    const [departure, arrival] = FORMS["without a zone"];
    const { apple, google } = await preview("flight", { departure, arrival, zone: "Atlantis" });
    assert.equal(google.class.localScheduledDepartureDateTime, "2027-05-01T18:30:00");
    assert.equal(apple.semantics.originalDepartureDate, "2027-05-01T16:30:00.000Z");
    assert.equal("departureLocationTimeZone" in apple.semantics, false);
  });
});
