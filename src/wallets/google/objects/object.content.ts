import type { Pass } from "#src/passes/public.ts";
import type { JsonObject } from "#src/templates/language/public.ts";
import { isWithin } from "../api/api.content.ts";
import type { GoogleState } from "../google.content.ts";
import type { GoogleType } from "../google.kinds.ts";
import { knownPaths, resourceType } from "../resources/resource.members.ts";

/** The state in which Google shows the pass. */
export function stateOf({ status, expiresAt }: Pass, now: Date): GoogleState {
  if (status === "disabled") return "INACTIVE";
  const isOver = expiresAt !== null && expiresAt <= now;
  return status === "expired" || isOver ? "EXPIRED" : "ACTIVE";
}

const NOTHING = "-";
const NOTHING_IN_ALL_LANGUAGES: JsonObject = {
  defaultValue: { language: "en", value: NOTHING },
  // Where Google merges what it is sent, translations that are not named would stay.
  translatedValues: [],
};
const NO_RESERVATION: JsonObject = { confirmationCode: NOTHING };
const EMPTIED_RESERVATION: JsonObject = { eticketNumber: null, frequentFlyerInfo: null };

/** Members without which Google refuses an object of a type, as they are when nothing may be left of it. */
const BLANK: Readonly<Record<GoogleType, JsonObject>> = {
  generic: { cardTitle: NOTHING_IN_ALL_LANGUAGES, header: NOTHING_IN_ALL_LANGUAGES },
  offer: {},
  loyalty: {},
  giftCard: { cardNumber: NOTHING },
  eventTicket: {},
  flight: { passengerName: NOTHING, reservationInfo: NO_RESERVATION },
  transit: { tripType: "ONE_WAY" },
};

/** Takes the place of all messages where an empty list is read as one that was not sent. */
export const BLANK_MESSAGE: JsonObject = {
  id: "empty",
  header: NOTHING,
  body: NOTHING,
  messageType: "TEXT",
};

type Known = { readonly objectId: string; readonly classId: string; readonly type: GoogleType };

/** Google has no deletion, so an erased pass is replaced by one that says nothing. */
export function blankOf({ objectId, classId, type }: Known): JsonObject {
  return { ...BLANK[type], id: objectId, classId, state: "INACTIVE", messages: [] };
}

const KEPT = new Set(["id", "classId", "state", "tripType"]);

/** The same as a change of single members, for an object that Google does not let be replaced. */
export function erasureOf(type: GoogleType, members: readonly string[]): JsonObject {
  // A member that Google does not know is refused also where it is taken away.
  const emptied = knownPaths(resourceType(`${type}Object`), members)
    // With a member goes all that is in it.
    .filter((name) => !name.includes(".") && !KEPT.has(name))
    .map((name) => [name, null] as const);
  const change = { ...Object.fromEntries(emptied), ...BLANK[type] };
  const { reservationInfo } = BLANK[type];
  // Google requires it of flights, so its members are emptied and not the whole.
  const merged =
    reservationInfo === undefined
      ? {}
      : { reservationInfo: { ...EMPTIED_RESERVATION, ...NO_RESERVATION } };
  return { ...change, ...merged, messages: [], state: "INACTIVE" };
}

/** What Google sets itself, copies from the class, or fills in; nothing of it speaks of a holder. */
const OF_GOOGLE = new Set([
  ...KEPT,
  ...["kind", "version", "classReference", "hasUsers", "hasLinkedDevice", "notifyPreference"],
  ...["genericType", "hexBackgroundColor"],
]);

/** The names of members in Google's answer that still hold something of an erased pass. */
export function remainsOf(answer: JsonObject, type: GoogleType): string[] {
  const blank: JsonObject = { ...BLANK[type], messages: [BLANK_MESSAGE] };
  return Object.entries(answer)
    .filter(([name, value]) => !OF_GOOGLE.has(name) && !isWithin(value, blank[name]))
    .map(([name]) => name);
}
