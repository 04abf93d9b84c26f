import { defineError } from "#kernel/errors.ts";

/** Answers 503, not 409: no holder can be named, and the same request may succeed a moment later. */
export const identifiersBusy = defineError({
  code: "service.unavailable",
  status: 503,
  title: "Service temporarily unavailable",
  detail: () => "Other requests use the same identifiers at this moment. Try again shortly.",
  headers: () => ({ "retry-after": "1" }),
});
