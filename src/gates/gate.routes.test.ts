import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { signingKeyOf } from "./keys/key.service.ts";

const HOUR_MS = 3_600_000;
// The middle of a stretch in which one list is given, so that the tests stay within it.
const startedAt = Math.floor(Date.now() / (3 * HOUR_MS)) * 3 * HOUR_MS + 1.5 * HOUR_MS;
let nowMs = startedAt;
const clock = { now: () => new Date(nowMs) };

const TICKET = `kind: eventTicket
name: Harbour Night
organization: Harbour Club
description: Ticket of the Harbour Club
images: { icon: images/icon.png }
barcode: { format: qr, message: "T-{{ data.seat }}" }
identifiers: { unique: [box.order] }
fields:
  primary: [ { key: seat, label: Seat, value: "{{ data.seat }}" } ]
privileges: [ { id: entry, name: Entry, type: OneTime } ]
`;

const api = await startApi({ after }, { clock });
await seedPassTenant(api, "acme", { "server/passes/ticket.yml": TICKET });
await api.seed.tenant("rival");
const key = api.operatorKey;
const LIST = "/api/acme/gate-list";
const KEYS = "/.well-known/billfold/acme/gate-keys";

async function issueTicket(seat: string, order: string): Promise<string> {
  const body = { identifiers: { "box.order": order }, additionalData: { seat } };
  const made = await api.post("/api/acme/passes?passType=ticket", { key, body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

/** Verifies a page with what every browser has, and with no code of the product. */
async function verify(page: { head: string; entries: Entry[] }): Promise<Head> {
  const { body: set } = await api.get(KEYS);
  const [header = "", payload = "", signature = ""] = page.head.split(".");
  const { alg, kid } = JSON.parse(text(header));
  assert.equal(alg, "ES256");
  const jwk = set.keys.find((one: { kid: string }) => one.kid === kid);
  assert.equal(jwk.d, undefined);
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const trusted = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]);
  const isTrue = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    trusted,
    Buffer.from(signature, "base64url"),
    new TextEncoder().encode(`${header}.${payload}`),
  );
  assert.ok(isTrue, "signature");
  const head: Head = JSON.parse(text(payload));
  const lines = page.entries.map(
    ({ codes, state, reason, validFrom, validUntil }) =>
      `${codes.join(",")} ${state} ${reason ?? "-"} ${validFrom ?? "-"} ${validUntil ?? "-"}\n`,
  );
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join("")));
  assert.equal(Buffer.from(digest).toString("base64url"), head.digest, "digest");
  assert.equal(head.count, page.entries.length);
  return head;
}

type Entry = {
  codes: string[];
  state: string;
  reason: string | null;
  validFrom: string | null;
  validUntil: string | null;
};
type Head = {
  iss: string;
  tenantId: string;
  listId: string;
  page: number;
  isLast: boolean;
  salt: string;
  passTypes: string[] | null;
  redeem: { privilegeId: string; amount: string } | null;
  issuedAt: string;
  renewedAt: string;
  expiresAt: string;
  count: number;
  digest: string;
  previous: string | null;
};

const text = (part: string) => Buffer.from(part, "base64url").toString();

async function hashOf(salt: string, code: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(salt + code));
  return Buffer.from(digest).subarray(0, 16).toString("base64url");
}

async function read(query = "", credential = key) {
  const {
    status,
    body,
    text: sent,
    headers,
  } = await api.get(`${LIST}?${query}`, {
    key: credential,
  });
  assert.equal(status, 200, sent);
  return { page: body, head: await verify(body), etag: headers.get("etag") ?? "" };
}

/** As a scanner decides without a network. */
async function lookUp({ page, head }: Awaited<ReturnType<typeof read>>, code: string) {
  const hash = await hashOf(head.salt, code);
  return page.entries.find(({ codes }: Entry) => codes.includes(hash)) as Entry | undefined;
}

describe("gate-list.get", () => {
  it("200: a pass is found by its code, its id and its unique identifier, and by nothing else", async () => {
    const id = await issueTicket("A1", "order-1");
    const list = await read("passType=ticket");
    const entry = await lookUp(list, "T-A1");
    assert.deepEqual(
      [entry?.state, entry?.reason, entry?.validFrom, entry?.validUntil],
      ["accepted", null, null, null],
    );
    for (const code of [id, "order-1"]) assert.equal(await lookUp(list, code), entry);
    for (const code of ["T-A1\n", "t-a1", "A1", ""]) {
      assert.equal(await lookUp(list, code), undefined, JSON.stringify(code));
    }
    const { iss, tenantId, page, isLast, passTypes, redeem } = list.head;
    assert.deepEqual(
      { iss, tenantId, page, isLast, passTypes, redeem },
      {
        iss: api.runtime.baseUrl,
        tenantId: "acme",
        page: 0,
        isLast: true,
        passTypes: ["ticket"],
        redeem: null,
      },
    );
    assert.equal(list.page.keysUrl, `${api.runtime.baseUrl}${KEYS}`);
  });

  it("a code leads to one pass: whoever chose it as an identifier does not get in by it", async () => {
    const victim = await issueTicket("V1", "order-v1");
    await issueTicket("V2", victim);
    await issueTicket("V3", "T-V1");
    const body = { status: "disabled", options: { BypassQueue: true } };
    await api.patch(`/api/acme/passes/${victim}`, { key, body });
    const list = await read("passType=ticket");
    for (const code of [victim, "T-V1"]) {
      const hash = await hashOf(list.head.salt, code);
      const found = list.page.entries.filter(({ codes }: Entry) => codes.includes(hash));
      assert.deepEqual(
        found.map(({ reason }: Entry) => reason),
        ["disabled"],
      );
      const scan = await api.post("/api/acme/scans", { key, body: { data: code, type: "qrcode" } });
      assert.deepEqual([scan.body.reason, scan.body.pass.id], ["disabled", victim]);
    }
  });

  it("400: a type that the tenant does not have", async () => {
    const { status, body } = await api.get(`${LIST}?passType=ticket,nothing`, { key });
    assert.equal(status, 400);
    assert.match(body.errors.passType[0], /type of this tenant: .*ticket/);
  });

  it("gives away neither codes nor ids nor names", async () => {
    // Longer than what a signature or a hash may contain by chance.
    const id = await issueTicket("Balcony-2", "order-balcony-2");
    const { text: sent } = await api.get(LIST, { key });
    for (const known of [id, "Balcony", "order-", "T-Bal"]) assert.ok(!sent.includes(known), known);
  });

  it("says why a pass is rejected: disabled, expired, changed codes stay valid", async () => {
    const disabled = await issueTicket("C1", "order-c1");
    const expired = await issueTicket("C2", "order-c2");
    const moved = await issueTicket("C3", "order-c3");
    const ending = await issueTicket("C4", "order-c4");
    const soon = new Date(nowMs + HOUR_MS).toISOString();
    const change = (id: string, body: object) =>
      api.patch(`/api/acme/passes/${id}`, {
        key,
        body: { ...body, options: { BypassQueue: true } },
      });
    await change(disabled, { status: "disabled" });
    await change(expired, { expirationDate: new Date(nowMs - HOUR_MS).toISOString() });
    await change(moved, { additionalData: { seat: "D3" } });
    await change(ending, { expirationDate: soon });
    const list = await read("passType=ticket");
    const reasonOf = async (code: string) => (await lookUp(list, code))?.reason;
    assert.equal(await reasonOf("T-C1"), "disabled");
    assert.equal(await reasonOf("T-C2"), "expired");
    assert.equal(await reasonOf("T-C3"), null, "the code before");
    assert.equal(await reasonOf("T-D3"), null);
    const last = await lookUp(list, "T-C4");
    assert.deepEqual([last?.state, last?.validUntil], ["accepted", soon]);
  });

  it("says what a redemption would meet: already redeemed, not yet valid, too little, none", async () => {
    const used = await issueTicket("E1", "order-e1");
    const early = await issueTicket("E2", "order-e2");
    const entry = (id: string) => `/api/acme/passes/${id}/privileges/entry`;
    const validFrom = new Date(nowMs + HOUR_MS).toISOString();
    const moved = await api.post(`${entry(used)}/movements`, { key, body: { value: -1 } });
    assert.equal(moved.status, 201, moved.text);
    const put = await api.put(entry(early), { key, body: { type: "OneTime", validFrom } });
    assert.equal(put.status, 200, put.text);
    const poor = await seedPass(api, "acme");
    const list = await read("privilegeId=entry");
    assert.equal((await lookUp(list, used))?.reason, "already-redeemed");
    const later = await lookUp(list, early);
    assert.deepEqual([later?.reason, later?.validFrom], ["not-yet-valid", validFrom]);
    assert.equal((await lookUp(list, poor.id))?.reason, "unknown-privilege");
    const points = await read("privilegeId=points&amount=2.5");
    assert.equal((await lookUp(points, poor.id))?.reason, "insufficient-value");
    assert.deepEqual(points.head.redeem, { privilegeId: "points", amount: "2.5" });
  });

  it("takes from the settings of the device that asks what is not asked for", async () => {
    const settings = { passTypes: ["ticket"], redeem: { privilegeId: "entry", amount: 1 } };
    const made = await api.post("/api/acme/devices", { key, body: { name: "Gate", settings } });
    const path = `/api/acme/devices/${made.body.deviceId}/connect`;
    const { apiKey } = (await api.post(path, { key })).body;
    const { head } = await read("", apiKey);
    assert.deepEqual(head.passTypes, ["ticket"]);
    assert.deepEqual(head.redeem, { privilegeId: "entry", amount: "1" });
    assert.deepEqual((await read("passType=ticket", apiKey)).head.passTypes, ["ticket"]);
    const other = await api.get(`${LIST}?passType=ticket,coupon`, { key: apiKey });
    assert.deepEqual(
      [other.status, other.body.errors],
      [400, { passType: ["must be among those of the device: ticket"] }],
    );
  });

  it("200: pages follow each other, are chained, and hold every pass once", async () => {
    const whole = await read("limit=1000");
    assert.ok(whole.page.entries.length > 5);
    const entries: Entry[] = [];
    let previous: string | null = null;
    let cursor: string | null = "";
    for (let page = 0; cursor !== null; page += 1) {
      const part = await read(`limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      assert.equal(part.head.page, page);
      assert.equal(part.head.previous, previous);
      assert.equal(part.head.listId, whole.head.listId);
      assert.equal(part.head.salt, whole.head.salt);
      assert.equal(part.head.isLast, part.page.next === null);
      entries.push(...part.page.entries);
      previous = part.head.digest;
      cursor = part.page.next;
    }
    assert.deepEqual(entries, whole.page.entries);
  });

  it("304: while nothing changed; a change, and another stretch of time, give a new answer", async () => {
    const first = await read("passType=ticket");
    const ask = (tag: string) =>
      api.get(`${LIST}?passType=ticket`, { key, headers: { "if-none-match": tag } });
    assert.equal((await ask(first.etag)).status, 304);
    await issueTicket("F1", "order-f1");
    const changed = await ask(first.etag);
    assert.equal(changed.status, 200);
    const tag = changed.headers.get("etag") ?? "";
    assert.equal((await ask(tag)).status, 304);
    nowMs += 3 * HOUR_MS;
    const renewed = await read("passType=ticket");
    assert.notEqual(renewed.head.salt, first.head.salt);
    assert.notEqual(renewed.etag, tag);
    nowMs = startedAt;
  });

  it("expires after 12 hours, or as tenant.yml says; 400 for a cursor of an expired list", async () => {
    const { head, page } = await read("limit=1");
    assert.equal(Date.parse(head.expiresAt) - Date.parse(head.issuedAt), 12 * HOUR_MS);
    assert.equal(Date.parse(head.renewedAt) - Date.parse(head.issuedAt), 3 * HOUR_MS);
    assert.ok(Date.parse(head.issuedAt) <= nowMs && nowMs < Date.parse(head.renewedAt));
    nowMs = Date.parse(head.renewedAt) + 1_000;
    const later = await read(`limit=1&cursor=${page.next}`);
    assert.equal(later.head.listId, head.listId, "the list that was begun goes on");
    nowMs = Date.parse(head.expiresAt);
    const { status, body } = await api.get(`${LIST}?cursor=${page.next}`, { key });
    assert.deepEqual([status, Object.keys(body.errors)], [400, ["cursor"]]);
    nowMs = startedAt;
    const files = { "tenant.yml": "name: acme\ngates: { listHours: 2 }\n" };
    assert.equal((await api.patch("/api/tenants/acme", { key, body: { files } })).status, 200);
    const short = await read();
    assert.equal(Date.parse(short.head.expiresAt) - Date.parse(short.head.issuedAt), 2 * HOUR_MS);
  });

  it("400: parameters that make no sense, and cursors of others", async () => {
    const { page } = await read("passType=ticket&limit=1");
    assert.notEqual(page.next, null);
    const tries: readonly [string, string][] = [
      ["passType=a,,b", "passType"],
      ["amount=1", "amount"],
      ["privilegeId=entry&amount=0", "amount"],
      ["privilegeId=entry&amount=1e3", "amount"],
      ["privilegeId=a%20b", "privilegeId"],
      ["limit=0", "limit"],
      ["limit=1001", "limit"],
      ["cursor=nonsense", "cursor"],
      [`passType=loyalty&cursor=${page.next}`, "cursor"],
      [`privilegeId=entry&cursor=${page.next}`, "cursor"],
    ];
    for (const [query, field] of tries) {
      const { status, body } = await api.get(`${LIST}?${query}`, { key });
      assert.equal(status, 400, query);
      assert.deepEqual(Object.keys(body.errors), [field], query);
    }
    const foreign = await api.get(`/api/rival/gate-list?cursor=${page.next}`, { key });
    assert.equal(foreign.status, 400);
  });

  it("401, 403, 404: without a credential, without the scope, in no tenant; empty in another", async () => {
    assert.equal((await api.get(LIST)).status, 401);
    const reader = await api.seed.key("acme", "Pass.Read", "PassScan.Read");
    assert.equal((await api.get(LIST, { key: reader })).status, 403);
    const scanning = await api.seed.key("acme", "PassScan.Scan");
    assert.equal((await api.get(LIST, { key: scanning })).status, 200);
    assert.equal((await api.get("/api/rival/gate-list", { key: scanning })).status, 401);
    assert.equal((await api.get("/api/nobody/gate-list", { key })).status, 404);
    const rival = await api.get("/api/rival/gate-list", { key });
    assert.deepEqual([rival.body.entries, rival.body.next], [[], null]);
  });

  it("refuses what was changed on the way: a state, an entry left out, another tenant's key", async () => {
    const { page } = await read("passType=ticket");
    const rejected = page.entries.findIndex(({ state }: Entry) => state === "rejected");
    const forged = page.entries.with(rejected, {
      ...page.entries[rejected],
      state: "accepted",
      reason: null,
    });
    await assert.rejects(verify({ ...page, entries: forged }), /digest/);
    await assert.rejects(verify({ ...page, entries: page.entries.slice(1) }), /digest/);
    const rival = await api.get("/api/rival/gate-list", { key });
    await assert.rejects(verify(rival.body));
  });
});

describe("gate-key.list", () => {
  it("200: to everyone, never the private part; empty where there is no list", async () => {
    await read();
    const { status, body } = await api.get(KEYS);
    assert.equal(status, 200);
    assert.equal(body.keys.length, 1);
    const [{ kty, crv, alg, use, d }] = body.keys;
    assert.deepEqual([kty, crv, alg, use, d], ["EC", "P-256", "ES256", "sig", undefined]);
    for (const tenantId of ["nobody-here", "NOT-an-id"]) {
      const other = await api.get(`/.well-known/billfold/${tenantId}/gate-keys`);
      assert.ok(other.status === 404 || other.body.keys.length === 0, other.text);
    }
    const [row] = await api.sql("select sealed from gate_key where tenant_id = 'acme'");
    assert.ok(!String(row?.sealed).includes('"d"'));
  });

  it("makes one key when many ask first, on two nodes", async () => {
    await seedPassTenant(api, "crowd");
    const node = await api.node({}, { clock });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 === 0 ? api : node).get("/api/crowd/gate-list", { key }),
      ),
    );
    for (const { status, text: sent } of answers) assert.equal(status, 200, sent);
    const rows = await api.sql("select from gate_key where tenant_id = 'crowd'");
    assert.equal(rows.length, 1);
  });

  it("opens and imports the key once, not for every page", async () => {
    const call = systemCall(api.runtime, "gate-list.get", { tenantId: "acme" });
    const [first, second] = [await signingKeyOf(call), await signingKeyOf(call)];
    assert.equal(second.key, first.key);
    const rival = systemCall(api.runtime, "gate-list.get", { tenantId: "rival" });
    assert.notEqual((await signingKeyOf(rival)).key, first.key);
  });

  it("signs with another key after a month, and shows the one before while its lists last", async () => {
    const before = await read();
    nowMs += 30 * 24 * HOUR_MS + 1_000;
    const { head } = await read();
    assert.equal((await api.get(KEYS)).body.keys.length, 2);
    assert.notEqual(head.listId, before.head.listId);
    await verify(before.page);
    nowMs += 5 * 24 * HOUR_MS;
    assert.equal((await api.get(KEYS)).body.keys.length, 1);
    nowMs = startedAt;
  });
});
