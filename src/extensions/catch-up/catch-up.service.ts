import type { TenantContext } from "#kernel/context.ts";
import { newId } from "#kernel/ids.ts";
import { ensureWebhookUrl } from "../inbox/address.service.ts";
import { insertDelivery } from "../inbox/inbox.repository.ts";
import { hasRoomToSpare } from "../inbox/inbox.room.ts";
import { INBOX_HINT } from "../inbox/inbox.signal.ts";
import { countWaiting } from "../inbox/inbox-state.repository.ts";
import type { CatchUp, Changed } from "../kit/catch-up.ts";
import type { Connection, Connector } from "../kit/connector.ts";
import { findConnection, missingSecret } from "../settings/connection.service.ts";
import { findPlace, listNewest, upsertPlace } from "./catch-up.repository.ts";

/** Of one part in one run; the next run goes on from there. */
const PAGES_MAX = 100;
/** Where everything is looked through, no run follows. */
const PAGES_AGAIN_MAX = 1_000;

export type CaughtUp = {
  /** What changed at the vendor. What changed at the border of two pages may count twice. */
  readonly seen: number;
  /** What of it nobody had told. */
  readonly missed: number;
  /** Set if too much waits in the inbox: the rest is for later. */
  readonly rest?: Rest;
};

/** From where to go on, where that is not stored. */
export type Rest = { readonly since?: string };

type Ground = {
  readonly context: TenantContext;
  readonly connector: Connector;
  readonly connection: Connection;
  readonly catchUp: CatchUp<Connection>;
  readonly signal: AbortSignal;
};

/**
 * Looks through what changed at a vendor since the last time. What is not known here yet is put into
 * the inbox, where it is worked on in order with what the vendor tells by itself. A part that cannot
 * be looked through keeps its place, and no other from its turn. While too much waits in the inbox,
 * all keep their places.
 */
export async function catchUpWith(
  context: TenantContext,
  connector: Connector,
  signal: AbortSignal,
): Promise<CaughtUp> {
  const ground = await groundFor(context, connector, signal);
  if (ground === undefined) return NOTHING;
  const { catchUp, connection } = ground;
  const counts = { seen: 0, missed: 0 };
  const failures: unknown[] = [];
  for (const part of await catchUp.parts(context, connection, signal)) {
    try {
      const { seen, missed, rest } = await lookThrough(ground, part);
      counts.seen += seen;
      counts.missed += missed;
      if (rest !== undefined) return { ...counts, rest };
    } catch (error) {
      if (signal.aborted) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return counts;
}

/**
 * Puts all that a vendor has of one part into the inbox, known or not: something that all of it shows
 * has changed. `rest` is what an earlier look left.
 */
export async function lookAgain(
  context: TenantContext,
  connector: Connector,
  { part, since }: Rest & { readonly part: string },
  signal: AbortSignal,
): Promise<CaughtUp> {
  const ground = await groundFor(context, connector, signal);
  if (ground === undefined) return NOTHING;
  // The same for all tries of this run, and another one for the next.
  const mark = `${context.requestId} `;
  const put = (changed: readonly Changed[]) =>
    note(
      ground,
      changed.map((one) => ({ ...one, dedupeKey: mark + one.dedupeKey })),
    );
  const walked = await walk(ground, { part, since, pagesMax: PAGES_AGAIN_MAX, put });
  const { seen, missed, end } = walked;
  if (end !== "full") return { seen, missed };
  return { seen, missed, rest: walked.since === undefined ? {} : { since: walked.since } };
}

const NOTHING: CaughtUp = { seen: 0, missed: 0 };

/** Undefined if the tenant does not use the connector, or cannot. */
async function groundFor(
  context: TenantContext,
  connector: Connector,
  signal: AbortSignal,
): Promise<Ground | undefined> {
  const catchUp = connector.catchUp as CatchUp<Connection> | undefined;
  const connection = catchUp && (await findConnection(context, connector));
  if (catchUp === undefined || connection === undefined) return undefined;
  // The nightly look finds tenants by it. Who publishes a file may never have asked for the address.
  await ensureWebhookUrl(context, connector.name);
  if (missingSecret(connector, connection) !== undefined) return undefined;
  return { context, connector, connection, catchUp, signal };
}

async function lookThrough(ground: Ground, part: string): Promise<CaughtUp> {
  const { context, connector, connection } = ground;
  const account = connector.account?.(connection.settings);
  // A file may lead to another account, which was not looked through yet.
  const place = account === undefined ? part : `${account}/${part}`;
  const known = await findPlace(context, connector.name, place);
  const put = (changed: readonly Changed[]) => noteMissed(ground, changed);
  const walked = await walk(ground, { part, since: known, pagesMax: PAGES_MAX, put });
  const { seen, missed, since, end } = walked;
  if (since !== undefined && since !== known) {
    await context.transaction(async (tx) => upsertPlace(tx, connector.name, place, since));
  }
  return { seen, missed, ...(end === "full" && { rest: {} }) };
}

type Way = {
  readonly part: string;
  readonly since: string | undefined;
  readonly pagesMax: number;
  /** Returns how many of them are new. */
  put(changed: readonly Changed[]): Promise<number>;
};

type Walked = {
  readonly seen: number;
  readonly missed: number;
  /** From where to go on. */
  readonly since: string | undefined;
  /** Why it went no further: all was seen, there were too many pages, or too much waits here. */
  readonly end: "over" | "more" | "full";
};

/**
 * Goes through what changed, oldest first. Whatever changes meanwhile moves to the end of the list, and
 * all behind it to the front: by counted pages, one at the border would be missed. So each request asks
 * from the last one seen, and for a further page only where a whole page is of the same moment.
 */
async function walk(ground: Ground, { part, pagesMax, put, ...from }: Way): Promise<Walked> {
  const { context, connector, connection, catchUp, signal } = ground;
  let [seen, missed, page] = [0, 0, 1];
  let { since } = from;
  let nextSince: string | undefined;
  for (let asked = 1; ; asked += 1) {
    if (!hasRoomToSpare(await countWaiting(context, connector.name))) {
      return { seen, missed, since, end: "full" };
    }
    const found = await catchUp.page(context, connection, { part, since, page }, signal);
    nextSince ??= found.nextSince;
    seen += found.changed.length;
    missed += await put(found.changed);
    const last = found.changed.at(-1);
    if (!found.hasMore || last === undefined)
      return { seen, missed, since: nextSince, end: "over" };
    const isLater = since === undefined || last.occurredAt > new Date(since);
    page = isLater ? 1 : page + 1;
    if (isLater) since = last.occurredAt.toISOString();
    if (asked === pagesMax) return { seen, missed, since, end: "more" };
  }
}

async function noteMissed(ground: Ground, changed: readonly Changed[]): Promise<number> {
  const { context, connector } = ground;
  const subjects = changed.map(({ subject }) => subject);
  const known = await listNewest(context, connector.name, subjects);
  const newest = new Map(known.map((one) => [one.subject, one.newest]));
  const missed = changed.filter(({ subject, occurredAt }) => {
    const at = newest.get(subject);
    return at === undefined || at < occurredAt;
  });
  return await note(ground, missed);
}

/** A second run in the same moment notes nothing twice: the keys are the same. */
async function note(
  { context, connector: { name } }: Ground,
  changed: readonly Changed[],
): Promise<number> {
  const now = context.clock.now();
  let count = 0;
  for (const { dedupeKey, topic, subject, occurredAt, body } of changed) {
    const isNew = await insertDelivery(context, {
      id: newId("inb", now.getTime()),
      connector: name,
      dedupeKey,
      topic,
      subject,
      tells: null,
      occurredAt,
      receivedAt: now,
      headers: {},
      body: Buffer.from(JSON.stringify(body)),
      problem: null,
    });
    if (isNew) count += 1;
  }
  if (count > 0) context.runtime.db.hint(INBOX_HINT, context.tenantId);
  return count;
}
