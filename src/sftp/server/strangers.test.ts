import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import ssh2 from "ssh2";
import { connectDrop, type DropClient, dropPort, namesIn, seedDrop } from "#test/support/sftp.ts";
import { shareApi } from "#test/support/start-api.ts";

/** A connection on which the server has said that it speaks SSH. */
async function greeted(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  const refused = once(socket, "close").then(() => Promise.reject(new Error("refused")));
  await Promise.race([once(socket, "data"), refused]);
  refused.catch(() => undefined);
  return socket;
}

async function close(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) {
    if (socket.closed) continue;
    const closed = once(socket, "close");
    socket.destroy();
    await closed;
  }
}

/** Exchanges keys, and then does what it is told instead of signing in. */
async function meet(port: number, localAddress: string, act: (client: ssh2.Client) => void) {
  const client = new ssh2.Client();
  const closed = new Promise<void>((resolve) => client.on("close", () => resolve()));
  client.on("error", () => undefined);
  client.connect({
    ...{ host: "127.0.0.1", port, localAddress, username: "acme", readyTimeout: 20_000 },
    authHandler: () => {
      act(client);
    },
  });
  await closed;
}

/** What the library does not offer: a packet as it is. */
function sendPayload(client: ssh2.Client, payload: Buffer): void {
  const protocol = (client as unknown as { _protocol: Protocol })._protocol;
  const { write } = protocol._packetRW;
  const packet = write.alloc(payload.length);
  packet.set(payload, write.allocStart);
  protocol._cipher.encrypt(write.finalize(packet));
}
type Protocol = {
  ping(): void;
  readonly _cipher: { encrypt(packet: Buffer): void };
  readonly _packetRW: {
    readonly write: {
      readonly allocStart: number;
      alloc(bytes: number): Buffer;
      finalize(packet: Buffer): Buffer;
    };
  };
};

const text = (value: string) => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const signInRequest = (method: string, ...parts: Buffer[]) =>
  Buffer.concat([Buffer.of(50), text("acme"), text("ssh-connection"), text(method), ...parts]);

describe("strangers at the file drop", {
  skip: process.platform !== "linux" && "has one loopback address",
}, () => {
  const at = { now: new Date() };
  const api = shareApi({ env: { ROLES: "api,sftp" }, clock: { now: () => at.now } });

  async function prepare() {
    await seedDrop(api(), "acme");
    return await dropPort(api(), "acme");
  }

  /** A connection counts once its end has come to the server, which may be a little later. */
  async function untilBanned(ip: string, attempt: () => Promise<unknown>): Promise<void> {
    const isBanned = () =>
      api().logLines.some((line) => line.includes(`"ip":"${ip}"`) && line.includes("is banned"));
    for (let count = 0; count < 30 && !isBanned(); count += 1) await attempt();
    assert.ok(isBanned());
  }

  it("may be five of an address, which may have twenty connections", async () => {
    const port = await prepare();
    await seedDrop(api(), "other");
    const localAddress = "127.0.1.1";
    const members: DropClient[] = [];
    for (const username of ["acme", "other"]) {
      for (let count = 0; count < 8; count += 1) {
        members.push(await connectDrop({ port, localAddress, username }));
      }
    }
    const strangers: Socket[] = [];
    while (strangers.length < 4) strangers.push(await greeted(port, localAddress));
    await assert.rejects(greeted(port, localAddress));
    for (const member of members.splice(0, 8)) await member.end();
    strangers.push(await greeted(port, localAddress));
    await assert.rejects(greeted(port, localAddress));
    await close(strangers);
    for (const member of members) await member.end();
    await (await connectDrop({ port, localAddress })).end();
  });

  it("lock nobody out: when their places are taken, the oldest of them makes room", async () => {
    const port = await prepare();
    const sockets: Socket[] = [];
    for (let host = 1; host <= 20; host += 1) {
      for (let count = 0; count < 5; count += 1) {
        sockets.push(await greeted(port, `127.0.2.${host}`));
      }
    }
    const [oldest, next] = sockets;
    assert.ok(oldest !== undefined && next !== undefined);
    const gone = once(oldest, "close");
    await using drop = await connectDrop({ port, localAddress: "127.0.3.1" });
    assert.equal((await namesIn(await drop.files(), "/")).length, 3);
    await gone;
    assert.ok(!next.closed);
    await close(sockets);
  });

  it("that exchange keys and leave are banned; those that only look are not", async () => {
    const port = await prepare();
    const balancer = "127.0.4.1";
    for (let count = 0; count < 20; count += 1) await close([await greeted(port, balancer)]);
    await (await connectDrop({ port, localAddress: balancer })).end();

    const scanner = "127.0.4.2";
    await untilBanned(scanner, () => meet(port, scanner, (client) => void client.destroy()));
    await assert.rejects(connectDrop({ port, localAddress: scanner }));
  });

  it("that send much, and read nothing, are cut off", async () => {
    const port = await prepare();
    await meet(port, "127.0.5.1", (client) => {
      const { _protocol: protocol } = client as unknown as { _protocol: Protocol };
      for (let count = 0; count < 10_000; count += 1) protocol.ping();
    });
    assert.match(api().logLines.join(""), /sftp: sent too much, or does not read/);
    await using drop = await connectDrop({ port, localAddress: "127.0.5.2" });
    assert.equal((await namesIn(await drop.files(), "/")).length, 3);
  });

  it("that answer questions which nobody asked are cut off before they cost memory", async () => {
    const port = await prepare();
    const many = Buffer.alloc(4);
    many.writeUInt32BE(32 * 1024 * 1024 - 1);
    const before = process.memoryUsage().rss;
    await meet(port, "127.0.6.1", (client) => {
      sendPayload(client, signInRequest("keyboard-interactive", text(""), text("")));
      for (let count = 0; count < 20; count += 1) {
        sendPayload(client, Buffer.concat([Buffer.of(61), many]));
      }
    });
    assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024);
  });

  it("that want another password at once are refused as those with a wrong one", async () => {
    const port = await prepare();
    const guesser = "127.0.7.1";
    const change = signInRequest("password", Buffer.of(1), text("old"), text("new"));
    const metAt = performance.now();
    await untilBanned(guesser, () =>
      Promise.all(
        Array.from({ length: 4 }, () =>
          meet(port, guesser, (client) => sendPayload(client, change)),
        ),
      ),
    );
    // Four at a time, each of which waits for a second between its attempts.
    assert.ok(performance.now() - metAt >= 3_000);
    await assert.rejects(connectDrop({ port, localAddress: guesser }));
    assert.ok(!api().logLines.some((line) => line.includes("signing in broke")));
  });
});
