import { defineError, ProblemError, type ProblemKind } from "#kernel/errors.ts";

/** The same for an unknown tenant, connector or token, and for one that is switched off. */
export const inboxNotFound = defineError({
  code: "inbox.not-found",
  status: 404,
  title: "No such inbox",
  detail: () => "There is no inbox at this address.",
});

export const inboxDeliveryNotFound = defineError({
  code: "inbox.delivery-not-found",
  status: 404,
  title: "Delivery not found",
  detail: ({ deliveryId }: { deliveryId: string }) => `There is no delivery '${deliveryId}'.`,
});

export const inboxDeliveryErased = defineError({
  code: "inbox.delivery-erased",
  status: 409,
  title: "The delivery is erased",
  detail: () => "What the delivery contained was erased, so it cannot be worked on again.",
});

/** The usual statuses of the two; a vendor may need another one. */
export const inboxSignatureInvalid: ProblemKind = {
  code: "inbox.signature-invalid",
  status: 401,
  title: "Wrong signature",
};
export const inboxUnreadable: ProblemKind = {
  code: "inbox.unreadable",
  status: 400,
  title: "Not to be understood",
};
export const inboxFull: ProblemKind = {
  code: "inbox.full",
  status: 503,
  title: "The inbox is full",
};

export function refuseSignature(status: number, reason: string): ProblemError {
  const detail = "The delivery is not signed as it should be.";
  return new ProblemError({ ...inboxSignatureInvalid, status, detail }).because(reason);
}

export function refuseUnreadable(status: number, detail: string): ProblemError {
  return new ProblemError({ ...inboxUnreadable, status, detail });
}

/** Some vendors keep to the header; all others have times of their own. */
export function refuseFull(status: number): ProblemError {
  const detail = "Too many deliveries wait to be worked on. Send it again later.";
  return new ProblemError({ ...inboxFull, status, detail, headers: { "retry-after": "120" } });
}
