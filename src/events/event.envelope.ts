import type { Environment } from "#kernel/environment.ts";

/** An event as the database gives it: what happened stays text, nobody on the way needs its meaning. */
export type RawEvent = {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly occurredAt: Date;
  /** JSON, as PostgreSQL writes it. */
  readonly dataText: string;
  readonly previousText: string | null;
  /** Nothing happened: somebody tries out a webhook with an example. */
  readonly isTest?: boolean;
};

/** The event of somebody who tries out a webhook. */
export const TEST_EVENT_NAME = "webhook.test";

/**
 * The one body of an event, for whoever hears of it: `{id, event, tenantId, occurredAt, environment,
 * test?, data, previous?}`. Data is put in as it is: parsed and written anew, numbers would lose the digits
 * that JavaScript cannot hold.
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
