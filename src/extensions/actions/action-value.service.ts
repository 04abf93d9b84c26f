import type { TenantTx } from "#kernel/db/transaction.ts";
import { type Decimal, decimalFromUnits, unitsOf, ZERO } from "#kernel/decimal.ts";
import { boundsOf, type MovementWish, moveValue, type Privilege } from "#src/privileges/public.ts";
import type { MovementAction, ReversalAction } from "../kit/action.ts";
import { DeliveryProblem } from "../kit/connector.ts";
import { takenBackBy } from "../kit/earning.ts";
import {
  findEffectForUpdate,
  insertEffect,
  type Reversible,
  updateMovement,
} from "./action-effect.repository.ts";
import { type ActionOutcome, NotYet } from "./outcome.ts";

/** Moves a value once for each key. */
export async function applyMovement(
  tx: TenantTx,
  connector: string,
  action: MovementAction,
  passId: string,
): Promise<ActionOutcome> {
  const { key, privilege: privilegeId, value, sale, reason, occurredAt } = action;
  const effect = { key, ofKey: null, passId, privilegeId, value, sale };
  if (!(await insertEffect(tx, connector, effect))) {
    return { do: "movement", outcome: "unchanged", note: `'${key}' was counted before.` };
  }
  const units = unitsOf(value);
  if (units === 0n) return { do: "movement", outcome: "done", passId, value };
  const type = units > 0n ? "issuance" : "redemption";
  const wish = { type, value, reason, reference: referenceOf(connector, key), occurredAt } as const;
  const moved = await moveValue(tx, passId, privilegeId, wish);
  if (moved.refused !== undefined) throw refusal(privilegeId, moved.refused);
  const movementId = moved.movement.id;
  updateMovement(tx, connector, key, movementId);
  return { do: "movement", outcome: "done", passId, movementId, value };
}

/** Takes back what a movement gave; what was spent since stays spent. */
export async function applyReversal(
  tx: TenantTx,
  connector: string,
  action: ReversalAction,
): Promise<ActionOutcome> {
  const { key, of, refunded, reason } = action;
  const original = await findEffectForUpdate(tx, connector, of);
  if (original === undefined) throw new NotYet(`'${of}' is not known yet.`);
  const { passId, privilegeId } = original;
  requireSameCurrency(original.currency, refunded?.currency);
  const value = takenBack(original, refunded);
  // All of it counts as taken back, also what was spent: later reversals must not take it from others.
  const sale = refunded && { money: refunded.money, currency: refunded.currency };
  const effect = { key, ofKey: of, passId, privilegeId, value, sale };
  if (!(await insertEffect(tx, connector, effect))) {
    return { do: "reversal", outcome: "unchanged", note: `'${key}' was counted before.` };
  }
  if (unitsOf(value) === 0n || passId === null || privilegeId === null) {
    return { do: "reversal", outcome: "done", value: ZERO, note: "There is nothing to take back." };
  }
  const wish = { reason, reference: referenceOf(connector, key) };
  const moved = await moveAsFarAsPossible(tx, passId, privilegeId, value, wish);
  if (moved === undefined) {
    return { do: "reversal", outcome: "done", passId, value: ZERO, note: "Nothing of it is left." };
  }
  updateMovement(tx, connector, key, moved.movementId);
  const isWhole = moved.value === value;
  const note = isWhole ? undefined : "A part of it was spent already.";
  return { do: "reversal", outcome: "done", passId, ...moved, note };
}

/** The opposite of what the movement gave, and never more than is left of it. */
function takenBack(original: Reversible, refunded: ReversalAction["refunded"]): Decimal {
  const { sale, refundedMoney } = original;
  const value = original.value ?? ZERO;
  const reversed = decimalFromUnits(-unitsOf(original.reversed));
  if (refunded === undefined) return decimalFromUnits(unitsOf(reversed) - unitsOf(value));
  const taken = takenBackBy({ value, reversed, sale, refundedMoney }, refunded);
  return decimalFromUnits(-unitsOf(taken));
}

/** An amount in another currency says nothing of what it takes back. */
export function requireSameCurrency(
  paid: string | null | undefined,
  refunded: string | undefined,
): void {
  if (paid === null || paid === undefined || refunded === undefined || paid === refunded) return;
  throw new DeliveryProblem(`The refund is in ${refunded}, but the payment was in ${paid}.`);
}

type Moved = { readonly movementId: string; readonly value: Decimal };

async function moveAsFarAsPossible(
  tx: TenantTx,
  passId: string,
  privilegeId: string,
  value: Decimal,
  more: Pick<MovementWish, "reason" | "reference">,
): Promise<Moved | undefined> {
  const move = (wanted: Decimal) =>
    moveValue(tx, passId, privilegeId, { type: "adjustment", value: wanted, ...more });
  let taken = value;
  let moved = await move(taken);
  if (moved.refused === "insufficient-value") {
    taken = restOf(moved.privilege);
    if (unitsOf(taken) >= 0n) return undefined;
    moved = await move(taken);
  }
  // The pass or its privilege was deleted: there is nobody to take it from.
  if (moved.refused === "not-found") return undefined;
  if (moved.refused !== undefined) throw refusal(privilegeId, moved.refused);
  return { movementId: moved.movement.id, value: taken };
}

/** Down to the lowest value that its type and its minimum allow, as a negative value. */
function restOf(privilege: Privilege): Decimal {
  return decimalFromUnits(boundsOf(privilege).low - unitsOf(privilege.value ?? ZERO));
}

function referenceOf(connector: string, key: string): string {
  return `${connector} ${key}`.slice(0, 200);
}

const REFUSALS: Readonly<Record<string, string>> = {
  "not-found": "the pass has no such privilege",
  "insufficient-value": "its value would fall below its minimum",
  "value-exceeds-maximum": "its value would rise above its maximum",
  indivisible: "it is there once, and no part of it can be moved",
};

function refusal(privilegeId: string, refused: string): DeliveryProblem {
  const why = REFUSALS[refused] ?? `it is ${refused.replaceAll("-", " ")}`;
  return new DeliveryProblem(`The privilege '${privilegeId}' cannot be moved: ${why}.`);
}
