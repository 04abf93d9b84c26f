import { hash } from "node:crypto";
import type { PretixSettings } from "./pretix.config.ts";

/** Whose ids are whose: each pretix counts from 1. Rules only. */

/** Leaves room for an id behind it wherever it is stored. */
const ACCOUNT_CHARS_MAX = 150;

/** The organizer at its address, such as `pretix.eu/harbour`. */
export function accountOf({
  baseUrl,
  organizer,
}: Pick<PretixSettings, "baseUrl" | "organizer">): string {
  const { host, pathname } = new URL(baseUrl);
  const account = `${host}${pathname.replace(/\/+$/, "")}/${organizer}`;
  return account.length <= ACCOUNT_CHARS_MAX ? account : hash("sha256", account, "base64url");
}

/** An id that no other pretix and no other organizer has: `pretix.eu/harbour/17`. */
export function ownId(settings: PretixSettings, id: string): string {
  return `${accountOf(settings)}/${id}`;
}
