import { type RawEvent, TEST_EVENT_NAME } from "#src/events/public.ts";

/** What is sent of an event: of a test with an example, that example under its own name. */
export function sentOf(event: RawEvent): RawEvent {
  if (event.name !== TEST_EVENT_NAME) return event;
  const { sample } = JSON.parse(event.dataText) as {
    sample: { event: string; data: unknown } | null;
  };
  if (sample === null) return { ...event, isTest: true };
  const { event: name, data } = sample;
  return { ...event, name, dataText: JSON.stringify(data), isTest: true };
}
