import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { MalformedPacket, readPackets } from "./packet.reader.ts";
import { PACKET_BYTES_MAX, REQUEST } from "./protocol.codes.ts";
import { dataReply, statusReply } from "./reply.ts";
import { parseRequest } from "./request.ts";

const framed = (packet: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(packet.length);
  return Buffer.concat([length, packet]);
};

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) return;
    yield bytes.subarray(at, at + size);
    at += size;
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

async function readAll(bytes: Buffer, sizes: readonly number[]): Promise<Buffer[]> {
  const packets: Buffer[] = [];
  for await (const packet of readPackets(cut(bytes, sizes))) packets.push(packet);
  return packets;
}

const packets = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 20 });
const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 40 });

describe("packets of SFTP", () => {
  it("are the same however the stream is cut", async () => {
    await fc.assert(
      fc.asyncProperty(packets, sizes, async (sent, pieces) => {
        const received = await readAll(Buffer.concat(sent.map(framed)), pieces);
        assert.deepEqual(
          received.map((packet) => [...packet]),
          sent.map((packet) => [...packet]),
        );
      }),
    );
  });

  it("end the stream where a length is zero, or larger than a packet may be", async () => {
    for (const length of [0, PACKET_BYTES_MAX + 1, 0xffff_ffff]) {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(length);
      await assert.rejects(readAll(head, []), MalformedPacket);
    }
  });

  it("that are not requests are refused as malformed, and never break the reader", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        try {
          parseRequest(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof MalformedPacket);
        }
      }),
    );
  });
});

describe("requests of SFTP", () => {
  const text = (value: string | Buffer) => framed(Buffer.from(value));
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const request = (type: number, ...parts: Buffer[]) =>
    parseRequest(Buffer.concat([Buffer.of(type), number(7), ...parts]));

  it("know every path that is UTF-8, and say of others that they are not", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (path) => {
        assert.deepEqual(request(REQUEST.stat, text(path)), { kind: "stat", id: 7, path });
      }),
    );
    const broken = request(REQUEST.stat, text(Buffer.of(0x61, 0xff)));
    assert.deepEqual(broken, { kind: "stat", id: 7, path: undefined });
  });

  it("know the renaming of OpenSSH, which replaces", () => {
    assert.deepEqual(
      request(REQUEST.extended, text("posix-rename@openssh.com"), text("/a"), text("/b")),
      { kind: "rename", id: 7, from: "/a", to: "/b", replaces: true },
    );
  });

  it("know the size among the attributes, and nothing where there is none", () => {
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(5n);
    const changed = { kind: "setstat", id: 7, path: "/a" };
    assert.deepEqual(request(REQUEST.setstat, text("/a"), number(1), size), {
      ...changed,
      size: 5,
    });
    assert.deepEqual(request(REQUEST.setstat, text("/a"), number(4), number(0o644)), {
      ...changed,
      size: undefined,
    });
  });

  it("that nobody knows have an id to answer to", () => {
    assert.deepEqual(request(99), { kind: "unknown", id: 7 });
    assert.deepEqual(request(REQUEST.extended, text("x@y")), { kind: "unknown", id: 7 });
  });
});

describe("answers of SFTP", () => {
  it("begin with their length", async () => {
    for (const reply of [statusReply(1, 4, "Nó."), dataReply(2, Buffer.alloc(1_000))]) {
      const [packet, ...others] = await readAll(reply, [3]);
      assert.deepEqual([packet?.length, others.length], [reply.length - 4, 0]);
    }
  });
});
