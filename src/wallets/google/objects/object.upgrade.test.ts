import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { sql } from "#kernel/db/sql.ts";
import {
  askForLink,
  ISSUER_ID,
  seedGoogleTenant,
  startGoogle,
} from "#test/support/google-stand-in.ts";
import { startApi } from "#test/support/start-api.ts";
import { databaseBefore } from "#test/support/upgrade.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { claimObjects } from "./object.repository.ts";

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
    `update google_object set content_hash = 'outdated', due_at = now() + make_interval(secs => $2)
          where pass_id = $1`,
    [passId, seconds],
  );
};
const isSent = async (passId: string) => {
  const [row] = await api.sql("select content_hash, due_at from google_object where pass_id = $1", [
    passId,
  ]);
  return row?.content_hash !== "outdated" && row?.due_at === null;
};

describe("an upgrade to times of the place", () => {
  it("lets passes that Google knows with times take their turn, five in a second for each issuer", async (t) => {
    const database = await databaseBefore(t, UPGRADE);
    await database.sql(`
      insert into tenant (id, name, version, settings, created_at, updated_at)
      values ('acme', 'Acme', 1, '{}', now(), now()), ('twin', 'Twin', 1, '{}', now(), now())`);
    await database.sql(`
      insert into google_object (tenant_id, pass_id, object_id, google_type, content_hash, members, state, due_at, is_erased)
      select tenant, name, issuer || '.' || name, type, 'known', members::text[], state, due, erased
        from (values ('acme', 'a', 1, 'eventTicket', '{}', 'sent', null, false),
                     ('acme', 'b', 1, 'transit', '{}', 'sent', null, false),
                     ('acme', 'c', 1, 'loyalty', '{id,validTimeInterval,validTimeInterval.end}', 'sent', null, false),
                     ('acme', 'd', 1, 'loyalty', '{id}', 'sent', null, false),
                     ('acme', 'e', 1, 'eventTicket', '{}', 'queued', now(), false),
                     ('acme', 'f', 1, 'eventTicket', '{}', 'sent', null, true),
                     ('acme', 'g', 2, 'transit', '{}', 'sent', null, false),
                     ('twin', 'h', 1, 'transit', '{}', 'sent', null, false))
             as object (tenant, name, issuer, type, members, state, due, erased)`);
    await database.sql(`
      insert into google_class (tenant_id, class_id, pass_type, google_type, configuration_version, content_hash, members, problem, updated_at)
      select 'acme', class_id, 'any', type, 1, 'known', '{}', problem, now()
        from (values ('1.a', 'eventTicket', null), ('1.b', 'flight', 'Refused.'), ('1.c', 'loyalty', null))
             as class (class_id, type, problem)`);
    assert.deepEqual(await database.upgrade(), [UPGRADE]);
    const classes = await database.sql(
      "select class_id, content_hash from google_class order by class_id",
    );
    assert.deepEqual(
      classes.map(({ content_hash }) => content_hash),
      ["", "known", "known"],
    );
    const rows = await database.sql(
      `select pass_id, round(5 * extract(epoch from due_at - min(due_at) over ()))::int as turn
         from google_object where content_hash = 'outdated' order by pass_id`,
    );
    assert.deepEqual(
      rows.map(({ pass_id, turn }) => [pass_id, turn]),
      [
        ["a", 0],
        ["b", 1],
        ["c", 2],
        ["g", 0],
        ["h", 3],
      ],
    );
  });

  it("sends the class and the pass by one change each, and asks for no notification", async () => {
    const { passId, classId } = await savedTicket("quiet");
    const { dateTime } = google.resource("eventTicketClass", classId);
    dateTime.start = "2027-05-01T18:00:00.000Z";
    const before = google.calls.length;
    await waitsForTurn(passId, classId, 0);
    await until(() => isSent(passId));
    const sent = google.calls.slice(before).filter(({ path }) => !path.includes("token"));
    assert.deepEqual(
      sent.map(({ method, path }) => [method, path.split("/")[1]]),
      [
        ["PATCH", "eventTicketClass"],
        ["PATCH", "eventTicketObject"],
      ],
    );
    assert.ok(sent.every(({ body }) => body.notifyPreference === undefined));
    const { start } = google.resource("eventTicketClass", classId).dateTime;
    assert.equal(start, "2027-05-01T20:00:00+02:00");
  });

  it("asks for no notification after a failure, and for newer files, either", async () => {
    const { passId, classId } = await savedTicket("failing");
    google.fail(({ path }) => (path.includes("/eventTicketObject") ? 503 : undefined));
    await waitsForTurn(passId, classId, 0);
    const problemOf = async () => {
      const [row] = await api.sql("select state, problem from google_object where pass_id = $1", [
        passId,
      ]);
      return row?.problem;
    };
    await until(async () => (await problemOf()) !== null);
    const before = google.calls.length;
    google.heal();
    await seedGoogleTenant(api, "acme", {
      "tenant.yml": "name: Acme\ntimeZone: Europe/Zurich\n",
      "server/passes/event.yml": EVENT.replace("label: Starts", "label: Begins"),
    });
    await until(() => isSent(passId));
    const asked = google.calls.slice(before).filter(({ path }) => path.includes(passId));
    assert.deepEqual(
      asked.map(({ method, body }) => [method, body.notifyPreference]),
      [["PATCH", undefined]],
    );
  });

  it("sends a change before the turn, and gives a link at once", async () => {
    const { passId, classId } = await savedTicket("changed");
    await waitsForTurn(passId, classId, 3_600);
    const body = { additionalData: { seat: "7" } };
    const changed = await api.patch(`/api/acme/passes/${passId}`, { key, body });
    assert.equal(changed.status, 202, changed.text);
    await until(() => isSent(passId));
    await waitsForTurn(passId, classId, 3_600);
    const before = google.calls.length;
    assert.equal((await askForLink(api, "acme", passId)).status, 200);
    assert.equal(google.calls.length, before);
  });

  it("claims passes that have changed before those whose turn it is", async () => {
    const context = systemCall(api.runtime, "google.test", { tenantId: "acme" });
    const undone = new Error("undone");
    const claimed: string[] = [];
    const claiming = context.transaction(async (tx) => {
      await tx.run(sql`
        insert into google_object (tenant_id, pass_id, object_id, state, due_at)
        select ${tx.tenantId}, state || n, '1.' || state || n, state, now() - make_interval(secs => age)
          from generate_series(1, 3) as n, (values ('sent', 60), ('queued', 1)) as row (state, age)`);
      for (const token of [randomUUID(), randomUUID()]) {
        const objects = await claimObjects(tx, { token, seconds: 30, count: 4 });
        claimed.push(
          objects
            .map(({ passId }) => passId.replace(/\d/, ""))
            .sort()
            .join(" "),
        );
      }
      throw undone;
    });
    await assert.rejects(claiming, undone);
    assert.deepEqual(claimed, ["queued queued queued sent", "sent sent"]);
  });
});
