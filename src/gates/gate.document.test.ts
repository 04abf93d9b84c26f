import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { ROOT } from "#test/support/sources.ts";
import { shareApi } from "#test/support/start-api.ts";

/** The code of docs/devices.md, as a reader copies it. */
async function readSnippet() {
  const text = readFileSync(join(ROOT, "docs/devices.md"), "utf8");
  const [, snippet = ""] = /```js\n([\s\S]+?)```/.exec(text) ?? [];
  return await import(`data:text/javascript,${encodeURIComponent(snippet)}`);
}

describe("the code of docs/devices.md", () => {
  const api = shareApi();
  const key = () => api().operatorKey;

  it("opens the pages of a list one after the other, and decides as a scan does", async () => {
    await seedPassTenant(api(), "acme");
    const passes = [];
    for (let made = 0; made < 3; made += 1) passes.push(await seedPass(api(), "acme"));
    const [first, second] = passes;
    await api().patch(`/api/acme/passes/${second?.id}`, {
      key: key(),
      body: { status: "disabled", options: { BypassQueue: true } },
    });
    const { openPage, hashOf, decide } = await readSnippet();
    const entries: { codes: string[] }[] = [];
    const pages: unknown[] = [];
    let head: { salt: string; isLast: boolean } | undefined;
    for (let cursor = ""; head?.isLast !== true; ) {
      const { body } = await api().get(`/api/acme/gate-list?limit=1${cursor}`, { key: key() });
      const { body: jwks } = await api().get("/.well-known/billfold/acme/gate-keys");
      if (head !== undefined) await assert.rejects(openPage(body, jwks), /next page/);
      head = await openPage(body, jwks, head);
      pages.push(body);
      entries.push(...body.entries);
      cursor = `&cursor=${body.next}`;
    }
    assert.equal(pages.length, 3);
    const decided = async (code: string | undefined, now = new Date()) => {
      const hash = await hashOf(head?.salt, code);
      return decide(
        entries.filter(({ codes }) => codes.includes(hash)),
        head,
        now,
      );
    };
    assert.deepEqual(await decided(first?.id), { decision: "accepted", reason: null });
    assert.deepEqual(await decided(second?.id), { decision: "rejected", reason: "disabled" });
    assert.deepEqual(await decided("nothing"), { decision: "rejected", reason: "unknown-code" });
    const tomorrow = new Date(Date.now() + 86_400_000);
    await assert.rejects(decided(first?.id, tomorrow), /expired/);
  });
});
