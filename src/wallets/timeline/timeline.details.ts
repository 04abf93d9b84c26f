import { isDeepStrictEqual } from "node:util";
import type { EventAbout } from "#src/events/public.ts";
import type { TimelineEntry } from "./timeline.schema.ts";

type Members = Readonly<Record<string, unknown>>;

/** Members of events that say in a line what happened. */
const TOLD = [
  "wallet",
  "revision",
  "pushes",
  "privilegeId",
  "type",
  "value",
  "valueBefore",
  "valueAfter",
  "reverses",
  "decision",
  "reason",
  "location",
  "reference",
  "title",
  "content",
] as const;
const CHANGED_MAX = 50;
/** Members that differ with every change. */
const RESTLESS: ReadonlySet<string> = new Set(["version", "lastUpdateDate", "updatedAt"]);

export function presentEvent(event: EventAbout): TimelineEntry {
  const data = membersOf(event.data);
  const details = Object.fromEntries(
    TOLD.flatMap((name) => (isPlain(data[name]) ? [[name, data[name]]] : [])),
  );
  if (event.previous !== null) details.changed = namesOfChanged(membersOf(event.previous), data);
  return {
    at: event.at.toISOString(),
    kind: "event",
    name: event.name,
    eventId: event.id,
    requestId: event.requestId,
    reference: referenceOf(data),
    details,
  };
}

function referenceOf(data: Members): TimelineEntry["reference"] {
  const named = [
    ["movement", data.movementId],
    ["scan", data.scanId],
    ["privilege", data.privilegeId],
    ["device", data.device],
  ] as const;
  const found = named.find(([, id]) => typeof id === "string");
  return found === undefined ? null : { type: found[0], id: String(found[1]) };
}

const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};

const isPlain = (value: unknown): boolean =>
  value !== null && ["string", "number", "boolean"].includes(typeof value);

/** Names such as `additionalData.tier`, of what is not as it was. */
function namesOfChanged(before: Members, after: Members): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !RESTLESS.has(name) && !isDeepStrictEqual(before[name], after[name]))
    .flatMap((name) => {
      const [old, now] = [membersOf(before[name]), membersOf(after[name])];
      const inner = [...new Set([...Object.keys(old), ...Object.keys(now)])];
      if (inner.length === 0) return [name];
      return inner
        .filter((part) => !isDeepStrictEqual(old[part], now[part]))
        .map((part) => `${name}.${part}`);
    })
    .slice(0, CHANGED_MAX);
}
