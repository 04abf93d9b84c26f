import { defineError } from "#kernel/errors.ts";

type Named = { readonly privilegeId: string };
/** Numbers are given as `showDecimal` shows them. */
type Valued = Named & { readonly value: number | null; readonly bound: number };

export const privilegeNotFound = defineError({
  code: "privilege.not-found",
  status: 404,
  title: "Privilege not found",
  detail: ({ privilegeId }: Named) => `This pass has no privilege '${privilegeId}'.`,
});

export const privilegeExists = defineError({
  code: "privilege.exists",
  status: 409,
  title: "Privilege exists already",
  detail: ({ privilegeId }: Named) =>
    `This pass has a privilege '${privilegeId}' already. Change it by PUT, or its value by a movement.`,
});

export const PRIVILEGES_PER_PASS_MAX = 100;
export const tooManyPrivileges = defineError({
  code: "privilege.too-many",
  status: 409,
  title: "Too many privileges",
  detail: () => `A pass has at most ${PRIVILEGES_PER_PASS_MAX} privileges.`,
});

export const insufficientValue = defineError({
  code: "privilege.insufficient-value",
  status: 409,
  title: "The value is not sufficient",
  detail: ({ privilegeId }: Valued) =>
    `The value of '${privilegeId}' would fall below its minimum. Nothing was written.`,
  members: ({ value, bound }) => ({ currentValue: value, minimum: bound }),
});

export const valueExceedsMaximum = defineError({
  code: "privilege.value-exceeds-maximum",
  status: 409,
  title: "The value would exceed the maximum",
  detail: ({ privilegeId }: Valued) =>
    `The value of '${privilegeId}' would rise above its maximum. Nothing was written.`,
  members: ({ value, bound }) => ({ currentValue: value, maximum: bound }),
});

export const expectedValueDiffers = defineError({
  code: "privilege.expected-value-differs",
  status: 409,
  title: "The value is another one",
  detail: ({ privilegeId }: Named & { readonly value: number | null }) =>
    `The value of '${privilegeId}' is not the expected one. Nothing was written.`,
  members: ({ value }) => ({ currentValue: value }),
});

export const privilegeLocked = defineError({
  code: "privilege.locked",
  status: 409,
  title: "Privilege is locked",
  detail: ({ privilegeId }: Named) =>
    `'${privilegeId}' cannot be redeemed before an issuance, or status 'available', unlocks it.`,
});

export const alreadyRedeemed = defineError({
  code: "privilege.already-redeemed",
  status: 409,
  title: "Privilege was redeemed already",
  detail: ({ privilegeId }: Named) => `'${privilegeId}' was redeemed already.`,
});

export const notYetValid = defineError({
  code: "privilege.not-yet-valid",
  status: 409,
  title: "Privilege is not valid yet",
  detail: ({ privilegeId }: Named) => `'${privilegeId}' cannot be redeemed before its validFrom.`,
});

export const privilegeExpired = defineError({
  code: "privilege.expired",
  status: 409,
  title: "Privilege has expired",
  detail: ({ privilegeId }: Named) => `'${privilegeId}' cannot be redeemed after its validUntil.`,
});

type Moved = { readonly movementId: string };

export const movementNotFound = defineError({
  code: "movement.not-found",
  status: 404,
  title: "Movement not found",
  detail: ({ movementId }: Moved) => `This privilege has no movement '${movementId}'.`,
});

export const movementAlreadyReversed = defineError({
  code: "movement.already-reversed",
  status: 409,
  title: "Movement was reversed already",
  detail: ({ movementId, by }: Moved & { readonly by: string }) =>
    `Movement '${by}' has undone '${movementId}'.`,
  members: ({ by }) => ({ reversedBy: by }),
});

export const movementNotReversible = defineError({
  code: "movement.not-reversible",
  status: 409,
  title: "Movement cannot be reversed",
  detail: ({ movementId, why }: Moved & { readonly why?: string }) =>
    `'${movementId}' ${why ?? "undoes another movement, or belongs to a privilege that was deleted since"}.`,
});
