import type { JsonObject } from "#src/templates/language/public.ts";
import { defined } from "../../json.values.ts";
import type { GoogleMessage } from "./message.repository.ts";

/** The members whose changes Google tells the holder of, as far as they are known. */
const ANNOUNCED = [
  "loyaltyPoints",
  "secondaryLoyaltyPoints",
  "rewardsTier",
  "seatInfo",
  "boardingAndSeatingInfo",
  "ticketLeg",
  "ticketLegs",
];

/** True if a change of this content may notify the holder. */
export function hasAnnounced(content: JsonObject): boolean {
  return ANNOUNCED.some((name) => Object.hasOwn(content, name));
}

/** `TEXT` only shows on the pass, `TEXT_AND_NOTIFY` also on the lock screen. */
export type MessageType = "TEXT" | "TEXT_AND_NOTIFY";

/** `defaultLocale` is the language that holders of other languages see. */
export function messageContent(
  { id, title, content, localizedContent }: GoogleMessage,
  defaultLocale: string,
  heading: string,
  messageType: MessageType,
): JsonObject {
  const [first] = Object.keys(localizedContent);
  const language = defaultLocale in localizedContent ? defaultLocale : (first ?? defaultLocale);
  const body = content ?? localizedContent[language] ?? "";
  const translatedValues = Object.entries(localizedContent)
    .filter(([name]) => name !== language)
    .map(([name, value]) => ({ language: name, value }));
  return defined({
    id,
    header: title ?? heading,
    body,
    localizedBody:
      translatedValues.length === 0
        ? undefined
        : { defaultValue: { language, value: body }, translatedValues },
    messageType,
  });
}
