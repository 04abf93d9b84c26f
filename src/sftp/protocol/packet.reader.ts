import { ByteCollector } from "#kernel/byte-collector.ts";
import { PACKET_BYTES_MAX } from "./protocol.codes.ts";

const LENGTH_BYTES = 4;

/** The client does not speak SFTP: its session ends, because the start of its next packet is unknown. */
export class MalformedPacket extends Error {
  override readonly name = "MalformedPacket";
}

/**
 * Cuts a stream into packets, without the length before each. Holds at most one packet and one chunk
 * of the stream, and reads on only when the packet before was dealt with.
 */
export async function* readPackets(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const collector = new ByteCollector();
  let wanted = LENGTH_BYTES;
  for await (const chunk of chunks) {
    collector.add(chunk);
    if (collector.sizeBytes < wanted) continue;
    let rest = collector.take();
    for (wanted = bytesOfFirst(rest); rest.length >= wanted; wanted = bytesOfFirst(rest)) {
      yield rest.subarray(LENGTH_BYTES, wanted);
      rest = rest.subarray(wanted);
    }
    if (rest.length > 0) collector.add(rest);
  }
}

/** The bytes that the first packet needs with its length; only those of the length if that is cut. */
function bytesOfFirst(bytes: Buffer): number {
  if (bytes.length < LENGTH_BYTES) return LENGTH_BYTES;
  const length = bytes.readUInt32BE(0);
  if (length === 0 || length > PACKET_BYTES_MAX) {
    throw new MalformedPacket(`a packet of ${length} bytes`);
  }
  return LENGTH_BYTES + length;
}
