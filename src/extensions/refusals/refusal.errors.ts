import { defineError } from "#kernel/errors.ts";

export const extensionTellsNothing = defineError({
  code: "extension.tells-nothing",
  status: 404,
  title: "No events",
  detail: ({ title }: { title: string }) => `${title} is told no events by this service.`,
});

export const refusedEventNotFound = defineError({
  code: "refused-event.not-found",
  status: 404,
  title: "Refused event not found",
  detail: ({ eventId }: { eventId: string }) => `No event '${eventId}' was set aside.`,
});
