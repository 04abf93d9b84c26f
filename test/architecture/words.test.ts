import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ADVISORY_LOCKS } from "#kernel/db/advisory-locks.ts";
import { isTest, readSources, type Source } from "#test/support/sources.ts";

// The words are split, so that this file does not contain them.
const UNFINISHED = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX"].join("|")})\\b`);
const LEFT_OUT_CALL = /\b(it|test|describe|suite)\.(skip|only|todo)\b|\b(t|context)\.(skip|todo)\(/;
/** A test may be left out on systems that lack something, if the option says what they lack. */
const LEFT_OUT_OPTION =
  /(?<=[{,]\s*|^\s*)(?!skip:\s*process\.platform !== "\w+" &&\s+"[^"]+"\s*[,}])(skip|only|todo)\s*[:,}]/m;
/** Locks by name use a hash function of PostgreSQL instead of a number. */
const UNLISTED_LOCK = /\bpg_\w*advisory\w*lock\w*\((?!hashtext)(?!\$1\)", \[ADVISORY_LOCKS\.\w+\])/;
const HOOK_OF_FILE = /^(before|beforeEach|afterEach)\(/m;
const SYSTEM_WIDE = /\b(readAsSystem|SYSTEM_SCOPE|systemCall)\b/;

/** Files that use the scope of all tenants, each with the reason. */
const SYSTEM_WIDE_FILES: Readonly<Record<string, string>> = {
  "src/kernel/call.ts": "defines the call of nobody from outside",
  "src/kernel/db/database.ts": "defines the read of the machinery",
  "src/kernel/db/scope.ts": "defines the scope",
  "src/kernel/db/transaction.ts": "begins transactions of the scope without a tenant to look up",
  "src/kernel/db/tenant-query.ts": "never keeps the scope on a connection",
  "src/kernel/http/admission.ts": "counts the requests of routes without a tenant",
  "src/kernel/http/run-route.ts":
    "routes without a tenant, all public or for Global Administrators",
  "src/kernel/jobs/job-queues.ts": "scheduled jobs of the machinery",
  "src/kernel/jobs/job-run.ts": "runs each job in the tenant that enqueued it",
  "src/main/application.ts": "facts of the installation, read before the first request",
  "src/kernel/db/server-clock.ts": "asks the database for the time",
  "src/main/probe.ts": "asks whether the database answers",
  "src/access/administrators/administrator.repository.ts":
    "administrators belong to the installation",
  "src/access/authorization/authorization.repository.ts":
    "sessions and keys of the authorization server",
  "src/access/sign-in/known-browser.repository.ts": "known browsers belong to the installation",
  "src/access/sign-in/sign-in-link.repository.ts": "sign-in links belong to the installation",
  "src/access/sign-in/sign-in.service.ts": "whoever signs in is in no tenant yet",
  "src/api-keys/api-key.repository.ts": "which tenant a key belongs to is what the lookup tells",
  "src/api-keys/api-key.service.ts": "last uses of the keys of all tenants, in one statement",
  "src/devices/pairing/pairing-throttle.service.ts": "those who pair are in no tenant yet",
  "src/oauth-clients/oauth-client.repository.ts": "OAuth clients belong to the installation",
  "src/content/codes/code.jobs.ts": "finishes what runs for single tenants left, each by itself",
  "src/events/module.ts": "finds the tenants whose events came from another server",
  "src/extensions/feeds/feed.engine.ts":
    "looks for tenants with events to tell, and serves each by itself",
  "src/extensions/inbox/inbox-door.cache.ts":
    "vendors have no credential of the tenant: the token of the address leads to it",
  "src/extensions/inbox/inbox-room.cache.ts":
    "counts what waits for one tenant, for all requests of the next second",
  "src/extensions/inbox/inbox-work.service.ts":
    "works on the deliveries of one tenant, without a request",
  "src/extensions/sfmc/sfmc.service.ts": "acts in its own name for contacts of Marketing Cloud",
  "src/extensions/inbox/inbox.engine.ts":
    "looks for tenants with deliveries, and serves each by itself",
  "src/imports/engine/import.engine.ts":
    "looks for tenants with files to import, and serves each by itself",
  "src/passes/updates/update.engine.ts":
    "looks for tenants with queued updates, and serves each by itself",
  "src/scheduler/executions/execution.engine.ts":
    "looks for tenants with tasks that are due, and serves each by itself",
  "src/wallets/apple/push/push.engine.ts":
    "looks for tenants with pushes that are due, and serves each by itself",
  "src/wallets/google/api/api-quota.repository.ts": "tenants that share an issuer share its limit",
  "src/wallets/google/objects/object.engine.ts":
    "looks for tenants with something to send, and serves each by itself",
  "src/sftp/host-keys/host-key.service.ts": "the keys of the server belong to the installation",
  "src/sftp/server/login.service.ts": "whoever signs in is in no tenant yet",
  "src/sftp/server/server.ts": "tells all nodes of an address, which is in no tenant",
  "src/webhooks/deliveries/delivery.engine.ts":
    "takes what is due in all tenants, in one statement",
  "src/webhooks/deliveries/delivery.recorder.ts": "writes down what became of it, in one statement",
  "src/tenants/erasure/erasure.jobs.ts": "erases a tenant, which has no transactions any more",
  "src/tenants/erasure/erasure.repository.ts":
    "keeps the audit of the deletion where it is not erased",
  "src/tenants/tenant.cache.ts": "reads one named tenant before a request is admitted to it",
  "src/receipts/page/page.service.ts":
    "visitors of public pages have no credential: the secret names the receipt",
  "src/wallets/landing/landing.service.ts":
    "visitors of public pages have no credential: the secret names the pass",
};

const product = readSources("src/**/*.ts").filter((source) => !isTest(source));
const everything = readSources("{src,test,scripts,bench,bin}/**/*.{ts,mjs,js}", "db/**/*.sql");

/** Searches the whole text, because the formatter may break an expression into lines. */
function having(pattern: RegExp, sources: readonly Source[]): string[] {
  const every = new RegExp(pattern, `${pattern.flags}g`);
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(every)].map(({ index }) => {
      const at = text.slice(0, index).split("\n").length;
      return `${path}:${at} ${text.split("\n")[at - 1]}`;
    }),
  );
}

function leavingOut(sources: readonly Source[]): string[] {
  return [...having(LEFT_OUT_CALL, sources), ...having(LEFT_OUT_OPTION, sources)];
}

describe("words", () => {
  it("has hooks in a describe where files share a process: others would run for every file", () => {
    const sharing = readSources("{src,test/contract,test/architecture}/**/*.test.ts");
    assert.deepEqual(having(HOOK_OF_FILE, sharing), []);
  });

  it("of things left unfinished are nowhere", () => {
    assert.deepEqual(having(UNFINISHED, everything), []);
  });

  it("that leave tests out are nowhere, but for a system that lacks something", () => {
    assert.deepEqual(leavingOut(everything.filter(isTest)), []);
  });

  it("read the environment in src/main alone", () => {
    const others = product.filter(({ path }) => !path.startsWith("src/main/"));
    assert.deepEqual(having(/\bprocess\.env\b/, others), []);
  });

  it("take numbered advisory locks by the one list of them", () => {
    assert.deepEqual(having(UNLISTED_LOCK, product), []);
    const numbers = Object.values(ADVISORY_LOCKS);
    assert.equal(new Set(numbers).size, numbers.length);
  });

  it("enter the scope of all tenants only where a reason is given", () => {
    const users = product.filter(({ text }) => SYSTEM_WIDE.test(text)).map(({ path }) => path);
    assert.deepEqual(users, Object.keys(SYSTEM_WIDE_FILES).sort());
  });

  it("are found where they are planted", () => {
    const plant = (text: string): Source[] => [{ path: "x.ts", text: `\n${text}\n` }];
    assert.equal(having(UNFINISHED, plant(`// ${"TO"}${"DO"}: later`)).length, 1);
    assert.equal(leavingOut(plant(`it.${"skip"}("x", () => {})`)).length, 1);
    assert.equal(leavingOut(plant(`it("x", { ${"only"}: true }, f)`)).length, 1);
    assert.equal(leavingOut(plant("reader.skip(2)")).length, 0);
    const option = (text: string) => plant(`describe("x", {\n  patience: 1,\n  ${text},\n}, f)`);
    for (const value of ["true", 'process.platform !== "linux"', '"some day"']) {
      assert.deepEqual(leavingOut(option(`${"skip"}: ${value}`)), [
        `x.ts:4   ${"skip"}: ${value},`,
      ]);
    }
    assert.equal(leavingOut(option("skip")).length, 1);
    const guarded = `${"skip"}: process.platform !== "linux" && "needs /proc"`;
    assert.equal(leavingOut(option(guarded)).length, 0);
    assert.equal(leavingOut(option(`${guarded} && isBusy`)).length, 1);
    const lock = (keys: string) => plant(`client.query("select pg_advisory_lock($1)", [${keys}])`);
    assert.equal(having(UNLISTED_LOCK, lock("4_711")).length, 1);
    assert.equal(having(UNLISTED_LOCK, lock("ADVISORY_LOCKS.migrations")).length, 0);
    assert.equal(having(SYSTEM_WIDE, plant("await db.readAsSystem(x)")).length, 1);
  });
});
