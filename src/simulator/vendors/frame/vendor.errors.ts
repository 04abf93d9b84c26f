import { defineError } from "#kernel/errors.ts";

export const unknownThing = defineError<{ what: string; id: string }>({
  code: "simulator.vendor-thing-not-found",
  status: 404,
  title: "The simulated vendor has no such thing",
  detail: ({ what, id }) => `There is no ${what} '${id}'.`,
});

export const tooMany = defineError<{ what: string; max: number }>({
  code: "simulator.vendor-full",
  status: 409,
  title: "The simulated vendor is full",
  detail: ({ what, max }) => `There are ${max} of the kind '${what}'. Reset the vendor.`,
});

export const vendorRefused = defineError<{ reason: string }>({
  code: "simulator.vendor-refused",
  status: 409,
  title: "The simulated vendor refused",
  detail: ({ reason }) => reason,
});
