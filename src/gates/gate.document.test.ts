import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { seedCard, seedScanTenant } from "#test/support/scan-tenant.ts";
import { ROOT } from "#test/support/sources.ts";
import { shareApi } from "#test/support/start-api.ts";

/** The code of docs/devices.md, as a reader copies it. */
async function readSnippet() {
  const text = readFileSync(join(ROOT, "docs/devices.md"), "utf8");
  const [, snippet = ""] = /```js\n([\s\S]+?)```/.exec(text) ?? [];
  return await import(`data:text/javascript,${encodeURIComponent(snippet)}`);
}

type Entry = { readonly codes: readonly string[] };
type Head = { readonly salt: string; readonly isLast: boolean };

describe("a scanner made of the code of docs/devices.md", () => {
  const api = shareApi();
  const get = (path: string) => api().get(path, { key: api().operatorKey });

  before(() => seedScanTenant(api(), "acme"));

  /** Fetches a whole list, page by page, as a scanner does while it has a network. */
  async function fetchList(query = "") {
    const { openPage, hashOf, decide } = await readSnippet();
    const entries: Entry[] = [];
    let head: Head | undefined;
    for (let cursor = ""; head?.isLast !== true; ) {
      const { body } = await get(`/api/acme/gate-list?limit=2${query}${cursor}`);
      const { body: jwks } = await get("/.well-known/billfold/acme/gate-keys");
      if (head !== undefined) await assert.rejects(openPage(body, jwks), /next page/);
      head = await openPage(body, jwks, head);
      entries.push(...body.entries);
      cursor = `&cursor=${body.next}`;
    }
    return async (code: string, now = new Date()) => {
      const hash = await hashOf(head?.salt, code);
      const found = entries.filter(({ codes }) => codes.includes(hash));
      return decide(found, head, now);
    };
  }

  const change = async (passId: string, body: object) => {
    const path = `/api/acme/passes/${passId}`;
    const sent = { ...body, options: { BypassQueue: true } };
    const { status, text } = await api().patch(path, { key: api().operatorKey, body: sent });
    assert.equal(status, 200, text);
  };

  it("decides as a scan does, whatever the state of pass and privilege", async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const privileges: Record<string, Record<string, unknown>> = {
      enough: { value: 2 },
      short: { value: 1 },
      none: {},
      below: { value: -1, minimum: -3 },
      once: { type: "OneTime" },
      used: { type: "OneTime", status: "used" },
      free: { type: "Unlimited" },
      locked: { type: "Unlockable", value: 9 },
      later: { value: 9, validFrom: inAnHour },
      "later-short": { value: 1, validFrom: inAnHour },
      over: { value: 9, validFrom: "2020-01-01T00:00:00Z", validUntil: anHourAgo },
      disabled: { value: 9 },
      expired: { value: 9 },
      ending: { value: 9 },
    };
    const ids = new Map<string, string>();
    for (const [number, privilege] of Object.entries(privileges)) {
      ids.set(number, await seedCard(api(), "acme", number, privilege));
    }
    await change(ids.get("disabled") ?? "", { status: "disabled" });
    await change(ids.get("expired") ?? "", { expirationDate: anHourAgo });
    await change(ids.get("ending") ?? "", { expirationDate: inAnHour });
    const codes = [...ids].flatMap(([number, id]) => [`M-${number}`, number, id]);
    const shortLater = ["M-later-short", "later-short", ids.get("later-short")];
    const wishes = [
      ["", undefined],
      ["&privilegeId=coffee&amount=2", { privilegeId: "coffee", amount: 2 }],
      ["&privilegeId=coffee&amount=0.5", { privilegeId: "coffee", amount: 0.5 }],
      ["&privilegeId=tea", { privilegeId: "tea", amount: 1 }],
    ] as const;
    const reasons = new Set<string | null>();
    for (const [query, redeem] of wishes) {
      const decide = await fetchList(query);
      for (const data of [...codes, "M-nobody", "M-enough "]) {
        const body = { data, type: "qrcode", dryRun: true, redeem };
        const scan = await api().post("/api/acme/scans", { key: api().operatorKey, body });
        const { decision, reason } = scan.body;
        // Before its time, a list also knows that the value will not be enough.
        const isShort = redeem?.amount === 2 && shortLater.includes(data);
        const expected = { decision, reason: isShort ? "insufficient-value" : reason };
        assert.deepEqual(await decide(data), expected, `${data} ${query}`);
        reasons.add(reason);
      }
    }
    assert.ok(reasons.size >= 8, [...reasons].join());
  });

  it("two doors without a network let the same pass in, and the batch reports the second", async () => {
    await seedCard(api(), "acme", "twice", { type: "OneTime" });
    const redeem = { privilegeId: "coffee", amount: 1 };
    const doors = await Promise.all([1, 2].map(() => fetchList("&privilegeId=coffee")));
    const results = [];
    for (const [door, decide] of doors.entries()) {
      const { decision } = await decide("M-twice");
      assert.equal(decision, "accepted");
      const occurredAt = new Date(Date.now() - 60_000 + door * 10_000).toISOString();
      const scan = { data: "M-twice", type: "qrcode", reference: `door-${door}`, occurredAt };
      const { body } = await api().post("/api/acme/scans/batch", {
        key: api().operatorKey,
        body: { scans: [{ ...scan, decision, redeem }] },
      });
      results.push(...body.results);
    }
    assert.deepEqual(
      results.map(({ conflict, scan }) => [conflict, scan.decision, scan.reason]),
      [
        [false, "accepted", null],
        [true, "rejected", "already-redeemed"],
      ],
    );
    const decide = await fetchList("&privilegeId=coffee");
    assert.deepEqual(await decide("M-twice"), { decision: "rejected", reason: "already-redeemed" });
  });

  it("refuses to decide by a list that has expired", async () => {
    await seedCard(api(), "acme", "old");
    const decide = await fetchList();
    const inADay = new Date(Date.now() + 86_400_000);
    await assert.rejects(decide("M-old", inADay), /expired/);
  });
});
