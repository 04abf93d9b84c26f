import { type RawEvent, TEST_EVENT_NAME } from "#src/events/public.ts";

/** The event as it is sent: for a test with an example, the example under its own name. */
export function sentOf(event: RawEvent): RawEvent {
  if (event.name !== TEST_EVENT_NAME) return event;
  const { sample } = JSON.parse(event.dataText) as {
    sample: { event: string; data: unknown } | null;
  };
  if (sample === null) return { ...event, isTest: true };
  const { event: name, data } = sample;
  return { ...event, name, dataText: JSON.stringify(data), isTest: true };
}
