import { copyFile, open, stat, truncate } from "node:fs/promises";
import { ignoreMissing } from "./embedded-owner.ts";

export const LOG_BYTES_MAX = 10 * 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;
const TAIL_BYTES_MAX = 2_000;

/**
 * Limits the size of the server's log, and keeps one older file of at most the same size. The
 * server appends to the file it was given, so it is enough to empty that file; lines written during
 * the copy may be lost.
 */
export async function capLog(path: string, bytesMax = LOG_BYTES_MAX): Promise<void> {
  const { size } = (await stat(path).catch(ignoreMissing)) ?? { size: 0 };
  if (size <= bytesMax) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

export function keepLogCapped(path: string, onError: (error: unknown) => void): NodeJS.Timeout {
  return setInterval(() => {
    capLog(path).catch(onError);
  }, CHECK_INTERVAL_MS).unref();
}

/** The last lines of the log written after `from`, for an error message. */
export async function readLogTail(path: string, from: number): Promise<string> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const start = Math.max(Math.min(from, size), size - TAIL_BYTES_MAX);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  return buffer.toString("utf8", 0, bytesRead).trim();
}
