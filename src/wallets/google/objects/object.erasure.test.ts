import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, savedPass, objectOf, hurry } = await startGoogleFixture(
  { after },
  { BASE_URL: "https://passes.example.com" },
);
await seedGoogleTenant(api, "acme");
const key = api.operatorKey;

const rowOf = async (passId: string) => {
  const [row] = await api.sql(
    `select *, extract(epoch from due_at - now())::float8 as "waitSeconds"
       from google_object where pass_id = $1`,
    [passId],
  );
  return row;
};
const isForgotten = async (passId: string) => (await rowOf(passId)) === undefined;
const erase = async (passId: string) => {
  const { status } = await api.delete(`/api/acme/passes/${passId}`, { key });
  assert.equal(status, 204);
};

/** A pass at Google with a message, which names its holder in many places. */
async function passWithMessage(): Promise<string> {
  const id = await savedPass();
  objectOf(id).messages.push({ id: "m1", header: "Camille", body: "Your table is ready." });
  assert.match(JSON.stringify(objectOf(id)), /Camille/);
  return id;
}

describe("an erased pass at Google", () => {
  afterEach(() => {
    google.heal();
    google.calls.length = 0;
  });

  it("is replaced by an empty one, also if Google reads null as absent", async () => {
    const id = await passWithMessage();
    google.readNullAsAbsent();
    await erase(id);
    await until(() => isForgotten(id));
    const { messages, ...left } = objectOf(id);
    assert.deepEqual(left, {
      id: `${ISSUER_ID}.${id}`,
      classId: `${ISSUER_ID}.acme.loyalty`,
      state: "INACTIVE",
    });
    assert.doesNotMatch(JSON.stringify(messages), /Camille|table/);
  });

  it("stays known as long as the answer shows something of the holder, and is emptied again later", async () => {
    const id = await passWithMessage();
    google.readNullAsAbsent();
    google.keepMembers("accountName", "barcode");
    await erase(id);
    await until(async () => Number((await rowOf(id))?.attempts) === 1);
    const row = await rowOf(id);
    assert.deepEqual(
      [row?.state, row?.claim_token, row?.problem],
      ["failed", null, "Google keeps members of the erased pass: accountName, barcode."],
    );
    assert.ok(Number(row?.waitSeconds) > 0, "it is tried again");
    const reported = api.logLines.find((line) => line.includes("an erased pass is not empty"));
    assert.match(String(reported), /"accountName"/);
    assert.doesNotMatch(String(reported), /Camille/);
    const health = async () => {
      const { status, body } = await api.get("/api/acme/admin/wallets", { key });
      assert.equal(status, 200);
      return body.google.problems;
    };
    const [problem, ...more] = await health();
    assert.deepEqual([problem?.code, more], ["google.erasure-incomplete", []]);
    assert.match(problem.message, /^1 erased pass is not empty/);
    await hurry();
    await until(async () => Number((await rowOf(id))?.attempts) === 2);
    assert.ok(Number((await rowOf(id))?.waitSeconds) > 2, "later and later");
    google.keepMembers();
    await hurry();
    await until(() => isForgotten(id));
    assert.deepEqual(await health(), []);
    assert.doesNotMatch(JSON.stringify(objectOf(id)), /Camille/);
  });

  it("that Google refuses to replace is emptied member by member, and tried again until it is", async () => {
    const id = await passWithMessage();
    google.fail(({ method }) => (method === "PUT" ? 400 : undefined));
    await erase(id);
    await until(() => isForgotten(id));
    assert.doesNotMatch(JSON.stringify(objectOf(id)), /Camille/);

    const other = await passWithMessage();
    google.fail(() => 400);
    await erase(other);
    await until(async () => Number((await rowOf(other))?.attempts) === 1);
    assert.match(String((await rowOf(other))?.problem), /As the test wants it: 400/);
    google.heal();
    await hurry();
    await until(() => isForgotten(other));
    assert.doesNotMatch(JSON.stringify(objectOf(other)), /Camille/);
  });

  it("stays known if the answer shows no object", async () => {
    const id = await passWithMessage();
    google.fail(() => ({ status: 200, body: {} }));
    await erase(id);
    await until(async () => Number((await rowOf(id))?.attempts) === 1);
    google.heal();
    await hurry();
    await until(() => isForgotten(id));
    assert.doesNotMatch(JSON.stringify(objectOf(id)), /Camille/);
  });

  it("is emptied although Google answers the replacement with 404, which may mean its class", async () => {
    const id = await passWithMessage();
    google.fail(({ method }) => (method === "PUT" ? 404 : undefined));
    await erase(id);
    await until(() => isForgotten(id));
    assert.doesNotMatch(JSON.stringify(objectOf(id)), /Camille/);
  });

  it("that Google does not know is forgotten", async () => {
    const id = await passWithMessage();
    google.lose("loyaltyObject", `${ISSUER_ID}.${id}`);
    await erase(id);
    await until(() => isForgotten(id));
  });
});

describe("a member that is taken from a pass", () => {
  const removeEnd = async (passId: string) => {
    const body = { expirationDate: null, options: { BypassQueue: true } };
    const { status, text } = await api.patch(`/api/acme/passes/${passId}`, { key, body });
    assert.ok(status < 300, text);
  };
  const isSent = async (passId: string) => (await rowOf(passId))?.state === "sent";
  const methods = (passId: string) =>
    google.callsTo(`${ISSUER_ID}.${passId}`).map(({ method }) => method);

  afterEach(() => {
    google.heal();
    google.calls.length = 0;
  });

  it("is gone at Google, also if it reads null as absent, and messages stay", async () => {
    const id = await passWithMessage();
    assert.ok(objectOf(id).validTimeInterval);
    google.calls.length = 0;
    google.readNullAsAbsent();
    await removeEnd(id);
    await until(() => isSent(id));
    assert.deepEqual(methods(id), ["PATCH", "PUT"]);
    assert.equal(objectOf(id).validTimeInterval, undefined);
    assert.match(JSON.stringify(objectOf(id).messages), /Camille/);
  });

  it("costs one request if Google removes what is sent as null", async () => {
    const id = await passWithMessage();
    google.calls.length = 0;
    await removeEnd(id);
    await until(() => isSent(id));
    assert.deepEqual(methods(id), ["PATCH"]);
    assert.equal(objectOf(id).validTimeInterval, undefined);
  });
});
