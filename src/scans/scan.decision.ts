import type { Pass } from "#src/passes/public.ts";
import type { MovementRefusal } from "#src/privileges/public.ts";
import type { Reason } from "./scan.schema.ts";

type RedemptionRefusal = MovementRefusal | "not-found";

/**
 * Why a pass is not accepted at that time; null if it is. A pass that ended after the time of an
 * offline scan was still valid then. `passTypes` are those that the device accepts, if not all.
 */
export function reasonAgainst(
  pass: Pass | undefined,
  at: Date,
  passTypes: readonly string[] | undefined,
): Reason | null {
  if (pass === undefined) return "unknown-code";
  const status = statusAt(pass, at);
  if (status !== "active") return status;
  return passTypes === undefined || passTypes.includes(pass.passType) ? null : "wrong-pass-type";
}

/** The status by the clock: a pass is over at its time, not when a job notices it. */
export function statusAt({ status, expiresAt }: Pass, at: Date): Pass["status"] {
  if (status === "disabled") return status;
  if (expiresAt === null) return status;
  return expiresAt <= at ? "expired" : "active";
}

const REFUSALS: Readonly<Record<RedemptionRefusal, Reason>> = {
  "not-found": "unknown-privilege",
  locked: "locked-privilege",
  "already-redeemed": "already-redeemed",
  "not-yet-valid": "not-yet-valid",
  expired: "expired",
  "insufficient-value": "insufficient-value",
  // Of what has no parts there is never enough for a part.
  indivisible: "insufficient-value",
  // Not of redemptions, and only for callers who expect a value.
  "value-exceeds-maximum": "insufficient-value",
  "expected-value-differs": "insufficient-value",
};

export function reasonOf(refusal: RedemptionRefusal): Reason {
  return REFUSALS[refusal];
}
