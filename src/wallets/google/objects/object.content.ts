import type { Pass } from "#src/passes/public.ts";
import type { JsonObject } from "#src/templates/language/public.ts";
import type { GoogleState } from "../google.content.ts";
import type { GoogleType } from "../google.kinds.ts";

/** The state in which Google shows the pass. */
export function stateOf({ status, expiresAt }: Pass, now: Date): GoogleState {
  if (status === "disabled") return "INACTIVE";
  const isOver = expiresAt !== null && expiresAt <= now;
  return status === "expired" || isOver ? "EXPIRED" : "ACTIVE";
}

const NOTHING = "-";
const NOTHING_IN_ALL_LANGUAGES: JsonObject = {
  defaultValue: { language: "en", value: NOTHING },
  // Google merges what it is sent, so translations that are not named would stay.
  translatedValues: [],
};

/** Members without which Google refuses an object, as they are when nothing may be left of it. */
const BLANK: JsonObject = {
  cardNumber: NOTHING,
  passengerName: NOTHING,
  cardTitle: NOTHING_IN_ALL_LANGUAGES,
  header: NOTHING_IN_ALL_LANGUAGES,
};
/** Only flights require it; the other types have it without some of these members. */
const BLANK_OF_FLIGHT: JsonObject = {
  ...BLANK,
  reservationInfo: { confirmationCode: null, eticketNumber: null, frequentFlyerInfo: null },
};
const KEPT = new Set(["id", "classId", "state", "tripType"]);

/** Google has no deletion, so an erased pass is emptied there, with the messages that it got. */
export function erasureOf(type: GoogleType, members: readonly string[]): JsonObject {
  const blank = type === "flight" ? BLANK_OF_FLIGHT : BLANK;
  const emptied = members
    // With a member goes all that is in it.
    .filter((name) => !name.includes(".") && !KEPT.has(name))
    .map((name) => [name, blank[name] ?? null] as const);
  return { ...Object.fromEntries(emptied), messages: [], state: "INACTIVE" };
}
