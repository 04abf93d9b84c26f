import { defineError } from "#kernel/errors.ts";

/** The work goes on; whoever asks again with the same key gets its result. */
export const journeyTooSlow = defineError({
  code: "journey.too-slow",
  status: 503,
  title: "Not done in time",
  detail: () => "It takes longer than the vendor waits. Send the same call again.",
  headers: () => ({ "retry-after": "1" }),
});

export const journeyNotOffered = defineError({
  code: "journey.not-offered",
  status: 404,
  title: "No journeys",
  detail: ({ title }: { title: string }) => `${title} has no journeys that call this service.`,
});
