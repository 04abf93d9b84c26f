import { writeSync } from "node:fs";

const FLUSH_MS = 100;
const FLUSH_CHARS = 8 * 1024;
/** Limit of bytes that wait for a slow reader; further lines are dropped and counted. */
const WAITING_BYTES_MAX = 1024 * 1024;
const LAST_WAIT_MS = 10;
const LAST_WAITS_MAX = 100;

export type LogOutput = {
  write(line: string): void;
  /** Writes what can be written; a reader that is gone or stuck does not block the process. */
  flushSync(): void;
};

/**
 * Writes log lines to standard output. A system call per line would cost as much as a small
 * request, so lines are collected for at most a tenth of a second. Pino's own output is not used:
 * it retries for ever and blocks the process when a terminal was closed or a disk is full.
 */
export function openLogOutput(fd: number): LogOutput {
  let fresh = "";
  let waiting = Buffer.alloc(0);
  let dropped = 0;
  let isBroken = false;
  let isPlanned = false;

  const later = () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      if (!flush()) later();
    }, FLUSH_MS).unref();
  };
  const gather = () => {
    if (waiting.length < WAITING_BYTES_MAX) {
      const note = dropped === 0 ? "" : droppedLine(dropped);
      waiting = Buffer.concat([waiting, Buffer.from(note + fresh)]);
      dropped = 0;
    } else {
      dropped += fresh.split("\n").length - 1;
    }
    fresh = "";
  };
  /** Returns false if the reader accepts no more at the moment. */
  const flush = (): boolean => {
    if (isBroken) return true;
    if (fresh !== "") gather();
    while (waiting.length > 0) {
      try {
        waiting = waiting.subarray(writeSync(fd, waiting));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
        isBroken = true;
        return true;
      }
    }
    return true;
  };
  return {
    write(line) {
      if (isBroken) return;
      fresh += line;
      if (fresh.length < FLUSH_CHARS || !flush()) later();
    },
    flushSync() {
      for (let count = 0; count < LAST_WAITS_MAX && !flush(); count += 1) pause(LAST_WAIT_MS);
    },
  };
}

function droppedLine(count: number): string {
  const line = { level: "warn", time: new Date().toISOString(), dropped: count };
  return `${JSON.stringify({ ...line, msg: "log lines were dropped: their reader is slow" })}\n`;
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
