import type { TenantContext } from "#kernel/context.ts";
import { parseExactJson } from "#kernel/exact-number.ts";
import { isObject } from "#kernel/json.ts";
import type { PlacedEvent } from "#src/events/public.ts";
import { findPasses, type Pass } from "#src/passes/public.ts";
import type { Connection } from "../kit/connector.ts";
import type { Outbound, OutboundCommand, OutboundEvent } from "../kit/outbound.ts";

export type NamedCommand = OutboundCommand & { readonly name: string };

export type ToldEvents = {
  readonly events: readonly OutboundEvent[];
  /** Those that the events are about, by their ids. */
  readonly passes: ReadonlyMap<string, Pass>;
};

type StoredEvent = Pick<PlacedEvent, "id" | "name" | "occurredAt" | "dataText">;

/** Events as connectors see them. What happened before the feed began, and what was erased, is left out. */
export async function readEvents(
  context: TenantContext,
  startedAt: Date,
  stored: readonly StoredEvent[],
): Promise<ToldEvents> {
  const readable = stored.flatMap((event) => readEvent(startedAt, event) ?? []);
  const ids = new Set(readable.flatMap(({ data }) => passIdOf(data) ?? []));
  // As they are now: an event may name its pass only, and identifiers change.
  const found = ids.size === 0 ? [] : await findPasses(context, [...ids]);
  const passes = new Map(found.map((pass) => [pass.id, pass]));
  const events = readable.map((event) => {
    const { identifiers = {} } = passes.get(passIdOf(event.data) ?? "") ?? {};
    return { ...event, identifiers };
  });
  return { events, passes };
}

export function passIdOf(data: OutboundEvent["data"]): string | undefined {
  const id = data.passId ?? data.id;
  return typeof id === "string" ? id : undefined;
}

function readEvent(
  startedAt: Date,
  { id, name, occurredAt, dataText }: StoredEvent,
): Omit<OutboundEvent, "identifiers"> | undefined {
  const data = parseExactJson(dataText);
  if (occurredAt < startedAt || !isObject(data) || data.erased === true) return undefined;
  return { id, name, occurredAt, data };
}

/** What the vendor is told of these events; nothing of some. */
export function commandsOf(
  outbound: Outbound<Connection>,
  events: readonly OutboundEvent[],
): NamedCommand[] {
  return events.flatMap((event) => {
    const command = outbound.command(event);
    return command === undefined ? [] : [{ eventId: event.id, name: event.name, command }];
  });
}
