import { decimalFromUnits, showDecimal, showMaybeDecimal } from "#kernel/decimal.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { boundsOf, type Refusal, valueBefore, WIDEST } from "./movements/movement.rules.ts";
import {
  alreadyRedeemed,
  expectedValueDiffers,
  insufficientValue,
  notYetValid,
  privilegeExpired,
  privilegeLocked,
  valueExceedsMaximum,
} from "./privilege.errors.ts";
import type { Privilege } from "./privilege.schema.ts";

/** All that a movement may be refused with, for the description of the API. */
export const MOVEMENT_ERRORS = [
  insufficientValue,
  valueExceedsMaximum,
  expectedValueDiffers,
  privilegeLocked,
  alreadyRedeemed,
  notYetValid,
  privilegeExpired,
];

/** The answer to a movement that is refused. */
export function refusalProblem(refused: Refusal, privilege: Privilege): ProblemError {
  const { id: privilegeId } = privilege;
  const value = showMaybeDecimal(valueBefore(privilege));
  const { low, high } = value === null ? WIDEST : boundsOf(privilege);
  const bound = (units: bigint) => showDecimal(decimalFromUnits(units));
  switch (refused) {
    case "insufficient-value":
      return insufficientValue({ privilegeId, value, bound: bound(low) });
    case "value-exceeds-maximum":
      return valueExceedsMaximum({ privilegeId, value, bound: bound(high) });
    case "expected-value-differs":
      return expectedValueDiffers({ privilegeId, value });
    case "locked":
      return privilegeLocked({ privilegeId });
    case "already-redeemed":
      return alreadyRedeemed({ privilegeId });
    case "not-yet-valid":
      return notYetValid({ privilegeId });
    case "expired":
      return privilegeExpired({ privilegeId });
  }
}
