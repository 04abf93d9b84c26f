import assert from "node:assert/strict";
import { startGoogleFixture } from "./google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "./google-stand-in.ts";

/* Passes of events and flights at Google, and what their classes are sent. */

const HEAD = `organization: Harbour Club
description: Pass of the Harbour Club
images: { icon: images/icon.png, logo: images/icon.png }
`;

export const EVENT = `kind: eventTicket
name: Concert
${HEAD}event:
  id: "{{ data.id }}"
  name: Concert
  venue: "{{ data.venue | default: 'Lune Hall' }}"
  address: 1 Moon Street
  start: "{{ data.start }}"
  seat: "{{ data.seat }}"
fields:
  primary: [ { key: event, label: Event, value: Concert } ]
  secondary:
    - { key: start, label: Starts, value: "{{ data.start }}", format: { time: short }, change: "Now at %@" }
`;

/** All its passes share the class of the template. */
export const GALA = `kind: eventTicket
name: Gala
${HEAD}event: { name: Gala, start: "2027-09-01T20:00", seat: "{{ data.seat }}" }
fields:
  primary: [ { key: event, label: Event, value: Gala } ]
  secondary: [ { key: start, label: Starts, value: "2027-09-01T20:00", change: "Now at %@" } ]
`;

export const FLIGHT = `kind: boardingPass
name: Flight
${HEAD}transit:
  type: air
  carrier: LX
  number: "15"
  passenger: Ada
  origin: { code: JFK, timeZone: America/New_York }
  destination: { code: ZRH, timeZone: Europe/Zurich }
  departure: "{{ data.departure }}"
  estimatedDeparture: "{{ data.estimated }}"
  estimatedBoarding: "{{ data.boarding }}"
  gateClosing: "{{ data.closing }}"
  gate: "{{ data.gate }}"
  status: "{{ data.status }}"
  statusReason: Fog
fields:
  primary: [ { key: from, label: From, value: JFK }, { key: to, label: To, value: ZRH } ]
  secondary: [ { key: gate, label: Gate, value: "{{ data.gate }}", change: "Go to gate %@" } ]
`;

export const EVENT_FILES = {
  "tenant.yml": "name: Acme\ntimeZone: Europe/Zurich\n",
  "server/passes/event.yml": EVENT,
  "server/passes/silent.yml": EVENT.replace(', change: "Now at %@"', "").replace("Concert", "Jazz"),
  "server/passes/flight.yml": FLIGHT,
  "server/passes/gala.yml": GALA,
};

/** What a class was sent: one change of which its holders are notified, or one of which they are not. */
export const NOTIFIED = [["PATCH", "NOTIFY_ON_UPDATE"]];
export const SILENT = [["PATCH", undefined]];

type Data = Readonly<Record<string, string>>;

export async function startEventClasses(owner: Parameters<typeof startGoogleFixture>[0]) {
  const { google, api, sendPass, settled } = await startGoogleFixture(owner);
  await seedGoogleTenant(api, "acme", EVENT_FILES);
  const key = api.operatorKey;

  async function created(passType: string, additionalData: Data): Promise<string> {
    const path = `/api/acme/passes?passType=${passType}`;
    const { status, body, text } = await api.post(path, { key, body: { additionalData } });
    assert.equal(status, 201, text);
    return body.id;
  }

  async function saved(passType: string, additionalData: Data) {
    const id = await created(passType, additionalData);
    await sendPass(id);
    const resource = passType === "flight" ? "flight" : "eventTicket";
    const object = () => google.resource(`${resource}Object`, `${ISSUER_ID}.${id}`);
    const classId: string = object().classId;
    return {
      id,
      object,
      classId,
      ofClass: () => google.resource(`${resource}Class`, classId),
      /** Changes its data, waits until Google has that, and gives what the class was sent meanwhile. */
      async change(data: Data) {
        const before = google.calls.length;
        const path = `/api/acme/passes/${id}`;
        const changed = await api.patch(path, {
          key,
          body: { additionalData: data, options: { BypassQueue: true } },
        });
        assert.equal(changed.status, 200, changed.text);
        await settled(id);
        return (
          google.calls
            .slice(before)
            .filter(({ path }) => path.includes("Class"))
            // Other classes may follow a publication meanwhile.
            .filter(({ method, path }) => method === "POST" || path.includes(classId))
            .map(({ method, body: { notifyPreference } }) => [method, notifyPreference])
        );
      },
    };
  }

  return { google, api, created, saved, sendPass, settled };
}
