import { MalformedPacket } from "./packet.reader.ts";
import { ATTRIBUTE, REQUEST } from "./protocol.codes.ts";

/** A path as sent; undefined if it is not UTF-8. */
export type SentPath = string | undefined;

type OnPath = {
  readonly kind:
    | "lstat"
    | "stat"
    | "opendir"
    | "remove"
    | "mkdir"
    | "rmdir"
    | "realpath"
    | "readlink"
    | "symlink";
  readonly id: number;
  readonly path: SentPath;
};
type OnHandle = {
  readonly kind: "close" | "fstat" | "readdir";
  readonly id: number;
  readonly handle: string;
};

export type SftpRequest =
  | { readonly kind: "init"; readonly version: number }
  | OnPath
  | OnHandle
  | {
      readonly kind: "open";
      readonly id: number;
      readonly path: SentPath;
      readonly flags: number;
    }
  | {
      readonly kind: "read";
      readonly id: number;
      readonly handle: string;
      readonly offset: number;
      readonly bytesMax: number;
    }
  | {
      readonly kind: "write";
      readonly id: number;
      readonly handle: string;
      readonly offset: number;
      readonly bytes: Buffer;
    }
  /** `size` is undefined if the request leaves the size as it is. */
  | {
      readonly kind: "setstat";
      readonly id: number;
      readonly path: SentPath;
      readonly size: number | undefined;
    }
  | {
      readonly kind: "fsetstat";
      readonly id: number;
      readonly handle: string;
      readonly size: number | undefined;
    }
  | {
      readonly kind: "rename";
      readonly id: number;
      readonly from: SentPath;
      readonly to: SentPath;
      /** True for `posix-rename@openssh.com`, which replaces a file of the new name. */
      readonly replaces: boolean;
    }
  | { readonly kind: "fsync"; readonly id: number; readonly handle: string }
  | { readonly kind: "limits"; readonly id: number }
  | { readonly kind: "unknown"; readonly id: number };

/** Handles are ours and short. */
const HANDLE_BYTES_MAX = 32;

const ON_PATH = new Map<number, OnPath["kind"]>([
  [REQUEST.lstat, "lstat"],
  [REQUEST.stat, "stat"],
  [REQUEST.opendir, "opendir"],
  [REQUEST.remove, "remove"],
  [REQUEST.mkdir, "mkdir"],
  [REQUEST.rmdir, "rmdir"],
  [REQUEST.realpath, "realpath"],
  [REQUEST.readlink, "readlink"],
  [REQUEST.symlink, "symlink"],
]);
const ON_HANDLE = new Map<number, OnHandle["kind"]>([
  [REQUEST.close, "close"],
  [REQUEST.fstat, "fstat"],
  [REQUEST.readdir, "readdir"],
]);

/** Reads one packet. What follows the members that are known is ignored, as the protocol asks for. */
export function parseRequest(packet: Buffer): SftpRequest {
  const reader = new Reader(packet);
  const type = reader.byte();
  if (type === REQUEST.init) return { kind: "init", version: reader.number() };
  const id = reader.number();
  const onPath = ON_PATH.get(type);
  if (onPath !== undefined) return { kind: onPath, id, path: reader.path() };
  const onHandle = ON_HANDLE.get(type);
  if (onHandle !== undefined) return { kind: onHandle, id, handle: reader.handle() };
  switch (type) {
    case REQUEST.open:
      return { kind: "open", id, path: reader.path(), flags: reader.number() };
    case REQUEST.read:
      return {
        kind: "read",
        id,
        handle: reader.handle(),
        offset: reader.large(),
        bytesMax: reader.number(),
      };
    case REQUEST.write:
      return {
        kind: "write",
        id,
        handle: reader.handle(),
        offset: reader.large(),
        bytes: reader.bytes(),
      };
    case REQUEST.setstat:
      return { kind: "setstat", id, path: reader.path(), size: reader.sizeAttribute() };
    case REQUEST.fsetstat:
      return { kind: "fsetstat", id, handle: reader.handle(), size: reader.sizeAttribute() };
    case REQUEST.rename:
      return { kind: "rename", id, from: reader.path(), to: reader.path(), replaces: false };
    case REQUEST.extended:
      return parseExtended(id, reader);
    default:
      return { kind: "unknown", id };
  }
}

function parseExtended(id: number, reader: Reader): SftpRequest {
  switch (reader.path()) {
    case "posix-rename@openssh.com":
      return { kind: "rename", id, from: reader.path(), to: reader.path(), replaces: true };
    case "fsync@openssh.com":
      return { kind: "fsync", id, handle: reader.handle() };
    case "limits@openssh.com":
      return { kind: "limits", id };
    default:
      return { kind: "unknown", id };
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

class Reader {
  readonly #packet: Buffer;
  #at = 0;

  constructor(packet: Buffer) {
    this.#packet = packet;
  }

  byte(): number {
    return this.#take(1).readUInt8(0);
  }

  number(): number {
    return this.#take(4).readUInt32BE(0);
  }

  /** Beyond 2^53 numbers are not exact, but no file is so large. */
  large(): number {
    return Number(this.#take(8).readBigUInt64BE(0));
  }

  bytes(): Buffer {
    return this.#take(this.number());
  }

  path(): SentPath {
    const bytes = this.bytes();
    try {
      return utf8.decode(bytes);
    } catch {
      return undefined;
    }
  }

  handle(): string {
    const bytes = this.bytes();
    if (bytes.length > HANDLE_BYTES_MAX) throw new MalformedPacket("a handle that is not ours");
    return bytes.toString("latin1");
  }

  /** The size stands first among the attributes. */
  sizeAttribute(): number | undefined {
    const flags = this.number();
    return (flags & ATTRIBUTE.size) === 0 ? undefined : this.large();
  }

  #take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#packet.length) throw new MalformedPacket("a packet that ends too early");
    const taken = this.#packet.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
