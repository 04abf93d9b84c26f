import { quoteExcerpt } from "#kernel/excerpt.ts";
import type { SameContents } from "./file-contents.repository.ts";

/**
 * Why a file is not imported whose contents were imported before; undefined if it is imported again.
 * Rows that failed may succeed by now, and those that are done change nothing; but a message would be
 * sent twice.
 */
export function whySuperfluous(earlier: SameContents): string | undefined {
  const { name, failed, finishedAt, hasTold } = earlier;
  const day = finishedAt.toISOString().slice(0, 10);
  const same = `This file has the same contents as ${quoteExcerpt(name)} of ${day}`;
  if (failed === 0) return `${same}, which was imported. Nothing was done.`;
  if (!hasTold) return undefined;
  const rows = failed === 1 ? "the row" : `the ${failed} rows`;
  return `${same}, which sent messages. Nothing was done, so that nobody gets them twice. Send ${rows} that failed as a file of their own.`;
}
