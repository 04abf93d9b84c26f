import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { hashToken, makeToken } from "#src/api-keys/public.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

// A random master key, because one test starts a production node, which refuses a simple one.
const MASTER_KEY = randomBytes(32).toString("base64");
const api = await startApi({ after }, { env: { MASTER_KEY } });
await api.seed.tenant("acme");
await api.seed.tenant("rival");
const admin = api.operatorKey;
const KEYS = "/api/acme/admin/apiKeys";
const TENANTS = "/api/tenants";

let count = 0;
async function makeKey(scope: string, more: Record<string, unknown> = {}) {
  count += 1;
  const name = `auth-${count}`;
  const made = await api.post(KEYS, { key: admin, body: { name, scopes: [scope], ...more } });
  assert.equal(made.status, 201, made.text);
  return { name, token: made.body.token as string };
}

describe("authentication by key", () => {
  it("401: no credential at all, with a challenge", async () => {
    const res = await api.get(KEYS);
    assert.equal(res.status, 401);
    assert.equal(res.body.code, "access.unauthenticated");
    assert.match(res.headers.get("www-authenticate") ?? "", /^Bearer realm="Billfold", ApiKey /);
  });

  it("401: a key and a bearer together, even when each alone would do", async () => {
    const res = await api.get(KEYS, { key: admin, bearer: "x.y.z" });
    assert.equal(res.status, 401);
  });

  it("401: tells nobody why; the log says so beside the code", async () => {
    const foreign = await api.seed.key("rival", "ApiKey.Read");
    const unknown = makeToken({ environment: "staging", kind: "api-key" });
    for (const [key, reason] of [
      [foreign, "a key of another tenant"],
      [unknown, "no such key, or it has ended"],
    ] as const) {
      const { text, body } = await api.get(KEYS, { key });
      assert.ok(!text.includes(reason));
      const line = api.logLines.find((written) => written.includes(body.requestId)) ?? "";
      const { status, code, reason: told } = JSON.parse(line);
      assert.deepEqual([status, code, told], [401, "access.unauthenticated", reason]);
      assert.ok(!line.includes(key));
    }
  });

  it("401: an Authorization header of another kind", async () => {
    for (const authorization of ["Basic YTpi", "Bearer", "Bearer a, Bearer b", ""]) {
      const res = await api.get(KEYS, { headers: { authorization } });
      assert.equal(res.status, 401, authorization);
    }
  });

  it("401: whatever is wrong with a key, the answer is the same to the byte", async () => {
    const { token } = await makeKey("ApiKey.Read");
    const { name, token: revoked } = await makeKey("ApiKey.Read");
    await api.delete(`${KEYS}/${name}`, { key: admin });
    const { token: expired } = await makeKey("ApiKey.Read");
    await api.sql("update api_key set expires_at = now() - interval '1 second' where hash = $1", [
      hashToken(expired),
    ]);
    const unknown = makeToken({ environment: "staging", kind: "api-key" });
    const production = makeToken({ environment: "production", kind: "api-key" });
    await api.sql("update api_key set hash = $2 where hash = $1", [
      hashToken((await makeKey("ApiKey.Read")).token),
      hashToken(production),
    ]);

    const headers = { "x-request-id": "always-the-same" };
    const paths = [KEYS, "/api/rival/admin/apiKeys", "/api/nobody/admin/apiKeys", TENANTS];
    const wrong = [
      revoked,
      expired,
      unknown,
      production,
      `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`,
      token.toLowerCase(),
      `${token} `.repeat(2).trim(),
      "operator",
      `${admin}x`,
      randomBytes(300).toString("hex"),
      "",
    ];
    const answers = await Promise.all([
      ...paths.flatMap((path) => wrong.map((key) => api.get(path, { key, headers }))),
      api.get("/api/rival/admin/apiKeys", { key: token, headers }),
      api.get("/api/nobody/admin/apiKeys", { key: token, headers }),
      api.get("/api/NOT-an-id/admin/apiKeys", { key: token, headers }),
    ]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const names = answers.map(({ headers: sent }) => [...sent.keys()].sort().join());
    assert.equal(new Set(names).size, 1);
  });

  it("403: a tenant's key on an operation of the installation", async () => {
    const { token } = await makeKey("ApiKey.Read");
    const res = await api.get(TENANTS, { key: token });
    assert.equal(res.status, 403);
    assert.equal(res.body.requiredRole, "Global Administrator");
  });

  it("401: a staging key on a production node of the same database, and the other way round", async () => {
    const { token } = await makeKey("ApiKey.Read");
    const production = await api.node({
      ENVIRONMENT: "production",
      BASE_URL: "https://passes.example.com",
    });
    assert.equal((await api.get(KEYS, { key: token })).status, 200);
    assert.equal((await production.get(KEYS, { key: token })).status, 401);
    const body = { name: "live", scopes: ["ApiKey.Read"] };
    const live = await production.post(KEYS, { key: admin, body });
    assert.match(live.body.token, /^bf_live_/);
    assert.equal((await production.get(KEYS, { key: live.body.token })).status, 200);
    assert.equal((await api.get(KEYS, { key: live.body.token })).status, 401);
  });
});

describe("revocation", () => {
  it("401: under load, no request that starts after the answer of the revocation is served", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { name, token } = await makeKey("ApiKey.Read");
      let revokedAt = Number.POSITIVE_INFINITY;
      let served = 0;
      const late: number[] = [];
      const load = Array.from({ length: 8 }, async () => {
        for (let refusals = 0; refusals < 3; ) {
          const startedAt = performance.now();
          const { status } = await api.get(KEYS, { key: token });
          if (status === 200) served += 1;
          if (status === 200 && startedAt > revokedAt) late.push(startedAt - revokedAt);
          if (status === 401) refusals += 1;
        }
      });
      await until(() => served > 0);
      await api.delete(`${KEYS}/${name}`, { key: admin });
      revokedAt = performance.now();
      await Promise.all(load);
      assert.deepEqual(late, []);
    }
  });
});

describe("an address that keeps guessing", () => {
  it("429: after 300 refusals in a minute, and never for a good key, seen before or not", async (t) => {
    const guessed = await startApi(t);
    await guessed.seed.tenant("acme");
    const known = await guessed.seed.key("acme", "ApiKey.Read");
    const amongGuesses = await guessed.seed.key("acme", "ApiKey.Read");
    const unseen = await guessed.seed.key("acme", "ApiKey.Read");
    assert.equal((await guessed.get(KEYS, { key: known })).status, 200);

    const key = makeToken({ environment: "staging", kind: "api-key" });
    for (let sent = 0; sent < 300; sent += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => guessed.get(KEYS, { key })),
      );
      for (const { status } of answers) assert.equal(status, 401);
    }
    const refused = await guessed.get(KEYS, { key });
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, "rate-limit.exceeded");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.equal(refused.headers.get("ratelimit-policy"), '"authentication";q=300;w=60');
    assert.match(refused.headers.get("ratelimit") ?? "", /^"authentication";r=0;t=\d+$/);

    const guesses = Array.from({ length: 200 }, () =>
      guessed.get(KEYS, { key: makeToken({ environment: "staging", kind: "api-key" }) }),
    );
    assert.equal((await guessed.get(KEYS, { key: amongGuesses })).status, 200);
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([429]));

    assert.equal((await guessed.get(KEYS, { key: unseen })).status, 200);
    assert.equal((await guessed.get(KEYS, { bearer: "x.y.z" })).status, 429);
    await sleep(950);
    assert.equal((await guessed.get(KEYS, { key: known })).status, 200);
    assert.equal((await guessed.get(KEYS, { key: admin })).status, 200);
    assert.equal((await guessed.get(KEYS)).status, 401);

    // A deleted key makes every node forget all keys of the tenant; the others are found again.
    const removed = await guessed.post(KEYS, {
      key: admin,
      body: { name: "removed", scopes: ["ApiKey.Read"] },
    });
    await guessed.delete(`${KEYS}/removed`, { key: admin });
    for (const good of [known, unseen]) {
      assert.equal((await guessed.get(KEYS, { key: good })).status, 200);
    }
    assert.equal((await guessed.get(KEYS, { key: removed.body.token })).status, 429);
  });
});
