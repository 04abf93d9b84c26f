import {
  DECIMAL_MAX,
  type Decimal,
  decimalFromUnits,
  parseDecimal,
  unitsOf,
  ZERO,
} from "#kernel/decimal.ts";
import type { Privilege, PrivilegeStatus, PrivilegeType } from "../privilege.schema.ts";
import type { MovementType } from "./movement.schema.ts";

/** The bound that a value breaks. */
export type BrokenBound = "insufficient-value" | "value-exceeds-maximum";

/** Why a movement is refused, in the words of the API. */
export type Refusal =
  | "locked"
  | "already-redeemed"
  | "not-yet-valid"
  | "expired"
  | BrokenBound
  | "expected-value-differs";

/**
 * `indivisible`: a part of a `OneTime` privilege. It has no word in the API, because only another
 * request can succeed: each entry point reports it in its own way.
 */
export type MovementRefusal = Refusal | "indivisible";

export type Entry = {
  readonly type: MovementType;
  /** Signed, as the ledger stores it. */
  readonly value: Decimal;
  readonly expectedValue?: Decimal | undefined;
  /** For an undo: the status that the rest of the ledger gives. */
  readonly statusWithout?: PrivilegeStatus | undefined;
  /** When it happened, for the validity of the privilege. */
  readonly at: Date;
};

export type Verdict =
  | { readonly refused: MovementRefusal }
  | {
      readonly refused?: undefined;
      readonly valueBefore: Decimal | null;
      readonly valueAfter: Decimal | null;
      readonly status: PrivilegeStatus;
    };

/**
 * Whether a privilege of this type without a value begins to count at 0 with its first movement.
 * Other types without a value only record.
 */
export function beginsAtZero(type: PrivilegeType): boolean {
  return type === "MultiUse" || type === "Unlockable";
}

/** The value that the next movement starts from; null if it is only recorded. */
export function valueBefore({ type, value }: Pick<Privilege, "type" | "value">): Decimal | null {
  return value ?? (beginsAtZero(type) ? ZERO : null);
}

type Bounded = Pick<Privilege, "type" | "minimum" | "maximum">;

type Bounds = { readonly low: bigint; readonly high: bigint };
/** Those of a decimal, in units. */
export const WIDEST: Bounds = { low: -unitsOf(DECIMAL_MAX), high: unitsOf(DECIMAL_MAX) };

/** What a `OneTime` privilege has before it is redeemed, in units. */
const ONCE = unitsOf("1");

/** The bounds that count, in units: those of a decimal for a type without bounds. */
export function boundsOf(terms: Bounded): Bounds {
  const own = ownBoundsOf(terms);
  if (terms.type !== "OneTime") return own;
  const [isLower, isHigher] = [own.low < 0n, own.high > ONCE];
  return { low: isLower ? 0n : own.low, high: isHigher ? ONCE : own.high };
}

/** Without those that the type `OneTime` has by itself: values of former releases may break these. */
export function ownBoundsOf({ type, minimum, maximum }: Bounded): Bounds {
  if (type === "Unlimited") return WIDEST;
  return { low: unitsOf(minimum), high: maximum === null ? WIDEST.high : unitsOf(maximum) };
}

/** Whether a ledger may have a movement of this size: the difference of two decimals may be larger. */
export function isOneMovement(step: Decimal): boolean {
  return parseDecimal(step) !== undefined;
}

/** What becomes of a privilege by a movement, or why the movement is refused. */
export function judge(privilege: Privilege, entry: Entry): Verdict {
  const state = entry.type === "redemption" ? stateRefusal(privilege, entry.at) : undefined;
  if (state !== undefined) return { refused: state };
  const before = valueBefore(privilege);
  if (entry.expectedValue !== undefined && entry.expectedValue !== before) {
    return { refused: "expected-value-differs" };
  }
  const status = statusAfter(privilege, entry);
  const step = unitsOf(entry.value);
  const after = unitsOf(before ?? privilege.total) + step;
  // Where only uses are recorded, their sum has a bound all the same: one movement must be able to end it.
  const { low, high } = before === null ? WIDEST : boundsOf(privilege);
  // A value that is out of bounds, because a template or a former release gave it, may come nearer.
  if (step < 0n && after < low) return { refused: "insufficient-value" };
  if (step > 0n && after > high) return { refused: "value-exceeds-maximum" };
  // Nobody could redeem what would be left, and it would show as a value that the type does not have.
  if (privilege.type === "OneTime" && before !== null && after % ONCE !== 0n) {
    return { refused: "indivisible" };
  }
  const valueAfter = before === null ? null : decimalFromUnits(after);
  return { valueBefore: before, valueAfter, status };
}

function stateRefusal({ status, validFrom, validUntil }: Privilege, at: Date): Refusal | undefined {
  if (status === "used") return "already-redeemed";
  if (status === "locked") return "locked";
  if (validFrom !== null && at < validFrom) return "not-yet-valid";
  if (validUntil !== null && at >= validUntil) return "expired";
  return undefined;
}

/** An issuance unlocks, and makes a privilege that was used redeemable again. */
function statusAfter({ type, status }: Privilege, entry: Entry): PrivilegeStatus {
  if (entry.type === "redemption") return type === "OneTime" ? "used" : status;
  if (entry.type === "issuance") return "available";
  return entry.statusWithout ?? status;
}

/** The types of movement that decide on the status of a privilege. */
export function decisiveTypes({ type }: Pick<Privilege, "type">): readonly MovementType[] {
  return type === "OneTime" ? ["issuance", "redemption"] : ["issuance"];
}
