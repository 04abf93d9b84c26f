import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { askForLink, ISSUER_ID, quiet, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { refreshObjects } from "./object.jobs.ts";

const { google, api, savedPass, objectOf, rowOf, settled, hurry } = await startGoogleFixture({
  after,
});
await seedGoogleTenant(api, "acme", {
  "layouts/loyalty.google.yml": 'object: { accountName: "Captain {{ data.firstName }}" }\n',
});
const key = api.operatorKey;

const callsOf = (passId: string) => google.callsTo(`${ISSUER_ID}.${passId}`);
const change = async (passId: string, body: object) => {
  const { status, text } = await api.patch(`/api/acme/passes/${passId}`, { key, body });
  assert.ok(status < 300, text);
};
const rename = (passId: string, firstName: string) =>
  change(passId, { additionalData: { firstName }, options: { BypassQueue: true } });
const erase = async (passId: string) => {
  const { status } = await api.delete(`/api/acme/passes/${passId}`, { key });
  assert.equal(status, 204);
};

describe("passes at Google", () => {
  beforeEach(() => {
    google.calls.length = 0;
  });
  afterEach(async () => {
    google.heal();
    await api.sql("delete from google_halt");
  });

  it("follow a change, under the layout of the tenant", async () => {
    const id = await savedPass();
    assert.equal(objectOf(id).accountName, "Captain Camille");
    await rename(id, "Ada");
    await until(() => objectOf(id).accountName === "Captain Ada");
    assert.equal(callsOf(id).at(-1)?.method, "PATCH");
  });

  it("cost nothing as long as nobody asked for a link", async () => {
    const { id } = await seedPass(api, "acme");
    await rename(id, "Ada");
    await quiet();
    assert.deepEqual(callsOf(id), []);
  });

  it("get many changes as one request with the newest content", async () => {
    const id = await savedPass();
    google.fail(() => 503);
    await rename(id, "First");
    await until(async () => Number((await rowOf(id))?.attempts) > 0);
    for (const name of ["Second", "Third", "Fourth"]) await rename(id, name);
    google.heal();
    google.calls.length = 0;
    await hurry();
    await settled(id);
    assert.equal(objectOf(id).accountName, "Captain Fourth");
    assert.equal(callsOf(id).length, 1);
  });

  it("are shown as inactive, active again, and expired", async () => {
    const id = await savedPass();
    const options = { BypassQueue: true };
    await change(id, { status: "disabled", options });
    await until(() => objectOf(id).state === "INACTIVE");
    await change(id, { status: "active", options });
    await until(() => objectOf(id).state === "ACTIVE");
    await change(id, { expirationDate: "2020-01-01T00:00:00Z", options });
    await until(() => objectOf(id).state === "EXPIRED");
  });

  it("lose what is no longer there", async () => {
    const id = await savedPass();
    assert.ok(objectOf(id).validTimeInterval);
    await change(id, { expirationDate: null, options: { BypassQueue: true } });
    await until(() => objectOf(id).validTimeInterval === undefined);
  });

  it("are made again when Google lost them", async () => {
    const id = await savedPass();
    google.lose("loyaltyObject", `${ISSUER_ID}.${id}`);
    await rename(id, "Ada");
    await until(() => objectOf(id)?.accountName === "Captain Ada");
    const methods = callsOf(id).map(({ method }) => method);
    assert.deepEqual(methods, ["POST", "PATCH", "POST"]);
  });

  for (const how of [500, 429] as const) {
    it(`are sent again after ${how}, later and later`, async () => {
      const id = await savedPass();
      google.fail(() => how);
      await rename(id, "Ada");
      await until(async () => Number((await rowOf(id))?.attempts) === 1);
      await hurry();
      await until(async () => Number((await rowOf(id))?.attempts) === 2);
      const [row] = await api.sql(
        "select due_at > now() + interval '2 seconds' as later from google_object where pass_id = $1",
        [id],
      );
      assert.equal(row?.later, true);
      google.heal();
      await hurry();
      await settled(id);
      assert.equal(objectOf(id).accountName, "Captain Ada");
    });
  }

  it("wait as long as Google asks for with 429, and no longer than ten minutes", async () => {
    for (const [asked, least, most] of [
      ["90", 80, 91],
      ["86400", 590, 601],
      ["-5", 0, 3],
      ["soon", 0, 3],
    ] as const) {
      const id = await savedPass();
      const body = { error: { code: 429, message: "Too fast." } };
      google.fail(() => ({ status: 429, body, headers: { "retry-after": asked } }));
      await rename(id, "Ada");
      await until(async () => Number((await rowOf(id))?.attempts) === 1);
      const [row] = await api.sql(
        "select extract(epoch from due_at - now())::float8 as seconds from google_object where pass_id = $1",
        [id],
      );
      const seconds = Number(row?.seconds);
      assert.ok(seconds > least && seconds < most, `${asked}: ${seconds}`);
      google.heal();
      await hurry();
      await settled(id);
      assert.equal(objectOf(id).accountName, "Captain Ada");
    }
  });

  it("are made by a change when the connection was cut after the first request", async () => {
    const { id } = await seedPass(api, "acme");
    google.fail(({ path }) => (path === "/loyaltyObject" ? "cut" : undefined));
    assert.equal((await askForLink(api, "acme", id)).status, 200);
    google.heal();
    await rename(id, "Ada");
    await hurry();
    await settled(id);
    const methods = callsOf(id).map(({ method }) => method);
    assert.deepEqual(methods, ["POST", "POST", "PATCH"], "409, so it is there");
    assert.equal(objectOf(id).accountName, "Captain Ada");
  });

  it("are sent with a new token when Google withdrew the old one", async () => {
    const id = await savedPass();
    const before = google.counts.tokens;
    google.withdrawTokens();
    await rename(id, "Ada");
    await settled(id);
    assert.equal(objectOf(id).accountName, "Captain Ada");
    assert.equal(google.counts.tokens, before + 1);
    assert.deepEqual(await api.sql("select from google_halt"), []);
  });

  it("are sent again when the connection was cut after Google did what was asked", async () => {
    const id = await savedPass();
    google.fail(() => "cut");
    await rename(id, "Ada");
    await until(async () => Number((await rowOf(id))?.attempts) === 1);
    const problem = String((await rowOf(id))?.problem);
    assert.match(problem, /^Google did not answer \(\w+\)\.$/, "and names no address");
    google.heal();
    await hurry();
    await settled(id);
    assert.equal(objectOf(id).accountName, "Captain Ada");
  });

  it("that a process claimed and died with are sent by another when its time is over", async () => {
    const id = await savedPass();
    await api.sql(
      `update google_object
          set claim_token = gen_random_uuid(), due_at = now() + interval '1 hour'
        where pass_id = $1`,
      [id],
    );
    await rename(id, "Ada");
    await quiet();
    assert.equal(objectOf(id).accountName, "Captain Camille", "it belongs to the other one");
    await hurry();
    await settled(id);
    assert.equal(objectOf(id).accountName, "Captain Ada");
  });

  it("that Google refuses wait for their next change, and tell why", async () => {
    const id = await savedPass();
    google.fail(() => 400);
    await rename(id, "Ada");
    await settled(id, "failed");
    assert.match(String((await rowOf(id))?.problem), /As the test wants it: 400/);
    google.heal();
    await rename(id, "Grace");
    await settled(id);
    assert.equal(objectOf(id).accountName, "Captain Grace");
  });

  it("wait for a while when Google refuses the account, and the log says so", async () => {
    const [id, other] = [await savedPass(), await savedPass()];
    google.fail(() => 403);
    await rename(id, "Ada");
    await settled(id, "denied");
    google.heal();
    await rename(other, "Grace");
    await quiet();
    assert.equal(objectOf(other).accountName, "Captain Camille");
    assert.ok(api.logLines.some((line) => line.includes("Google refuses the account")));
    await api.sql("delete from google_halt");
    await hurry();
    await settled(id);
    await settled(other);
    assert.equal(objectOf(other).accountName, "Captain Grace");
  });

  it("are emptied when their pass is erased, and forgotten here", async () => {
    const id = await savedPass();
    objectOf(id).messages.push({ body: "Camille, your table is ready." });
    await erase(id);
    await until(async () => (await rowOf(id)) === undefined);
    const left = objectOf(id);
    assert.deepEqual(Object.keys(left).sort(), ["classId", "id", "messages", "state"]);
    assert.deepEqual([left.state, left.messages], ["INACTIVE", []]);
  });

  it("are emptied also if Google's answer to the first request was lost", async () => {
    const { id } = await seedPass(api, "acme");
    google.fail(({ path }) => (path === "/loyaltyObject" ? "cut" : undefined));
    await askForLink(api, "acme", id);
    assert.equal(objectOf(id).accountName, "Captain Camille");
    google.heal();
    await erase(id);
    await until(async () => (await rowOf(id)) === undefined);
    assert.equal(objectOf(id).accountName, undefined);
    assert.equal(objectOf(id).state, "INACTIVE");
  });

  it("of an issuer of the past are forgotten without a request, and the log names them", async () => {
    const id = await savedPass();
    await api.sql("update google_object set object_id = $2 where pass_id = $1", [id, `77.${id}`]);
    await erase(id);
    await until(async () => (await rowOf(id)) === undefined);
    assert.deepEqual(google.callsTo(`77.${id}`), []);
    assert.ok(api.logLines.some((line) => line.includes(`77.${id}`)));
    assert.deepEqual(await api.sql("select from google_halt"), []);
  });

  it("that Google does not let be emptied stay known, and tell why", async () => {
    const id = await savedPass();
    google.fail(() => 400);
    await erase(id);
    await settled(id, "failed");
    assert.match(String((await rowOf(id))?.problem), /As the test wants it: 400/);
  });

  it("whose pass is erased keep nothing of what Google said of it before, or says afterwards", async () => {
    const refuse = { status: 400, body: { error: { message: "Edith is no name." } } };
    const [early, late] = [await savedPass(), await savedPass()];
    google.fail(() => refuse);
    await rename(early, "Edith");
    await settled(early, "failed");
    assert.match(String((await rowOf(early))?.problem), /Edith/);
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const end = Promise.withResolvers<void>();
    google.fail(async () => {
      reached.resolve();
      await go.promise;
      return refuse;
    });
    await rename(late, "Edith");
    await reached.promise;
    // Otherwise the next failure would take the place of what was said.
    google.fail(() => end.promise.then(() => undefined));
    await erase(early);
    await erase(late);
    const before = callsOf(late).length;
    go.resolve();
    await until(() => callsOf(late).length > before, "it is to be emptied");
    for (const id of [early, late]) {
      assert.doesNotMatch(JSON.stringify(await rowOf(id)), /Edith/);
    }
    // The places of this process are free again for the next tests.
    end.resolve();
    for (const id of [early, late]) await until(async () => (await rowOf(id))?.state !== "queued");
  });

  it("that somebody holds: who bypasses the queue learns what became of the change", async () => {
    const id = await savedPass();
    await api.sql(
      `update pass set providers = '{"google":{"status":"installed","installedAt":null,"uninstalledAt":null,"devices":1}}' where id = $1`,
      [id],
    );
    const patch = async (firstName: string) => {
      const body = { additionalData: { firstName }, options: { BypassQueue: true } };
      const answer = await api.patch(`/api/acme/passes/${id}`, { key, body });
      return answer.body.delivery.google;
    };
    const eventsOf = async () => {
      const rows = await api.sql(
        "select name, data from event where subject = $1 and name like 'pass.update%' order by id",
        [id],
      );
      return rows.map(({ name }) => name);
    };
    assert.deepEqual(await patch("Ada"), { state: "sent", devices: 1 });
    assert.deepEqual(await eventsOf(), ["pass.updated", "pass.update-delivered"]);
    google.fail(() => 500);
    assert.equal((await patch("Grace")).state, "queued");
    google.heal();
    await hurry();
    await settled(id);
    const quoting = { message: "Edith is no name.", status: "INVALID_ARGUMENT" };
    google.fail(() => ({ status: 400, body: { error: quoting } }));
    const { state, problem } = await patch("Edith");
    assert.deepEqual([state, problem], ["failed", "Edith is no name."]);
    assert.equal((await eventsOf()).at(-1), "pass.update-failed");
    const [failed] = await api.sql(
      "select data->>'reason' as reason from event where subject = $1 and name = 'pass.update-failed'",
      [id],
    );
    assert.equal(failed?.reason, "Google answered 400 INVALID_ARGUMENT.");
    assert.ok(!api.logLines.some((line) => line.includes("is no name")), "nor does the log quote");
  });

  it("are all refreshed, also when the process that began stops in between", async () => {
    const id = await savedPass();
    await settled(id);
    const before = Number((await rowOf(id))?.revision);
    const call = systemCall(api.runtime, "test", { tenantId: "acme" });
    await refreshObjects.run(call, { after: "" }, AbortSignal.abort());
    assert.ok(Number((await rowOf(id))?.revision) > before);
    const jobs = await api.sql(
      "select data from pgboss.job where name = 'google-object.refresh' and data::text like $1",
      [`%${id}%`],
    );
    assert.equal(jobs.length, 1, "another goes on after the last one");
  });

  it("and their classes follow a publication, each once", async () => {
    const ids = [await savedPass(), await savedPass()];
    google.calls.length = 0;
    await seedGoogleTenant(api, "acme", {
      "layouts/loyalty.google.yml":
        'class: { countryCode: CH }\nobject: { accountName: "Admiral {{ data.firstName }}" }\n',
    });
    for (const id of ids) await until(() => objectOf(id).accountName === "Admiral Camille");
    const classId = `${ISSUER_ID}.acme.loyalty`;
    assert.equal(google.resource("loyaltyClass", classId).countryCode, "CH");
    assert.equal(google.callsTo(classId).length, 1);
    const isQuiet = async () =>
      (await api.sql("select from google_object where state = 'queued'")).length === 0;
    await until(isQuiet);
    google.calls.length = 0;
    await seedGoogleTenant(api, "acme", {
      "layouts/loyalty.google.yml":
        'class: { countryCode: CH }\nobject: { accountName: "Admiral {{ data.firstName }}" }\n',
      "images/unused.txt": "nothing that Google sees",
    });
    await quiet();
    await until(isQuiet);
    assert.deepEqual(google.calls, [], "what has not changed is not sent");
  });
});
