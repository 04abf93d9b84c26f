import { defineError } from "#kernel/errors.ts";

export const phoneNotFound = defineError<{ id: string }>({
  code: "simulator.phone-not-found",
  status: 404,
  title: "No such phone",
  detail: ({ id }) => `There is no virtual phone '${id}'.`,
});

export const heldPassNotFound = defineError<{ key: string }>({
  code: "simulator.pass-not-found",
  status: 404,
  title: "No such pass on this phone",
  detail: ({ key }) => `The phone holds no pass '${key}'.`,
});

export const pictureNotFound = defineError({
  code: "simulator.picture-not-found",
  status: 404,
  title: "No such picture",
  detail: () => "The pass has no such picture.",
});

export const accountsFull = defineError<{ max: number }>({
  code: "simulator.accounts-full",
  status: 409,
  title: "Too many accounts",
  detail: ({ max }) => `There are ${max} service accounts.`,
});

export const phonesFull = defineError<{ max: number }>({
  code: "simulator.phones-full",
  status: 409,
  title: "Too many phones",
  detail: ({ max }) => `There are ${max} virtual phones: delete one first.`,
});

/** What a phone would tell its owner. */
export const phoneRefused = defineError<{ reason: string }>({
  code: "simulator.phone-refused",
  status: 422,
  title: "The phone did not do it",
  detail: ({ reason }) => reason,
});

export const foreignPage = defineError({
  code: "simulator.foreign-page",
  status: 403,
  title: "From another site",
  detail: () => "Pages of other sites may not use the simulator.",
});
