import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { getPass } from "#src/passes/public.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { contentOf } from "../content.service.ts";
import { refreshCodesJob } from "./code.jobs.ts";
import { listPassCodes } from "./code.repository.ts";
import { findPassByCode, notedCodesOf } from "./code.service.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const LOYALTY = "server/passes/loyalty.yml";
const MESSAGE = 'message: "{{ pass.id }}"';

/** A loyalty template with this barcode. */
const withCode = (message: string) => ({
  [LOYALTY]: String(PASS_FILES[LOYALTY]).replace(MESSAGE, `message: ${JSON.stringify(message)}`),
});

const callOf = (tenantId: string) => systemCall(api.runtime, "scan.create", { tenantId });

async function find(tenantId: string, code: string): Promise<string | undefined> {
  return (await findPassByCode(callOf(tenantId), code, new Date()))?.id;
}

async function create(tenantId: string, number: string, data: Record<string, unknown> = {}) {
  const body = {
    identifiers: { "loyalty.number": number },
    additionalData: { firstName: "Ada", ...data },
  };
  const made = await api.post(`/api/${tenantId}/passes?passType=loyalty`, { key, body });
  assert.equal(made.status, 201, made.text);
  return made.body.id as string;
}

async function change(tenantId: string, passId: string, body: Record<string, unknown>) {
  const options = { BypassQueue: true };
  const path = `/api/${tenantId}/passes/${passId}`;
  const { status, text } = await api.patch(path, { key, body: { ...body, options } });
  assert.equal(status, 200, text);
}

async function eventually(check: () => Promise<boolean>, what: string) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await check()) return;
    await sleep(50);
  }
  assert.fail(`never: ${what}`);
}

describe("a code finds its pass", () => {
  it("from the moment the pass exists, and by every code it ever had", async () => {
    await seedPassTenant(
      api,
      "acme",
      withCode("C-{{ data.tier }}-{{ identifiers['crm.id'] }}-{{ pass.id }}"),
    );
    const id = await create("acme", "first", { tier: "Deck" });
    assert.equal(await find("acme", `C-Deck--${id}`), id);
    await change("acme", id, { additionalData: { tier: "Bridge" } });
    await change("acme", id, { identifiers: { "crm.id": "c1" } });
    for (const code of [
      `C-Deck--${id}`,
      `C-Bridge--${id}`,
      `C-Bridge-c1-${id}`,
      id,
      "first",
      "c1",
    ]) {
      assert.equal(await find("acme", code), id, code);
    }
    for (const code of [`C-Deck--${id} `, `c-deck--${id}`, `C-Deck--${id}\n`, "First", ""]) {
      assert.equal(await find("acme", code), undefined, code);
    }
  });

  it("of its own tenant alone", async () => {
    await seedPassTenant(api, "rival");
    const [pass] = await listPassCodes(callOf("acme"), { passType: null, after: "", count: 1 });
    assert.equal(pass?.codes.length, 3);
    for (const code of [...(pass?.codes ?? []), ...(pass?.identifiers ?? []), pass?.id ?? ""]) {
      assert.equal(await find("rival", code), undefined);
    }
  });

  it("by no identifier that may be shared, and by no code of a pass that was erased", async () => {
    const id = await create("acme", "second");
    await change("acme", id, { identifiers: { "shop.id": "s1" } });
    assert.equal(await find("acme", "s1"), undefined);
    assert.equal(await find("acme", `C---${id}`), id);
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
    for (const code of [`C---${id}`, "second", id])
      assert.equal(await find("acme", code), undefined);
    assert.deepEqual(await api.sql("select * from issued_code where pass_id = $1", [id]), []);
  });

  it("is kept in no memory: no node holds the codes, nor anything of an erased pass", async () => {
    const id = await create("acme", "noted");
    const other = await api.node();
    const noted = [api, other].map(({ runtime }) => notedCodesOf(runtime));
    const name = `acme ${id}`;
    for (const { runtime } of [api, other]) {
      const call = systemCall(runtime, "content.get", { tenantId: "acme" });
      await contentOf(call, await getPass(call, id));
    }
    for (const codes of noted) {
      assert.ok(codes.get(name) !== undefined);
      assert.ok(!codes.get(name)?.includes(id), codes.get(name));
    }
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
    const isForgotten = async () => noted.every((codes) => codes.get(name) === undefined);
    await eventually(isForgotten, "every node forgets the pass");
  });

  it("after a publication changed how codes are made, by old codes and new ones", async () => {
    const id = await create("acme", "third");
    await seedPassTenant(api, "acme", withCode("N-{{ identifiers['loyalty.number'] | upcase }}"));
    await eventually(async () => (await find("acme", "N-THIRD")) === id, "the new code");
    assert.equal(await find("acme", `C---${id}`), id);
    const other = await create("acme", "fourth");
    assert.equal(await find("acme", "N-FOURTH"), other);
  });

  it("of every type, also where a walk was cut short and another type was published then", async (t) => {
    // Without workers, so that no walk runs but those of this test.
    const still = await startApi(t, { env: { ROLES: "api" } });
    const call = systemCall(still.runtime, "code.refresh", { tenantId: "cut" });
    const walk = (signal: AbortSignal) => refreshCodesJob.run(call, {}, signal);
    const wholly = () => walk(AbortSignal.timeout(60_000));
    await seedPassTenant(still, "cut", withCode("A-{{ identifiers['loyalty.number'] }}"));
    const made = await still.post("/api/cut/passes?passType=loyalty", {
      key,
      body: { identifiers: { "loyalty.number": "n" }, additionalData: { firstName: "Ada" } },
    });
    await wholly();
    const changed = withCode("B-{{ identifiers['loyalty.number'] }}");
    await seedPassTenant(still, "cut", changed);
    let looks = 0;
    const cut = Object.assign(new AbortController().signal, {
      throwIfAborted: () => {
        looks += 1;
        if (looks > 1) throw new Error("The process stops in the walk.");
      },
    });
    await assert.rejects(walk(cut));
    const second = { "server/passes/second.yml": changed[LOYALTY] ?? "" };
    await seedPassTenant(still, "cut", { ...changed, ...second });
    await wholly();
    assert.equal((await findPassByCode(call, "B-n", new Date()))?.id, made.body.id);
    const [left] = await still.sql("select rules::text, after_pass from code_walk");
    assert.equal(left?.after_pass, null);
    assert.ok(!String(left?.rules).includes("~"));
  });

  it("where only a rendering tells the code: soon, and at once if the pass is handed out", async () => {
    const message = "P-{{ privileges.points.value }}-{{ pass.id }}";
    await seedPassTenant(api, "slow", withCode(message));
    const id = await create("slow", "first");
    await eventually(async () => (await find("slow", `P-0-${id}`)) === id, "the rendered code");
    await api.sql("update privilege set value = 7, version = 2 where pass_id = $1", [id]);
    const call = callOf("slow");
    await contentOf(call, await getPass(call, id));
    assert.equal(await find("slow", `P-7-${id}`), id);
    assert.equal(await find("slow", `P-0-${id}`), id);
    // The code is known a moment before it is written down that nothing is left to do.
    const due = () => api.sql("select * from code_due where tenant_id = 'slow'");
    await eventually(async () => (await due()).length === 0, "nothing is due");
  });

  it("that a layout lays over the barcode", async () => {
    const layouts = {
      "layouts/loyalty.apple.yml":
        'barcodes: [ { format: PKBarcodeFormatQR, message: "L{{ pass.id }}", messageEncoding: utf-8 } ]\n',
    };
    await seedPassTenant(api, "laid", layouts);
    const id = await create("laid", "first");
    assert.equal(await find("laid", `L${id}`), id);
  });

  it("of several that is active, then the one that got the code last", async () => {
    await seedPassTenant(api, "shared", withCode("S-{{ data.tier }}"));
    const first = await create("shared", "first", { tier: "Deck" });
    const second = await create("shared", "second", { tier: "Deck" });
    assert.equal(await find("shared", "S-Deck"), second);
    await change("shared", first, { additionalData: { tier: "Bridge" } });
    await change("shared", first, { additionalData: { tier: "Deck" } });
    assert.equal(await find("shared", "S-Deck"), first);
    await change("shared", first, { status: "disabled" });
    assert.equal(await find("shared", "S-Deck"), second);
  });

  it("as long as 2,048 characters, and nothing is kept of what cannot be scanned", async () => {
    await seedPassTenant(api, "long", withCode("{{ data.code }}"));
    const body = { identifiers: { "loyalty.number": "n" }, additionalData: { firstName: "Ada" } };
    const codes = { long: "😀".repeat(2_048), longer: "x".repeat(2_049), short: "xy", fits: "xyz" };
    const ids = new Map<string, string>();
    for (const [name, code] of Object.entries(codes)) {
      body.identifiers["loyalty.number"] = name;
      ids.set(name, await create("long", name, { code }));
    }
    assert.equal(await find("long", codes.long), ids.get("long"));
    assert.equal(await find("long", codes.fits), ids.get("fits"));
    const rows = await api.sql("select 1 from issued_code where tenant_id = 'long'");
    assert.equal(rows.length, 2);
  });
});
