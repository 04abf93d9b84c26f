import type { EventDefinition } from "#kernel/events/define.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { compilePatterns } from "#src/events/public.ts";

export type EventSample = { readonly event: string; readonly data: unknown };

/** Stands where a name holds an id (`store.*.updated`). */
const ID_EXAMPLE = "example";

const cataloguesByRuntime = new WeakMap<Runtime, readonly EventDefinition[]>();

/** Called once at start: which events there are is known to those above alone. */
export function registerEventCatalogue(runtime: Runtime, events: readonly EventDefinition[]): void {
  cataloguesByRuntime.set(runtime, events);
}

export function knownEventNames(runtime: Runtime): readonly string[] {
  return (cataloguesByRuntime.get(runtime) ?? []).map(({ name }) => name);
}

/** The documented example of an event; undefined when there is no such event. */
export function findSample(runtime: Runtime, name: string): EventSample | undefined {
  const known = cataloguesByRuntime.get(runtime) ?? [];
  const definition = known.find((event) => compilePatterns([event.name])(name));
  if (definition === undefined) return undefined;
  const isExact = !definition.name.includes("*");
  const event = isExact ? definition.name : name.replaceAll(":", ".").replaceAll("*", ID_EXAMPLE);
  return { event, data: definition.example };
}
