import type { TenantContext } from "#kernel/context.ts";
import { type Decimal, decimalFromUnits, unitsOf } from "#kernel/decimal.ts";
import { findPrivilege, findPrivilegeOfEach } from "../privilege.repository.ts";
import type { Privilege } from "../privilege.schema.ts";
import { judge, type Refusal } from "./movement.rules.ts";
import { judgedAt, type MovementOutcome, type MovementWish } from "./movement.service.ts";

/** Why `moveValue` would refuse now; undefined if it would not. Moves nothing and tells nobody. */
export async function foreseeRefusal(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  wish: MovementWish,
): Promise<MovementOutcome["refused"]> {
  const privilege = await findPrivilege(context, passId, privilegeId);
  if (privilege === undefined) return "not-found";
  return judge(privilege, { ...wish, at: judgedAt(wish, context.clock.now()) }).refused;
}

/** What a redemption would meet, as far as it does not depend on the time of the redemption. */
export type RedemptionForesight = {
  /** Why it is refused within the validity of the privilege; undefined if it is not. */
  readonly refused: Refusal | undefined;
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
};

/** By pass, for those that have the privilege. Moves nothing and tells nobody. */
export async function foreseeRedemptions(
  context: TenantContext,
  { privilegeId, amount }: { readonly privilegeId: string; readonly amount: Decimal },
  passIds: readonly string[],
): Promise<ReadonlyMap<string, RedemptionForesight>> {
  const found = await findPrivilegeOfEach(context, privilegeId, passIds);
  const value = decimalFromUnits(-unitsOf(amount));
  const now = context.clock.now();
  return new Map([...found].map(([passId, known]) => [passId, foresee(known, value, now)]));
}

/** A privilege that is not valid yet is judged as of the time when it will be. */
function foresee(privilege: Privilege, value: Decimal, now: Date): RedemptionForesight {
  const { validFrom, validUntil } = privilege;
  const at = validFrom !== null && validFrom > now ? validFrom : now;
  const { refused } = judge(privilege, { type: "redemption", value, at });
  // As a scan says it: of what has no parts there is never enough for a part.
  const reported = refused === "indivisible" ? "insufficient-value" : refused;
  return { refused: reported, validFrom, validUntil };
}
