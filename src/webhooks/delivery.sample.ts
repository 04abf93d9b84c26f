import type { RawEvent } from "#src/events/public.ts";

/** What a test sends: the example that its event carries, under the name it is an example of. */
export function sampleOr(event: RawEvent, sampleOf: string | null): RawEvent {
  if (sampleOf === null) return event;
  const { sample } = JSON.parse(event.dataText) as { sample: { data: unknown } | null };
  return { ...event, name: sampleOf, dataText: JSON.stringify(sample?.data ?? {}) };
}
