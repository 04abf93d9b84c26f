import { hash } from "node:crypto";
import type { JourneyCall } from "./journey.ts";

type Call = Pick<JourneyCall, "action" | "key" | "wish">;

/** Whom a call is about, in one form for every order of the identifiers. */
export function journeyPerson({ wish: { identifiers, passId } }: Pick<Call, "wish">): string {
  const sorted = Object.entries(identifiers).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([passId ?? null, sorted]);
}

/** One and the same for a call that is repeated; nothing in it tells of the person. */
export function journeyKey({ action, key, wish }: Call): string {
  const text = JSON.stringify([action, key, journeyPerson({ wish })]);
  return `journey:${hash("sha256", text, "base64url")}`;
}
