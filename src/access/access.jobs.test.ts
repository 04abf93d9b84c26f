import assert from "node:assert/strict";
import { it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { codeRequest, createFirstAdministrator } from "#test/support/people.ts";
import { startApi } from "#test/support/start-api.ts";
import { purgeSignIns } from "./access.jobs.ts";

it("sign-in.purge deletes what has expired and nothing else, also when run twice", async (t) => {
  const BASE_URL = "https://passes.example.com";
  const api = await startApi(t, { env: { BASE_URL } });
  const { browser } = await createFirstAdministrator(api);
  await browser.open(codeRequest(api).url, `${BASE_URL}/console/callback`);
  const { body } = await api.get("/api/administrators", { key: api.operatorKey });
  await api.post(`/api/administrators/${body[0].id}/invitation`, { key: api.operatorKey });
  await api.sql(`
    insert into sign_in_attempt values
      ('old', 9, now() - interval '2 days', now() - interval '1 day'),
      ('new', 9, now(), now())`);
  // More than one batch.
  await api.sql(`
    insert into sign_in_attempt
    select convert_to('old ' || n, 'UTF8'), 1, now() - interval '2 days', '-infinity'
      from generate_series(1, 6000) n`);
  await api.sql(`
    insert into sign_in_link values ('\\x00', null, now() - interval '1 second', now())`);
  await api.sql(`
    insert into known_browser
    select '\\x00', id, now() - interval '180 days', now() - interval '1 second' from administrator`);
  await api.sql(`
    insert into authorization_record (model, id_hash, payload, expires_at)
    select 'Session', int4send(n), '', now() - interval '1 second' from generate_series(1, 25000) n`);
  const count = () =>
    api.sql(`
      select (select count(*)::int from authorization_record) as records,
             (select count(*)::int from sign_in_link) as links,
             (select count(*)::int from known_browser) as browsers,
             (select string_agg(convert_from(subject, 'UTF8'), ',') from sign_in_attempt) as attempts`);
  const before = await count();

  const context = systemCall(api.runtime, purgeSignIns.name);
  const { signal } = new AbortController();
  for (let round = 0; round < 2; round += 1) {
    await purgeSignIns.run(context, {}, signal);
    assert.deepEqual(await count(), [
      { records: Number(before[0]?.records) - 25_000, links: 1, browsers: 1, attempts: "new" },
    ]);
  }
});
