import { JOURNEY_ACTIONS, type JourneyAction, type JourneyTags } from "./journey.ts";

/** A body to copy into a step at the vendor. */
export function journeyBody(action: JourneyAction, tags: JourneyTags, passType: string): string {
  const { key, identifier, firstName, points } = tags;
  const members = [
    `"idempotencyKey": "${key}"`,
    `"identifiers": { "${identifier.name}": "${identifier.tag}" }`,
    ...(action === "createPass" ? [`"passType": "${passType}"`] : []),
    ...(action === "notifyPass"
      ? ['"notification": { "text": "There is something new for you." }']
      : [`"additionalData": {\n    "firstName": "${firstName}",\n    "points": "${points}"\n  }`]),
  ];
  return `{\n  ${members.join(",\n  ")}\n}`;
}

/** The bodies of all actions; null where the vendor sends a form of its own. */
export function journeyBodies(
  tags: JourneyTags | undefined,
  passType: string,
): { readonly action: JourneyAction; readonly body: string | null }[] {
  return JOURNEY_ACTIONS.map((action) => ({
    action,
    body: tags === undefined ? null : journeyBody(action, tags, passType),
  }));
}
