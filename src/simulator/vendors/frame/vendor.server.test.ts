import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startStopwatch } from "#test/support/slowness.ts";
import { startVendors } from "#test/support/vendors.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { Vendors } from "../vendors.service.ts";
import type { AnswerFaultWish } from "./answer.faults.ts";

type Owner = { after(undo: () => Promise<void>): void };

async function failing(owner: Owner, fault: AnswerFaultWish) {
  const vendors = await startVendors(owner);
  const { server } = vendors.siteverify;
  await server.setFault(fault);
  const url = vendors.siteverify.verifyUrl("turnstile");
  const ask = (signal?: AbortSignal) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: "Basic eDp5" },
      body: "secret=x&response=y",
      redirect: "manual",
      ...(signal && { signal }),
    });
  return { vendors, server, ask };
}

describe("the API of a vendor that fails", () => {
  it("answers 503 for an hour by the time of the vendors, and then as before", async (t) => {
    const { vendors, ask } = await failing(t, { kind: "503", seconds: 3_600 });
    assert.equal((await ask()).status, 503);
    await vendors.advance(3_599_000);
    assert.equal((await ask()).status, 503);
    await vendors.advance(1_000);
    assert.equal((await ask()).status, 200);
  });

  it("refuses connections for an hour, and then is there again at the same port", async (t) => {
    const { vendors, server, ask } = await failing(t, { kind: "refuse", seconds: 3_600 });
    const { port } = server;
    await assert.rejects(ask());
    await vendors.advance(3_600_000);
    assert.equal((await ask()).status, 200);
    assert.equal(server.port, port);
  });

  it("fails as often as wanted, and only where it is wanted", async (t) => {
    const { server, ask } = await failing(t, { kind: "500", times: 2, path: "turnstile" });
    const statuses = [(await ask()).status, (await ask()).status, (await ask()).status];
    assert.deepEqual(statuses, [500, 500, 200]);
    await server.setFault({ kind: "500", path: "/elsewhere" });
    assert.equal((await ask()).status, 200);
  });

  it("is slow until the caller gives up", async (t) => {
    const { server, ask } = await failing(t, { kind: "slow", delayMs: 60_000 });
    await assert.rejects(ask(AbortSignal.timeout(1_000)), /Timeout/);
    assert.equal(server.requests[0]?.fault, "slow");
    assert.equal(server.requests[0]?.status, null);
  });

  it("gives the head at once and then one byte a second", async (t) => {
    const { ask } = await failing(t, { kind: "drip" });
    const elapsedMs = startStopwatch();
    const response = await ask(AbortSignal.timeout(2_000));
    assert.equal(response.status, 200);
    assert.ok(elapsedMs() < 500);
    await assert.rejects(response.text());
  });

  it("redirects to another host, where it notes what it is sent", async (t) => {
    const { server, ask } = await failing(t, { kind: "redirect", times: 1 });
    const response = await ask();
    assert.equal(response.status, 302);
    const location = response.headers.get("location") ?? "";
    assert.match(location, /^http:\/\/localhost:/);
    assert.equal(server.requests[0]?.headers.authorization, "Basic eDp5");
  });

  it("pours out an answer without end", async (t) => {
    const { server, ask } = await failing(t, { kind: "huge" });
    const response = await ask();
    const reader = response.body?.getReader();
    let size = 0;
    while (size < 4_000_000) size += (await reader?.read())?.value?.length ?? 0;
    await reader?.cancel();
    await until(() => (server.requests[0]?.sentBytes ?? 0) >= 4_000_000);
  });

  it("lies about what it answers", async (t) => {
    const { server, ask } = await failing(t, { kind: "html" });
    assert.match((await ask()).headers.get("content-type") ?? "", /html/);
    await server.setFault({ kind: "not-json" });
    const response = await ask();
    assert.equal(response.headers.get("content-type"), "application/json");
    await assert.rejects(response.json());
    await server.setFault({ kind: "wrong-json" });
    assert.ok(Array.isArray(await (await ask()).json()));
  });

  it("drops the connection before, or after all is done", async (t) => {
    const { vendors, server } = await failing(t, { kind: "cut" });
    const { siteverify } = vendors;
    const { siteKey, secret, verifyUrl } = siteverify.createSite({ check: "turnstile" });
    const response = siteverify.issueToken({ siteKey });
    const body = new URLSearchParams({ secret, response });
    const ask = () => fetch(verifyUrl, { method: "POST", body });
    await assert.rejects(ask());
    assert.equal(siteverify.tokens.get(response).isSpent, false);
    await server.setFault({ kind: "cut-after" });
    await assert.rejects(ask());
    assert.equal(siteverify.tokens.get(response).isSpent, true);
  });
});

describe("the address of a vendor's API", () => {
  it("stays the same after a restart, unless another has the port by then", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "vendors-"));
    t.after(() => rm(folder, { recursive: true }));
    const open = () => Vendors.open({ folder, ticks: false, resolve: (url) => url });
    const first = await open();
    const { url, server } = first.siteverify;
    first.siteverify.createSite({ check: "turnstile", siteKey: "kept" });
    await first.close();
    const second = await open();
    assert.equal(second.siteverify.url, url);
    assert.equal(second.siteverify.sites.get("kept").check, "turnstile");
    await second.close();

    const other = createServer().listen(server.port, "127.0.0.1");
    t.after(() => void other.close());
    const third = await open();
    t.after(() => third.close());
    assert.notEqual(third.siteverify.url, url);
  });
});
