import assert from "node:assert/strict";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { migrate } from "#kernel/db/migrate.ts";
import {
  askForLink,
  ISSUER_ID,
  seedGoogleTenant,
  startGoogle,
} from "#test/support/google-stand-in.ts";
import { lendDatabase } from "#test/support/kernel.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../../db/migrations");
const UPGRADE = "0068_local_times.sql";

const EVENT = `kind: eventTicket
name: Concert
organization: Harbour Club
description: Pass of the Harbour Club
images: { icon: images/icon.png, logo: images/icon.png }
event: { id: "{{ data.id }}", name: Concert, start: "{{ data.start }}", seat: "{{ data.seat }}" }
fields:
  primary: [ { key: start, label: Starts, value: "{{ data.start }}", change: "Now at %@" } ]
`;

const google = await startGoogle({ after });
const api = await startApi({ after }, { env: { GOOGLE_WALLET_URL: google.url } });
await seedGoogleTenant(api, "acme", {
  "tenant.yml": "name: Acme\ntimeZone: Europe/Zurich\n",
  "server/passes/event.yml": EVENT,
});
const key = api.operatorKey;

const savedTicket = async (id: string) => {
  const body = { additionalData: { id, start: "2027-05-01T20:00", seat: "1" } };
  const made = await api.post("/api/acme/passes?passType=event", { key, body });
  assert.equal(made.status, 201, made.text);
  assert.equal((await askForLink(api, "acme", made.body.id)).status, 200);
  const classId: string = google.resource(
    "eventTicketObject",
    `${ISSUER_ID}.${made.body.id}`,
  ).classId;
  return { passId: made.body.id as string, classId };
};
const waitsForTurn = async (passId: string, classId: string, seconds: number) => {
  await api.sql("update google_class set content_hash = '' where class_id = $1", [classId]);
  await api.sql(
    `update google_object set content_hash = null, due_at = now() + make_interval(secs => $2)
          where pass_id = $1`,
    [passId, seconds],
  );
};
const isSent = async (passId: string) => {
  const [row] = await api.sql("select content_hash, due_at from google_object where pass_id = $1", [
    passId,
  ]);
  return row?.content_hash !== null && row?.due_at === null;
};

describe("an upgrade to times of the place", () => {
  it("lets passes that Google knows with times take their turn, ten in a second", async (t) => {
    const database = await lendDatabase(t);
    const folder = await mkdtemp(join(tmpdir(), "billfold-upgrade-"));
    t.after(() => rm(folder, { recursive: true }));
    const names = (await readdir(MIGRATIONS)).filter((name) => name < UPGRADE);
    await Promise.all(names.map((name) => copyFile(join(MIGRATIONS, name), join(folder, name))));
    await database.sql("create schema before");
    await database.sql("set search_path = before");
    const connection = { ...database.connection, options: "-c search_path=before" };
    await migrate(connection, folder);
    await database.sql(`
      insert into tenant (id, name, version, settings, created_at, updated_at)
      values ('acme', 'Acme', 1, '{}', now(), now())`);
    await database.sql(`
      insert into google_object (tenant_id, pass_id, object_id, google_type, content_hash, members, state, due_at, is_erased)
      select 'acme', name, '1.' || name, type, 'known', members::text[], state, due, erased
        from (values ('a', 'eventTicket', '{}', 'sent', null, false),
                     ('b', 'transit', '{}', 'sent', null, false),
                     ('c', 'loyalty', '{id,validTimeInterval,validTimeInterval.end}', 'sent', null, false),
                     ('d', 'loyalty', '{id}', 'sent', null, false),
                     ('e', 'eventTicket', '{}', 'queued', now(), false),
                     ('f', 'eventTicket', '{}', 'sent', null, true))
             as object (name, type, members, state, due, erased)`);
    await copyFile(join(MIGRATIONS, UPGRADE), join(folder, UPGRADE));
    assert.deepEqual(await migrate(connection, folder), [UPGRADE]);
    const rows = await database.sql(
      `select pass_id, round(10 * extract(epoch from due_at - min(due_at) over ()))::int as turn
         from google_object where content_hash is null order by pass_id`,
    );
    assert.deepEqual(
      rows.map(({ pass_id, turn }) => [pass_id, turn]),
      [
        ["a", 0],
        ["b", 1],
        ["c", 2],
      ],
    );
  });

  it("sends the class and the pass again, and asks for no notification", async () => {
    const { passId, classId } = await savedTicket("quiet");
    const { dateTime } = google.resource("eventTicketClass", classId);
    dateTime.start = "2027-05-01T18:00:00.000Z";
    const before = google.calls.length;
    await waitsForTurn(passId, classId, 0);
    await until(() => isSent(passId));
    const sent = google.calls.slice(before).filter(({ path }) => !path.includes("token"));
    assert.ok(sent.length > 0);
    assert.ok(sent.every(({ body }) => body.notifyPreference === undefined));
    const { start } = google.resource("eventTicketClass", classId).dateTime;
    assert.equal(start, "2027-05-01T20:00:00+02:00");
  });

  it("lets a change and a link go before the turn", async () => {
    const { passId, classId } = await savedTicket("changed");
    await waitsForTurn(passId, classId, 3_600);
    const body = { additionalData: { seat: "7" } };
    const changed = await api.patch(`/api/acme/passes/${passId}`, { key, body });
    assert.equal(changed.status, 202, changed.text);
    await until(() => isSent(passId));
    await waitsForTurn(passId, classId, 3_600);
    assert.equal((await askForLink(api, "acme", passId)).status, 200);
    await until(() => isSent(passId));
  });
});
