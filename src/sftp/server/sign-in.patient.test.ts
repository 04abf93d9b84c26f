import assert from "node:assert/strict";
import { describe, it } from "node:test";
import ssh2 from "ssh2";
import {
  connectDrop,
  DROP_PASSWORD,
  dropPort,
  namesIn,
  seedDrop,
  setPassword,
} from "#test/support/sftp.ts";
import { makeEd25519 } from "#test/support/ssh-keys.ts";
import { shareApi } from "#test/support/start-api.ts";

const REFUSED = { message: "All configured authentication methods failed" };

/** Each test comes from an address of its own, because failures of an address are counted. */
let hosts = 1;
const nextAddress = () => {
  hosts += 1;
  return `127.0.0.${hosts}`;
};

describe("signing in to the file drop", {
  skip: process.platform !== "linux" && "has one loopback address",
}, () => {
  const api = shareApi({ env: { ROLES: "api,sftp" } });
  const ed25519 = makeEd25519();
  const rsa = ssh2.utils.generateKeyPairSync("rsa", { bits: 2048 });
  const weak = ssh2.utils.generateKeyPairSync("rsa", { bits: 1024 });

  async function prepare(tenantId: string) {
    await seedDrop(api(), tenantId, [ed25519.public, rsa.public]);
    const port = await dropPort(api(), tenantId);
    const from = { port, localAddress: nextAddress() };
    const withKey = (privateKey: string, more: object = {}) =>
      connectDrop({ ...from, username: tenantId, privateKey, authHandler: ["publickey"], ...more });
    return { from, port, withKey };
  }

  const damageSecrets = (tenantId: string) =>
    api().sql(
      `update secret set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))
        where tenant_id = $1`,
      [tenantId],
    );

  it("takes the tenant and its password", async () => {
    const { from } = await prepare("by-password");
    await using drop = await connectDrop({ ...from, username: "by-password" });
    assert.deepEqual(await namesIn(await drop.files(), "/"), ["error", "inbox", "processed"]);
  });

  it("takes a key of tenant.yml, and no other", async () => {
    const { withKey } = await prepare("by-key");
    for (const key of [ed25519, rsa]) {
      await using drop = await withKey(key.private);
      assert.equal((await namesIn(await drop.files(), "/")).length, 3);
    }
    const other = makeEd25519();
    await assert.rejects(withKey(other.private), REFUSED);
  });

  it("passes over keys of an older tenant.yml that nobody would publish today", async () => {
    const { withKey } = await prepare("older");
    const lines = ["garbage", "ssh-rsa AAAA", `ssh-ed25519 ${"A".repeat(40)}`, weak.public];
    await api().sql(
      `update tenant set settings = jsonb_set(settings, '{sftp,keys}', $1::jsonb) where id = 'older'`,
      [JSON.stringify([...lines, ed25519.public])],
    );
    await assert.rejects(withKey(weak.private), REFUSED);
    await (await withKey(ed25519.private)).end();
  });

  it("answers as to a wrong password where the password cannot be read, and counts it", async () => {
    const { from } = await prepare("unreadable");
    await damageSecrets("unreadable");
    const { localAddress } = from;
    const isBanned = () =>
      api().logLines.some((line) => line.includes(localAddress) && line.includes("is banned"));
    for (let count = 0; count < 10 && !isBanned(); count += 1) {
      const askedAt = performance.now();
      const attempts = Array.from({ length: 4 }, () =>
        connectDrop({ ...from, username: "unreadable", authHandler: ["password"] }),
      );
      await Promise.all(attempts.map((attempt) => assert.rejects(attempt)));
      assert.ok(isBanned() || performance.now() - askedAt >= 1_000);
    }
    assert.ok(isBanned());
    assert.match(api().logLines.join(""), /sftp: a sign-in could not be checked/);
  });

  it("refuses a signature by another key than the one that was offered", async () => {
    const { withKey } = await prepare("forged");
    const other = makeEd25519();
    const offered = ssh2.utils.parseKey(ed25519.public);
    const signing = ssh2.utils.parseKey(other.private);
    assert.ok(!(offered instanceof Error) && !(signing instanceof Error));
    const forged = {
      getIdentities: (done: (error: Error | null, keys: unknown[]) => void) =>
        done(null, [offered]),
      sign: (
        _key: unknown,
        data: Buffer,
        _options: unknown,
        done: (error: Error | null, signature: Buffer) => void,
      ) => done(null, signing.sign(data) as Buffer),
    };
    const agent = Object.assign(Object.create(ssh2.BaseAgent.prototype), forged);
    await assert.rejects(
      withKey("", { privateKey: undefined, agent, authHandler: ["agent"] }),
      REFUSED,
    );
  });

  it("answers alike to an unknown tenant, a closed file drop, and a wrong or endless password", async () => {
    const { from } = await prepare("strict");
    await api().seed.tenant("closed", { "tenant.yml": "name: closed\nsftp: {enabled: false}\n" });
    await setPassword(api(), "closed", DROP_PASSWORD);
    await api().seed.tenant("without");
    const tried = [
      { username: "nobody" },
      { username: "../strict" },
      { username: "*" },
      { username: "" },
      { username: "closed" },
      { username: "without", password: "" },
      { username: "strict", password: "wrong" },
      { username: "strict", password: "" },
      { username: "strict", password: "x".repeat(1_025) },
      { username: "strict", password: "x".repeat(20_000) },
    ];
    const seconds: number[] = [];
    for (const one of tried) {
      const askedAt = performance.now();
      await assert.rejects(connectDrop({ ...from, ...one }), REFUSED, JSON.stringify(one.username));
      seconds.push((performance.now() - askedAt) / 1_000);
    }
    assert.ok(Math.min(...seconds) >= 1, `${seconds}`);
  });

  it("ends the session when the password changes, the file drop closes or the tenant goes", async () => {
    const ends: Readonly<Record<string, (tenantId: string) => Promise<unknown>>> = {
      "new-password": (tenantId) => setPassword(api(), tenantId, "another password"),
      "closed-later": (tenantId) =>
        api().seed.tenant(tenantId, { "tenant.yml": "name: x\nsftp: {enabled: false}\n" }),
      deleted: (tenantId) => api().delete(`/api/tenants/${tenantId}`, { key: api().operatorKey }),
    };
    for (const [tenantId, end] of Object.entries(ends)) {
      const { from, withKey } = await prepare(tenantId);
      await using byPassword = await connectDrop({ ...from, username: tenantId });
      await using byKey = await withKey(ed25519.private);
      await end(tenantId);
      await byPassword.closed;
      if (tenantId === "new-password") assert.equal((await byKey.files()).constructor.name, "SFTP");
      else await byKey.closed;
    }
  });

  it("ends a session whose password cannot be read any more, and goes on to look at others", async () => {
    const first = await prepare("a-damaged");
    const second = await prepare("b-sound");
    await using damaged = await connectDrop({ ...first.from, username: "a-damaged" });
    await using sound = await connectDrop({ ...second.from, username: "b-sound" });
    await using byKey = await first.withKey(ed25519.private);
    await damageSecrets("a-damaged");
    await damaged.closed;
    assert.equal((await namesIn(await sound.files(), "/")).length, 3);
    assert.equal((await namesIn(await byKey.files(), "/")).length, 3);
    await setPassword(api(), "b-sound", "another password");
    await sound.closed;
  });

  it("gives a connection a few attempts", async () => {
    const { from } = await prepare("patient");
    let asked = 0;
    const attempt = connectDrop({
      ...from,
      username: "patient",
      authHandler: () => {
        asked += 1;
        return { type: "password", username: "patient", password: `guess ${asked}` };
      },
    });
    await assert.rejects(attempt);
    assert.equal(asked, 7);
  });

  it("writes no password and no name of a user into the log", () => {
    const lines = api().logLines.join("\n");
    assert.match(lines, /sftp: signed in/);
    for (const word of [DROP_PASSWORD, "guess 1", "wrong", "nobody"]) {
      assert.ok(!lines.includes(word), word);
    }
  });
});
