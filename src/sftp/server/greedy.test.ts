import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import type { ClientChannel } from "ssh2";
import {
  connectDrop,
  type DropClient,
  dropPort,
  namesIn,
  promised,
  seedDrop,
} from "#test/support/sftp.ts";
import { shareApi } from "#test/support/start-api.ts";
import { REQUEST } from "../protocol/protocol.codes.ts";

const MIB = 1024 * 1024;

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** A request whose answer has its path twice. */
function asking(bytes: number): Buffer {
  const path = Buffer.alloc(bytes, "x");
  const packet = Buffer.concat([Buffer.of(REQUEST.realpath), number(1), number(bytes), path]);
  return Buffer.concat([number(packet.length), packet]);
}
const MANY = Buffer.concat(Array.from({ length: 30 }, () => asking(1_000)));

/** The parts of the library by which a client can break its rules. */
type Insides = {
  readonly _protocol: { channelData(channel: number, bytes: Buffer): void; rekey(): void };
};
const insidesOf = ({ client }: DropClient) => client as unknown as Insides;
const idOf = (channel: ClientChannel) =>
  (channel as unknown as { outgoing: { id: number } }).outgoing.id;

describe("a client of the file drop that wants all of its memory", () => {
  const api = shareApi({ env: { ROLES: "api,sftp" } });

  async function enter(): Promise<DropClient> {
    await seedDrop(api(), "acme");
    return await connectDrop({ port: await dropPort(api(), "acme") });
  }
  const subsystem = (drop: DropClient) =>
    promised<ClientChannel>((done) => drop.client.subsys("sftp", done));

  it("is cut off if it sends more than it was asked for, and takes no answers", async () => {
    await using drop = await enter();
    const channel = await subsystem(drop);
    channel.pause();
    for (let sent = 0; sent < 20 * MIB; sent += MANY.length) {
      insidesOf(drop)._protocol.channelData(idOf(channel), MANY);
    }
    await drop.closed;
    assert.match(api().logLines.join(""), /sftp: sent too much, or does not read/);
  });

  it("loses its channel, and not its place, where it closes without taking the answers", async () => {
    await using drop = await enter();
    // More than a connection may have open at once.
    for (let count = 0; count < 5; count += 1) {
      const channel = await subsystem(drop);
      channel.pause();
      for (let sent = 0; sent < 2 * MIB; sent += MANY.length) channel.write(MANY);
      channel.close();
      channel.resume();
      await once(channel, "close");
    }
    assert.equal((await namesIn(await drop.files(), "/")).length, 3);
  });

  it("is cut off if it opens and closes sessions without end", async () => {
    await using drop = await enter();
    let isOpen = true;
    const gone = drop.closed.then(() => {
      isOpen = false;
    });
    // A shell is refused, and the session it was asked for is closed.
    for (let count = 0; count < 300 && isOpen; count += 1) {
      await Promise.race([
        gone,
        promised((done) => drop.client.shell(done)).catch(() => undefined),
      ]);
    }
    await gone;
  });
});
