import {
  ATTRIBUTE,
  PACKET_BYTES_MAX,
  PIECE_BYTES_MAX,
  REPLY,
  type StatusCode,
  VERSION,
} from "./protocol.codes.ts";

export type Attributes = {
  readonly sizeBytes: number;
  /** The kind of file and its permissions, as in Unix. */
  readonly mode: number;
  readonly modifiedAt: Date;
};

export type Entry = {
  readonly name: string;
  /** A line as of `ls -l`, which clients show as it is. */
  readonly line: string;
  readonly attributes: Attributes;
};

/**
 * Requests beyond version 3 that are understood. OpenSSH uses `posix-rename` for `rename`, and fits
 * its packets to `limits`, only where they are announced.
 */
const EXTENSIONS: readonly (readonly [string, string])[] = [
  ["posix-rename@openssh.com", "1"],
  ["fsync@openssh.com", "1"],
  ["limits@openssh.com", "1"],
];

export function versionReply(): Buffer {
  return packet(
    REPLY.version,
    number(VERSION),
    ...EXTENSIONS.flatMap(([name, value]) => [text(name), text(value)]),
  );
}

export function statusReply(id: number, code: StatusCode, message: string): Buffer {
  return packet(REPLY.status, number(id), number(code), text(message), text("en"));
}

export function handleReply(id: number, handle: string): Buffer {
  return packet(REPLY.handle, number(id), text(handle));
}

export function dataReply(id: number, bytes: Uint8Array): Buffer {
  return packet(REPLY.data, number(id), number(bytes.length), bytes);
}

export function namesReply(id: number, entries: readonly Entry[]): Buffer {
  return packet(
    REPLY.name,
    number(id),
    number(entries.length),
    ...entries.flatMap(({ name, line, attributes }) => [
      text(name),
      text(line),
      attributeBytes(attributes),
    ]),
  );
}

/** The answer to `realpath`: a name without attributes. */
export function pathReply(id: number, path: string): Buffer {
  return packet(REPLY.name, number(id), number(1), text(path), text(path), number(0));
}

export function attributesReply(id: number, attributes: Attributes): Buffer {
  return packet(REPLY.attributes, number(id), attributeBytes(attributes));
}

export function limitsReply(id: number, handlesMax: number): Buffer {
  const limits = [PACKET_BYTES_MAX, PIECE_BYTES_MAX, PIECE_BYTES_MAX, handlesMax];
  return packet(REPLY.extended, number(id), ...limits.map(large));
}

function attributeBytes({ sizeBytes, mode, modifiedAt }: Attributes): Buffer {
  const seconds = number(Math.max(0, Math.floor(modifiedAt.getTime() / 1_000)));
  // Clients that show an owner in numbers show 0; names stand in the line.
  const owner = [number(0), number(0)];
  const flags = ATTRIBUTE.size | ATTRIBUTE.owner | ATTRIBUTE.permissions | ATTRIBUTE.times;
  return Buffer.concat([number(flags), large(sizeBytes), ...owner, number(mode), seconds, seconds]);
}

function packet(type: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 1);
  return Buffer.concat([number(length), Buffer.of(type), ...parts], 4 + length);
}

function number(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function large(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}
