import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { LINK_EXAMPLE, LinkView } from "./link.schema.ts";

function linkEvent(name: string, summary: string) {
  return defineEvent({ name, version: 1, summary, payload: LinkView, example: LINK_EXAMPLE });
}

export const linkCreated = linkEvent(
  "enrolment-link.created",
  "A link to an enrolment form was made.",
);
export const linkUpdated = linkEvent(
  "enrolment-link.updated",
  "A link to an enrolment form changed; visits are not told.",
);
export const linkDeleted = linkEvent(
  "enrolment-link.deleted",
  "A link to an enrolment form was deleted.",
);

export const linkEvents: readonly EventDefinition[] = [linkCreated, linkUpdated, linkDeleted];
