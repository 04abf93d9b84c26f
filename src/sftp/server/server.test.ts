import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import type { Algorithms, ClientChannel } from "ssh2";
import { freePort } from "#test/support/product.ts";
import {
  connectDrop,
  contentsOf,
  dropPort,
  namesIn,
  promised,
  putFile,
  seedDrop,
} from "#test/support/sftp.ts";
import { shareApi, startApi } from "#test/support/start-api.ts";

describe("the server of the file drop", () => {
  const api = shareApi({ env: { ROLES: "api,sftp" } });

  async function prepare() {
    await seedDrop(api(), "acme");
    return await dropPort(api(), "acme");
  }

  it("serves SFTP alone: no shell, no commands, no forwarding, no other subsystem", async () => {
    const port = await prepare();
    await using drop = await connectDrop({ port, strictVendor: false });
    const { client } = drop;
    const refused: Readonly<Record<string, () => Promise<unknown>>> = {
      shell: () => promised<ClientChannel>((done) => client.shell(done)),
      exec: () => promised<ClientChannel>((done) => client.exec("id", done)),
      subsystem: () => promised<ClientChannel>((done) => client.subsys("netconf", done)),
      "forwarding out": () =>
        promised((done) => client.forwardOut("127.0.0.1", 1, "127.0.0.1", 22, done)),
      "forwarding in": () => promised((done) => client.forwardIn("127.0.0.1", 0, done)),
      "a socket": () => promised((done) => client.openssh_forwardOutStreamLocal("/tmp/x", done)),
      x11: () => promised<ClientChannel>((done) => client.shell({ x11: true }, done)),
    };
    for (const [what, attempt] of Object.entries(refused))
      await assert.rejects(attempt(), () => true, what);
    assert.equal((await namesIn(await drop.files(), "/")).length, 3);
  });

  it("serves the same files with the same key on every node", async () => {
    const port = await prepare();
    const other = await api().node({ ROLES: "api,sftp" });
    const otherPort = await dropPort(other, "acme");
    assert.notEqual(otherPort, port);
    const keys: string[] = [];
    const hostVerifier = (key: Buffer) => keys.push(key.toString("base64")) > 0;
    await using here = await connectDrop({ port, hostVerifier });
    await using there = await connectDrop({ port: otherPort, hostVerifier });
    assert.equal(keys[0], keys[1]);
    await putFile(await here.files(), "/inbox/shared.csv", "from one node");
    const contents = await contentsOf(await there.files(), "/inbox/shared.csv");
    assert.equal(contents.toString(), "from one node");
    const statuses = await Promise.all(
      [api(), other].map((node) =>
        node.get("/api/acme/admin/sftp/status", { key: node.operatorKey }),
      ),
    );
    const [first, second] = statuses.map(({ body }) => body);
    assert.equal(first.fingerprint, second.fingerprint);
    assert.equal(first.hostKeys[0], `ssh-ed25519 ${keys[0]}`);
  });

  it("runs in a process of its own, where the roles say so", async () => {
    await prepare();
    const port = await freePort();
    const alone = await api().node({ ROLES: "sftp", SFTP_PORT: String(port) });
    assert.equal(alone.application.url, undefined);
    await using drop = await connectDrop({ port });
    assert.equal((await namesIn(await drop.files(), "/")).length, 3);
    const other = api().node({ ROLES: "sftp", SFTP_PORT: String(port) });
    await assert.rejects(other, { message: /Port \d+ of 127.0.0.1 is in use.* SFTP_PORT/ });
  });

  it("ends a connection that sends anything but SSH or SFTP", async () => {
    const port = await prepare();
    const stranger = connect(port, "127.0.0.1");
    stranger.on("error", () => undefined);
    stranger.resume();
    stranger.write(`GET / HTTP/1.1\r\n${"x".repeat(100_000)}\r\n\r\n`);
    await once(stranger, "close");
    await using drop = await connectDrop({ port });
    const channel = await promised<ClientChannel>((done) => drop.client.subsys("sftp", done));
    channel.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
    channel.resume();
    await once(channel, "close");
    assert.equal((await namesIn(await drop.files(), "/")).length, 3);
  });

  it("counts connections, sign-ins and bytes", async () => {
    await using _ = await connectDrop({ port: await prepare() });
    const text = await api().runtime.metrics.render();
    const counted = text.match(/^billfold_sftp_\w+(?:\{\w+="[\w-]+"\})? [1-9]/gm);
    assert.deepEqual(
      counted?.map((line) => line.replace(/ \d$/, "")),
      [
        "billfold_sftp_connections",
        'billfold_sftp_sign_ins_total{outcome="accepted"}',
        // One of the tests above sent something else than SSH.
        'billfold_sftp_sign_ins_total{outcome="none"}',
        'billfold_sftp_bytes_total{direction="in"}',
        'billfold_sftp_bytes_total{direction="out"}',
      ],
    );
  });

  it("at a stop lets an upload come to its end, and takes no new one", async (t) => {
    const stops: (() => Promise<void>)[] = [];
    const own = await startApi(
      { after: (stop) => void stops.push(stop) },
      { env: { ROLES: "api,sftp" } },
    );
    await seedDrop(own, "acme");
    await using drop = await connectDrop({ port: await dropPort(own, "acme") });
    await using idle = await connectDrop({ port: await dropPort(own, "acme") });
    const files = await drop.files();
    const handle = await promised<Buffer>((done) => files.open("/inbox/late.csv", "w", done));
    const stopping = own.application.stop();
    t.after(() => Promise.all(stops.map((stop) => stop())));
    await idle.closed;
    await assert.rejects(promised((done) => files.open("/inbox/new.csv", "w", done)));
    await promised<void>((done) =>
      files.write(handle, Buffer.from("end"), 0, 3, 0, (e) => done(e, undefined)),
    );
    await promised<void>((done) => files.close(handle, (error) => done(error, undefined)));
    await drop.closed;
    await stopping;
    const rows = await own.sql("select name, state, size::integer from import_file");
    assert.deepEqual(rows, [{ name: "late.csv", state: "pending", size: 3 }]);
  });
});

describe("the algorithms of the file drop", () => {
  const at = { now: new Date() };
  const api = shareApi({ env: { ROLES: "api,sftp" }, clock: { now: () => at.now } });

  it("are strong, and cheap for the server", async () => {
    await seedDrop(api(), "acme");
    const port = await dropPort(api(), "acme");
    const weak: readonly Algorithms[] = [
      { kex: ["diffie-hellman-group14-sha1"] },
      { kex: ["diffie-hellman-group1-sha1"] },
      { kex: ["diffie-hellman-group-exchange-sha1"] },
      { kex: ["diffie-hellman-group16-sha512", "diffie-hellman-group18-sha512"] },
      { kex: ["ecdh-sha2-nistp384", "ecdh-sha2-nistp521"] },
      { cipher: ["aes128-cbc"] },
      { cipher: ["3des-cbc"] },
      { cipher: ["aes128-ctr"], hmac: ["hmac-sha1"] },
      { cipher: ["aes128-ctr"], hmac: ["hmac-md5"] },
      { cipher: ["aes128-ctr"], hmac: ["hmac-sha2-256"] },
      { serverHostKey: ["ssh-rsa"] },
      { serverHostKey: ["ssh-dss"] },
      { compress: ["zlib"] },
    ];
    for (const algorithms of weak) {
      // Connections that end without a sign-in are counted for half an hour.
      at.now = new Date(at.now.getTime() + 31 * 60_000);
      const message = /no matching/;
      await assert.rejects(
        connectDrop({ port, algorithms }),
        { message },
        JSON.stringify(algorithms),
      );
    }
    const strong: readonly Algorithms[] = [
      { kex: ["curve25519-sha256"], cipher: ["chacha20-poly1305@openssh.com"] },
      { kex: ["ecdh-sha2-nistp256"], serverHostKey: ["ecdsa-sha2-nistp256"] },
      { cipher: ["aes256-ctr"], hmac: ["hmac-sha2-512-etm@openssh.com"] },
    ];
    for (const algorithms of strong) await (await connectDrop({ port, algorithms })).end();
  });
});
