import type { Call } from "#kernel/call.ts";
import { sql } from "#kernel/db/sql.ts";
import { type CustomerCreate, createCustomer } from "#src/customers/public.ts";
import {
  acceptUpdates,
  createPass,
  notifyPass,
  type PassCreate,
  updatePassesNow,
} from "#src/passes/public.ts";
import { moveValue } from "#src/privileges/public.ts";
import { receiptDeskOf, recordReceipt } from "#src/receipts/public.ts";
import { recordCheckIn } from "#src/scans/public.ts";
import { runTask } from "#src/scheduler/public.ts";

/** The customers of the demo tenant: first name, last name, tier of the loyalty card. */
const GUESTS = [
  ["Amélie", "Roux", "Full Moon"],
  ["Bastien", "Girard", "Crescent"],
  ["Chloé", "Lambert", "Half Moon"],
  ["Daniel", "Okafor", "Crescent"],
  ["Élise", "Fontaine", "Half Moon"],
  ["Farid", "Haddad", "Full Moon"],
  ["Greta", "Lindholm", "Crescent"],
  ["Hugo", "Mercier", "Crescent"],
  ["Inès", "Delacroix", "Half Moon"],
  ["Jonas", "Weber", "Crescent"],
  ["Katarzyna", "Nowak", "Half Moon"],
  ["Liam", "Walsh", "Crescent"],
  ["Mei", "Tanaka", "Full Moon"],
  ["Noah", "Bernard", "Crescent"],
] as const;

/** Those of the demo's `server/schedule.yml` that have something to show. */
const TASKS = ["expire-passes", "check-credentials", "purge"] as const;
const CUSTOMERS = 8;
const BUYERS = 3;
const COUPONS = 6;
const COUPONS_OVER = 2;
const TICKETS = 6;
const MEMBERSHIPS = 4;
const VISIT_DAYS = 30;
const COFFEE_EVERY = 5;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Creates passes, customers and events, so that no list of the demo tenant is empty. It uses the
 * services that requests use; the content is always the same except for ids and dates. If a start
 * is killed half-way, the next start creates the rest: existing records are not created again, and
 * the job that changes passes, which is created last, shows that everything is there.
 */
export async function fillDemo(call: Call): Promise<void> {
  if (await isFilled(call)) return;
  const now = call.clock.now();
  const made = await countCustomers(call);
  for (const customer of customers(now).slice(made)) await createCustomer(call, customer);
  const cards = await makeAll(call, "loyalty", loyaltyCards());
  const vouchers = await makeAll(call, "coupon", coupons(now));
  const tickets = await makeAll(call, "event-ticket", concertTickets(now));
  const memberships = await makeAll(call, "membership", circleMemberships(now));
  await welcomeGuests(call, { cards, over: vouchers.slice(0, COUPONS_OVER) }, now);
  await sellSome(call, cards.slice(0, BUYERS), now);
  await runTasks(call);
  await changeSome(call, { cards, tickets, memberships });
}

type Shown = { readonly cards: readonly string[]; readonly over: readonly string[] };

/**
 * Visits of the last month, as a till tells of them that was without network: cards that were shown,
 * every fifth one for a free coffee, and coupons that were over.
 */
async function welcomeGuests(call: Call, { cards, over }: Shown, now: Date): Promise<void> {
  const known = await call.read(sql`
    select from scan where tenant_id = ${call.tenantId} limit 1
  `);
  if (known.length > 0) return;
  await call.transaction(async (tx) => {
    for (const [at, { ago, guest }] of visits().entries()) {
      const when = new Date(now.getTime() - ago);
      const passId = cards[guest % cards.length] ?? "";
      const told = { scanner: "till", location: "Café Lune Marais", at: when };
      await recordCheckIn(tx, passId, { ...told, reference: `visit-${at}` });
      if (at % COFFEE_EVERY !== 0) continue;
      const coffee = (type: "issuance" | "redemption", value: string) =>
        moveValue(tx, passId, "coffee", { type, value, occurredAt: when });
      await coffee("issuance", "1");
      await coffee("redemption", "-1");
    }
    for (const [at, passId] of over.entries()) {
      const when = new Date(now.getTime() - (at + 1) * HOUR_MS);
      const told = { scanner: "till", location: "Café Lune Marais", at: when };
      await recordCheckIn(tx, passId, { ...told, reference: `over-${at}` });
    }
  });
}

/** Some for every day, more at the end of a week, always the same. */
function visits(): { ago: number; guest: number }[] {
  return Array.from(
    { length: VISIT_DAYS },
    (_, day) => 1 + ((day * 5) % 4) + (day % 7 < 2 ? 2 : 0),
  ).flatMap((count, day) =>
    Array.from({ length: count }, (_, at) => ({
      ago: day * DAY_MS + (at + 1) * HOUR_MS,
      guest: day * 3 + at * 5,
    })),
  );
}

/** Breakfast for the first guests: their cards link to the receipts. */
async function sellSome(call: Call, cards: readonly string[], now: Date): Promise<void> {
  const desk = await receiptDeskOf(call);
  for (const [at, passId] of cards.entries()) {
    const receipt = {
      source: "till",
      reference: `marais-${4711 + at}`,
      passId,
      store: { id: "marais" },
      occurredAt: new Date(now.getTime() - (at + 1) * DAY_MS).toISOString(),
      currency: "EUR",
      lines: [
        { description: "Flat white", quantity: 2, unitPrice: "4.20", total: "8.40", taxRate: 10 },
        { description: "Croissant", unitPrice: "2.20", total: "2.20", taxRate: "5.5" },
      ],
      taxes: [
        { name: "TVA", rate: 10, amount: "0.76" },
        { name: "TVA", rate: "5.5", amount: "0.11" },
      ],
      total: "10.60",
      paidBy: "Visa ···· 4242",
      pointsEarned: 10,
    };
    await call.transaction((tx) => recordReceipt(tx, desk, receipt));
  }
}

/** The workers run them as soon as the service is up: each has a history from the start. */
async function runTasks(call: Call): Promise<void> {
  const known = await call.read(sql`
    select from task_execution where tenant_id = ${call.tenantId} limit 1
  `);
  if (known.length > 0) return;
  for (const taskId of TASKS) await runTask(call, taskId);
}

async function isFilled(call: Call): Promise<boolean> {
  const jobs = await call.read(sql`
    select from job where tenant_id = ${call.tenantId} and kind = 'pass.update' limit 1
  `);
  return jobs.length > 0;
}

async function countCustomers(call: Call): Promise<number> {
  const [row] = await call.read(sql<{ count: number }>`
    select count(*)::int as count from customer where tenant_id = ${call.tenantId}
  `);
  return row?.count ?? 0;
}

async function makeAll(
  call: Call,
  passType: string,
  passes: readonly PassCreate[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const sent of passes) {
    const { pass } = await createPass(call, passType, sent, "return");
    ids.push(pass.id);
  }
  return ids;
}

type Made = Readonly<Record<"cards" | "tickets" | "memberships", readonly string[]>>;

/** Some changes that make the lists interesting: a higher tier, a lost card, a message, a job. */
async function changeSome(call: Call, { cards, tickets, memberships }: Made): Promise<void> {
  const [, risen = "", , , , , , lost = ""] = cards;
  const [ticket = ""] = tickets;
  const updates = [
    { target: { passId: risen }, change: { additionalData: { tier: "Half Moon" } } },
    { target: { passId: lost }, change: { status: "disabled" as const } },
  ];
  await updatePassesNow(call, { by: "updates", updates }, {});
  await notifyPass(call, ticket, {
    title: "Moonlight Jazz",
    content: "The band is complete. See you soon.",
  });
  const change = { additionalData: { level: "Patron" } };
  await acceptUpdates(call, { by: "passIds", passIds: memberships.slice(0, 2), change }, {});
}

function customers(now: Date): CustomerCreate[] {
  return GUESTS.slice(0, CUSTOMERS).map(([firstName, lastName], at) => ({
    identifiers: { "loyalty.number": cardNumber(at) },
    firstName,
    lastName,
    email: `guest-${at + 1}@cafe-lune.example`,
    locale: at % 3 === 0 ? "fr" : "en",
    consents: { newsletter: { granted: at % 4 !== 3, at: now.toISOString(), source: "till" } },
  }));
}

function loyaltyCards(): PassCreate[] {
  return GUESTS.map(([firstName, lastName, tier], at) => ({
    identifiers: { "loyalty.number": cardNumber(at) },
    additionalData: { firstName, lastName, tier },
  }));
}

function coupons(now: Date): PassCreate[] {
  return GUESTS.slice(0, COUPONS).map(([firstName], at) => ({
    identifiers: { "coupon.code": `CROISSANT-${at + 1}`, "loyalty.number": cardNumber(at) },
    additionalData: { firstName, validUntil: daysFrom(now, at < COUPONS_OVER ? -1 : 30) },
  }));
}

function concertTickets(now: Date): PassCreate[] {
  const evening = daysFrom(now, 21).slice(0, 10);
  const times = {
    doors: `${evening}T18:00:00Z`,
    start: `${evening}T19:00:00Z`,
    end: `${evening}T22:00:00Z`,
  };
  return GUESTS.slice(-TICKETS).map(([firstName, lastName], at) => ({
    identifiers: { "ticket.number": `JAZZ-${at + 1}` },
    additionalData: {
      holder: `${firstName} ${lastName}`,
      eventName: "Moonlight Jazz",
      concert: `jazz-${evening.slice(0, 7)}`,
      ...times,
      table: String(1 + Math.floor(at / 2)),
      seat: at % 2 === 0 ? "A" : "B",
    },
  }));
}

function circleMemberships(now: Date): PassCreate[] {
  return GUESTS.slice(0, MEMBERSHIPS).map(([firstName, lastName], at) => ({
    identifiers: { "member.number": `LC-${101 + at}`, "loyalty.number": cardNumber(at) },
    additionalData: {
      name: `${firstName} ${lastName}`,
      since: "2024-10-01",
      level: "Friend",
      renewal: daysFrom(now, 300),
    },
  }));
}

/** Numbers from 2001 on; lower numbers are free for people who try the examples. */
function cardNumber(at: number): string {
  return String(2001 + at);
}

function daysFrom(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString();
}
