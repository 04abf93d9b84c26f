import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connectors } from "#src/extensions/connectors.ts";
import {
  bloomreachCaller,
  brazeCaller,
  brevoCaller,
  type Caller,
  customerioCaller,
  hubspotCaller,
  klaviyoCaller,
  loyaltylionCaller,
  type Opening,
  pretixCaller,
  type Saying,
  sfmcCaller,
  shopifyCaller,
  squareCaller,
  type Telling,
  titoCaller,
} from "#test/support/acknowledged-callers.ts";
import { shareBreakableApi } from "#test/support/breakable-api.ts";
import { PUBLIC_URL } from "#test/support/phone-journey.ts";
import { startVendors } from "#test/support/vendors.ts";

const reached: Record<string, string> = {};
const vendors = await startVendors({ after }, { inPlaceOf: reached });
const HOUR_MS = 3_600_000;
const HOURS_MAX = 24;
const TRIES_MAX = 30;
const LATE: readonly (number | null)[] = [503, null];
/** Marketing Cloud does not try for longer than about three seconds. */
const AWAY_MS = 500;

/** The status of our answer, and what the vendor makes of it. */
type Expected = readonly [status: number, state: ReturnType<Telling["state"]>];
type Row = {
  readonly caller: string;
  readonly connector: string;
  readonly open: Opening;
  /** By what is said; after a `waiting` the vendor tries again. */
  readonly answers: Readonly<Record<Saying, Expected>>;
};

const TAKEN: Expected = [200, "delivered"];
/** The vendor sends it again, so that nothing is lost while a secret is wrong. */
const TRIED_AGAIN: Expected = [401, "waiting"];
/** Only this person is passed over. */
const PASSED_OVER: Expected = [401, "failed"];
const again = { good: TAKEN, bad: TAKEN, forged: TRIED_AGAIN };
const skipped = { good: TAKEN, bad: TAKEN, forged: PASSED_OVER };

const ROWS: readonly Row[] = [
  {
    caller: "Bloomreach scenario",
    connector: "cdp",
    open: bloomreachCaller,
    answers: { good: TAKEN, bad: [200, "failed"], forged: PASSED_OVER },
  },
  { caller: "Customer.io", connector: "customerio", open: customerioCaller, answers: again },
  { caller: "Klaviyo flow", connector: "klaviyo", open: klaviyoCaller, answers: skipped },
  { caller: "Braze campaign", connector: "braze", open: brazeCaller, answers: skipped },
  { caller: "Brevo automation", connector: "brevo", open: brevoCaller, answers: skipped },
  {
    caller: "HubSpot workflow with a key",
    connector: "hubspot",
    open: hubspotCaller("key"),
    answers: skipped,
  },
  {
    caller: "HubSpot workflow of an app",
    connector: "hubspot",
    open: hubspotCaller("v3"),
    answers: skipped,
  },
  {
    caller: "HubSpot workflow of an app, second version",
    connector: "hubspot",
    open: hubspotCaller("v2"),
    answers: skipped,
  },
  {
    caller: "HubSpot action of an app",
    connector: "hubspot",
    open: hubspotCaller("action"),
    answers: skipped,
  },
  { caller: "Marketing Cloud activity", connector: "sfmc", open: sfmcCaller, answers: skipped },
  { caller: "Shopify", connector: "shopify", open: shopifyCaller, answers: again },
  { caller: "Square", connector: "square", open: squareCaller, answers: again },
  { caller: "LoyaltyLion", connector: "loyaltylion", open: loyaltylionCaller, answers: again },
  { caller: "Tito", connector: "tito", open: titoCaller, answers: again },
  {
    caller: "pretix",
    connector: "pretix",
    open: pretixCaller,
    answers: { good: TAKEN, bad: TAKEN, forged: [404, "waiting"] },
  },
];

const WORDS: Readonly<Record<Saying, string>> = {
  good: "success",
  bad: "a bad item",
  forged: "a bad signature",
};

describe("how vendors that call us are answered", () => {
  const { api, duringOutage } = shareBreakableApi({ BASE_URL: PUBLIC_URL });
  const callers = new Map<Row, Caller>();
  const callerOf = (row: Row): Caller => {
    const caller = callers.get(row);
    if (caller === undefined) throw new Error(`${row.caller} was not opened.`);
    return caller;
  };
  before(async () => {
    reached[PUBLIC_URL] = api().url;
    for (const [at, row] of ROWS.entries()) {
      callers.set(row, await row.open({ api: api(), vendors }, `caller-${at}`));
    }
  });

  /**
   * Bloomreach waits for a second, and on a busy machine we are sometimes late: then the vendor has to
   * ask once more.
   */
  const settle = async (told: Telling) => {
    await told.sent;
    const isLate = () => LATE.includes(told.statuses().at(-1) ?? null);
    for (let tries = 0; tries < TRIES_MAX && isLate(); tries += 1) await told.again?.();
  };

  it("every connector that vendors call has a row", () => {
    const called = connectors.filter(
      ({ inbound, journey, hasOwnAddress }) => inbound ?? journey ?? hasOwnAddress,
    );
    const rows = new Set(ROWS.map(({ connector }) => connector));
    assert.deepEqual([...rows].sort(), called.map(({ name }) => name).sort());
  });

  for (const row of ROWS) {
    for (const what of ["good", "bad", "forged"] as const) {
      const [status, state] = row.answers[what];
      it(`${status}: ${row.caller}, ${WORDS[what]}, which leaves it ${state}`, async () => {
        const caller = callerOf(row);
        const told = caller.say(what);
        await settle(told);
        assert.deepEqual([told.statuses().at(-1), told.state()], [status, state]);
        assert.ok(caller.isOn());
      });
    }
  }

  it("503: all of them while our own database is away, and never 410; nothing is lost", async () => {
    // Customer.io holds later calls back behind the one that was forged.
    await vendors.advance(HOUR_MS);
    const tellings = new Map<Row, Telling>();
    await duringOutage(async () => {
      for (const row of ROWS) tellings.set(row, callerOf(row).say("good"));
      await vendors.idle();
      await sleep(AWAY_MS);
      for (const [{ caller, connector }, told] of tellings) {
        const [status] = told.statuses();
        // Only Bloomreach waits so shortly that a busy machine may be too late even for this.
        if (connector !== "cdp" || status !== null) assert.equal(status, 503, caller);
        assert.equal(told.state(), "waiting", caller);
      }
    });
    const isOver = () => [...tellings.values()].every((told) => told.state() !== "waiting");
    await Promise.all([...tellings.values()].map(({ sent }) => sent));
    for (let hours = 0; hours < HOURS_MAX && !isOver(); hours += 1) await vendors.advance(HOUR_MS);
    for (const told of tellings.values()) await settle(told);
    for (const [row, told] of tellings) {
      const { caller } = row;
      assert.deepEqual([told.statuses().at(-1), told.state()], TAKEN, caller);
      assert.ok(!told.statuses().includes(410), caller);
      assert.ok(callerOf(row).isOn(), caller);
    }
  });
});
