import type { EventDefinition } from "#kernel/events/define.ts";
import { definePort } from "#kernel/port.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { compilePatterns } from "#src/events/public.ts";

export type EventSample = { readonly event: string; readonly data: unknown };

/** Used in place of an id in a name such as `store.*.updated`. */
const ID_EXAMPLE = "example";

/** Every event of the product. */
export const eventCatalogue = definePort<EventDefinition>("event of the catalogue");

type WithPorts = Pick<Runtime, "ports">;

export function knownEventNames({ ports }: WithPorts): readonly string[] {
  return ports.all(eventCatalogue).map(({ name }) => name);
}

/** The documented example of an event; undefined if there is no such event. */
export function findSample({ ports }: WithPorts, name: string): EventSample | undefined {
  const known = ports.all(eventCatalogue);
  const definition = known.find((event) => compilePatterns([event.name])(name));
  if (definition === undefined) return undefined;
  const isExact = !definition.name.includes("*");
  const event = isExact ? definition.name : name.replaceAll(":", ".").replaceAll("*", ID_EXAMPLE);
  return { event, data: definition.example };
}
