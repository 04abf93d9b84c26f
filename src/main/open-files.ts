import { readFileSync } from "node:fs";

/** What the process holds open beside its connections: log, queue, signals, the loop itself. */
const FILES_RESERVED = 40;
const CALLERS_MIN = 8;

/** Enough for every endpoint of a busy installation to keep its connections. */
const OUTBOUND_MAX = 1_024;
const OUTBOUND_MIN = 256;
const OUTBOUND_SHARE = 1 / 8;

/** So many connections may lead out at once, whatever leads in. */
export function outboundConnectionsMax(filesMax: number | undefined): number {
  if (filesMax === undefined) return OUTBOUND_MIN;
  const share = Math.floor(filesMax * OUTBOUND_SHARE);
  return Math.min(OUTBOUND_MAX, Math.max(OUTBOUND_MIN, share));
}

/** Callers beyond these would use up what connections of our own need; undefined for no limit. */
export function callersMax(
  filesMax: number | undefined,
  ownConnectionsMax: number,
): number | undefined {
  if (filesMax === undefined) return undefined;
  return Math.max(CALLERS_MIN, filesMax - FILES_RESERVED - ownConnectionsMax);
}

/** Undefined where the system does not say, or sets no limit. */
export function readFilesMax(): number | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
