import { parseTimestamp } from "#kernel/http/lists/list-values.ts";

/** Behind so many of the entries of one moment; entries of earlier moments follow. */
export type TimelinePlace = { readonly at: Date; readonly passed: number };

/** More than one transaction tells of a single pass. */
const PASSED_MAX = 5_000;

export function writeTimelineCursor({ at, passed }: TimelinePlace): string {
  return Buffer.from(`${at.toISOString()} ${passed}`).toString("base64url");
}

/** Undefined for a text that is not a cursor of a timeline. */
export function readTimelineCursor(cursor: string): TimelinePlace | undefined {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [, moment = "", count = ""] = /^(\S{24}) ([0-9]{1,4})$/.exec(text) ?? [];
  const at = parseTimestamp(moment);
  const passed = Number(count);
  if (at === undefined || passed > PASSED_MAX) return undefined;
  return { at: new Date(at), passed };
}
