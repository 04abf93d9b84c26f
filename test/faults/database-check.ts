import type { Client } from "pg";
import { markOfEvent, type Write, type WriteJournal } from "./write-journal.ts";
import { KEY_TENANT } from "./write-load.ts";

export type DatabaseReport = {
  /** Acknowledged writes that are missing. */
  readonly lost: string[];
  /** Writes that were made more than once. */
  readonly duplicates: string[];
  /** Changes without an event, events without an audit row, and gaps between versions. */
  readonly torn: string[];
};

type StoredKey = { readonly name: string; readonly expiresAt: Date | null };
type StoredTenant = { readonly id: string; readonly version: number; readonly versions: number[] };

type Stored = {
  readonly eventCounts: ReadonlyMap<string, number>;
  readonly auditCounts: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, StoredKey>;
  readonly tenants: readonly StoredTenant[];
  readonly versionOfMark: ReadonlyMap<string, number>;
  readonly idempotentAnswers: number;
};

/** Compares the database with the answers that callers got. */
export async function checkDatabase(
  client: Client,
  journal: WriteJournal,
): Promise<DatabaseReport> {
  const stored = await readStored(client);
  const report: DatabaseReport = { lost: [], duplicates: [], torn: [] };
  for (const write of journal.writes) checkTraces(write, stored, report);
  checkStrangers(journal, stored, report);
  checkKeys(journal, stored, report);
  checkTenants(journal, stored, report);
  return report;
}

/** An acknowledged write has one event and one audit row, an unknown one both or neither. */
function checkTraces(write: Write, stored: Stored, report: DatabaseReport): void {
  const events = stored.eventCounts.get(write.mark) ?? 0;
  const audits = stored.auditCounts.get(write.requestId) ?? 0;
  if (events !== audits) report.torn.push(`${write.mark}: ${events} events, ${audits} audit rows`);
  if (events > 1 || audits > 1) report.duplicates.push(write.mark);
  if (write.outcome === "acknowledged" && events === 0) report.lost.push(write.mark);
  if (write.outcome === "refused" && events > 0)
    report.torn.push(`${write.mark}: refused, yet done`);
}

function checkStrangers(journal: WriteJournal, stored: Stored, report: DatabaseReport): void {
  const sent = new Set(journal.writes.map(({ mark }) => mark));
  for (const mark of stored.eventCounts.keys()) {
    if (!sent.has(mark)) report.torn.push(`${mark}: nobody sent it`);
  }
  const answered = journal.writes.filter(
    ({ idempotencyKey, mark }) => idempotencyKey !== undefined && stored.eventCounts.has(mark),
  );
  if (answered.length !== stored.idempotentAnswers) {
    report.torn.push(`${stored.idempotentAnswers} kept answers for ${answered.length} writes`);
  }
}

/** The rows must be the result of all writes that were made, in the order of sending. */
function checkKeys(journal: WriteJournal, stored: Stored, report: DatabaseReport): void {
  const expected = new Map<string, string | null>();
  for (const { kind, target, mark, body } of journal.writes) {
    if (!stored.eventCounts.has(mark)) continue;
    if (kind === "create") expected.set(target, null);
    if (kind === "update") expected.set(target, (body as { expiresAt: string }).expiresAt);
    if (kind === "delete") expected.delete(target);
  }
  for (const [name, expiresAt] of expected) {
    const key = stored.keys.get(name);
    if (key === undefined) report.lost.push(`key ${name}`);
    else if ((key.expiresAt?.toISOString() ?? null) !== expiresAt) {
      report.torn.push(`key ${name}: not as its last change left it`);
    }
  }
  for (const name of stored.keys.keys()) {
    if (!expected.has(name)) report.torn.push(`key ${name}: there without an event`);
  }
}

function checkTenants(journal: WriteJournal, stored: Stored, report: DatabaseReport): void {
  for (const { id, version, versions } of stored.tenants) {
    const isWhole = versions.length === version && versions.every((v, index) => v === index + 1);
    if (!isWhole) report.torn.push(`tenant ${id}: version ${version}, files of ${versions}`);
  }
  for (const { kind, mark, version } of journal.writes) {
    if (kind !== "publish" || version === undefined) continue;
    if (stored.versionOfMark.get(mark) !== version) {
      report.torn.push(`${mark}: answered as version ${version}`);
    }
  }
}

async function readStored(client: Client): Promise<Stored> {
  const events = await client.query<{ name: string; data: Record<string, unknown> }>(
    // Leaves out the first publications, which have no message and are not in the journal.
    `select name, data from event
      where tenant_id like 'crash-%' and not (name = 'configuration.published' and data->>'message' is null)`,
  );
  const audits = await client.query<{ id: string }>("select request_id as id from audit");
  const keys = await client.query<StoredKey>(
    `select name, expires_at as "expiresAt" from api_key where tenant_id = $1`,
    [KEY_TENANT],
  );
  const tenants = await client.query<StoredTenant>(
    `select id, version,
            (select array_agg(distinct file.version order by file.version)
               from configuration_file file
              where file.tenant_id = tenant.id and file.version > 0) as versions
       from tenant where id like 'crash-%'`,
  );
  const answers = await client.query<{ count: number }>(
    "select count(*)::int as count from idempotent_answer",
  );
  const marks = events.rows.map(({ name, data }) => markOfEvent(name, data));
  return {
    eventCounts: tally(marks),
    auditCounts: tally(audits.rows.map(({ id }) => id)),
    keys: new Map(keys.rows.map((key) => [key.name, key])),
    tenants: tenants.rows,
    versionOfMark: new Map(
      events.rows.map(({ data }, index) => [marks[index] ?? "", Number(data.version)]),
    ),
    idempotentAnswers: answers.rows[0]?.count ?? 0,
  };
}

function tally(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
