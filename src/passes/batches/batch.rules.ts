import Type from "typebox";
import { type ProblemError, validationProblem } from "#kernel/errors.ts";
import { fieldErrors } from "#kernel/http/validation.ts";
import { NotificationSent, notificationErrors } from "../notifications/notification.schema.ts";
import { changeMembers, PASS_ID } from "../pass.schema.ts";
import { type PassTypes, unknownType } from "../pass.types.ts";
import { isChange, type PassWish } from "./batch.wish.ts";

/** What an API operation of its own would have to send. */
const Contents = Type.Object({
  ...changeMembers,
  passId: Type.Optional(Type.String(PASS_ID)),
  notification: Type.Optional(NotificationSent),
});

/** Why a wish cannot be fulfilled, whatever passes there are; undefined if it may be. */
export function wishProblem(types: PassTypes, wish: PassWish): ProblemError | undefined {
  const { action, passType, passId, notification } = wish;
  const { identifiers, additionalData, expirationDate, status } = wish;
  if (passType === undefined) {
    if (action === "upsert" && passId === undefined) {
      return validationProblem({ passType: ["is required"] });
    }
  } else if (types.find(passType) === undefined) {
    return validationProblem({ passType: [unknownType(types)] });
  }
  const contents = {
    identifiers,
    ...(passId === undefined ? {} : { passId }),
    ...(additionalData === undefined ? {} : { additionalData }),
    ...(expirationDate === undefined ? {} : { expirationDate }),
    ...(status === undefined ? {} : { status }),
    ...(notification === undefined ? {} : { notification }),
  };
  const misfits = fieldErrors(Contents, contents);
  if (misfits !== undefined) return validationProblem(misfits);
  if (action === "notify" || (notification !== undefined && isChange(wish))) {
    const errors = notificationErrors(notification ?? {});
    if (errors === undefined) return undefined;
    const named = Object.entries(errors).map(([field, why]) => [`notification.${field}`, why]);
    return validationProblem(Object.fromEntries(named));
  }
  return undefined;
}
