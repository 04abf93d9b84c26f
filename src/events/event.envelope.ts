import type { Environment } from "#kernel/environment.ts";

/** An event as read from the database. Its data stays text, because nobody needs to parse it. */
export type RawEvent = {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly occurredAt: Date;
  /** JSON as PostgreSQL writes it. */
  readonly dataText: string;
  readonly previousText: string | null;
  /** True for an example that is sent to test a webhook. */
  readonly isTest?: boolean;
};

/** The name of the event that tests a webhook. */
export const TEST_EVENT_NAME = "webhook.test";

/**
 * The JSON of an event, the same for webhooks, the feed and streams: `{id, event, tenantId,
 * occurredAt, environment, test?, data, previous?}`. The text of `data` is inserted unchanged:
 * parsing and writing it would lose digits of numbers that JavaScript cannot represent.
 */
export function writeEnvelope(event: RawEvent, environment: Environment): string {
  const head = JSON.stringify({
    id: event.id,
    event: event.name,
    tenantId: event.tenantId,
    occurredAt: event.occurredAt.toISOString(),
    environment,
  });
  const isTest = event.isTest === true || event.name === TEST_EVENT_NAME;
  const test = isTest ? ',"test":true' : "";
  const previous = event.previousText === null ? "" : `,"previous":${event.previousText}`;
  return `${head.slice(0, -1)}${test},"data":${event.dataText}${previous}}`;
}
