import { readFileSync } from "node:fs";

/**
 * Files that the process keeps open besides its connections: log, queue, signals, the event loop.
 */
const FILES_RESERVED = 40;
const CALLERS_MIN = 8;

/** Enough for every endpoint of a busy installation to keep its connections. */
const OUTBOUND_MAX = 1_024;
const OUTBOUND_MIN = 256;
const OUTBOUND_SHARE = 1 / 8;

/** The limit of outgoing connections, independent of incoming ones. */
export function outboundConnectionsMax(filesMax: number | undefined): number {
  if (filesMax === undefined) return OUTBOUND_MIN;
  const share = Math.floor(filesMax * OUTBOUND_SHARE);
  return Math.min(OUTBOUND_MAX, Math.max(OUTBOUND_MIN, share));
}

/**
 * The limit of incoming connections, so that enough files remain for our own; undefined for no
 * limit.
 */
export function callersMax(
  filesMax: number | undefined,
  ownConnectionsMax: number,
): number | undefined {
  if (filesMax === undefined) return undefined;
  return Math.max(CALLERS_MIN, filesMax - FILES_RESERVED - ownConnectionsMax);
}

/** The limit of open files; undefined if the system does not say or sets none. */
export function readFilesMax(): number | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
