import { type Decimal, decimalFromUnits, parseDecimal, unitsOf, ZERO } from "#kernel/decimal.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import {
  type BrokenBound,
  beginsAtZero,
  boundsOf,
  isOneMovement,
  ownBoundsOf,
} from "./movements/movement.rules.ts";
import type {
  Privilege,
  PrivilegePut,
  PrivilegeStatus,
  PrivilegeTerms,
} from "./privilege.schema.ts";

type Problems = Record<string, string[]>;

/** The terms that a caller sent; members that are missing have their defaults. */
export function termsOf(privilegeId: string, sent: PrivilegePut): PrivilegeTerms {
  return {
    name: sent.name ?? privilegeId,
    type: sent.type,
    minimum: decimalOf(sent.minimum) ?? ZERO,
    maximum: decimalOf(sent.maximum),
    unit: sent.unit ?? null,
    validFrom: momentOf(sent.validFrom),
    validUntil: momentOf(sent.validUntil),
    metadata: sent.metadata ?? {},
  };
}

export function decimalOf(sent: number | string | null | undefined): Decimal | null {
  return sent === null || sent === undefined ? null : (parseDecimal(sent) ?? null);
}

function momentOf(sent: string | null | undefined): Date | null {
  const milliseconds = typeof sent === "string" ? parseTimestamp(sent) : undefined;
  return milliseconds === undefined ? null : new Date(milliseconds);
}

const ZERO_MUST_FIT = "must allow 0, where a privilege without a value begins: or send a value";

/**
 * What is wrong with what a caller sent, by itself. `value` is undefined if the privilege has one and
 * keeps it.
 */
export function termsProblems(
  terms: PrivilegeTerms,
  value: Decimal | null | undefined,
): Problems | undefined {
  const problems: Problems = {};
  const { type, minimum, maximum, validFrom, validUntil } = terms;
  if (maximum !== null && unitsOf(maximum) < unitsOf(minimum)) {
    problems.maximum = ["must not be below minimum"];
  }
  if (validFrom !== null && validUntil !== null && validUntil <= validFrom) {
    problems.validUntil = ["must be after validFrom"];
  }
  if (value === null && beginsAtZero(type) && problems.maximum === undefined) {
    const broken = outOfBounds(terms, ZERO);
    if (broken === "insufficient-value") problems.minimum = [ZERO_MUST_FIT];
    if (broken === "value-exceeds-maximum") problems.maximum = [ZERO_MUST_FIT];
  }
  const bound = value === undefined || value === null ? undefined : outOfBounds(terms, value);
  if (bound === "insufficient-value") problems.value = ["must not be below minimum"];
  if (bound === "value-exceeds-maximum") problems.value = ["must not be above maximum"];
  if (type === "OneTime" && value !== undefined && !isForOneTime(value)) {
    problems.value = [NOT_ONCE];
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}

const NOT_ONCE = "must be null, 0 or 1 for a OneTime privilege";

function isForOneTime(value: Decimal | null): boolean {
  return value === null || value === "0" || value === "1";
}

const TOO_FAR =
  "must be nearer to the present value: a movement has at most 15 digits before the point";

/**
 * What is wrong with the change of a known privilege to terms and a value that are right by
 * themselves. A `OneTime` privilege may keep what it should not have, or its name could not be changed.
 */
export function changeProblems(
  known: Pick<Privilege, "type" | "value" | "total">,
  after: Pick<Privilege, "type" | "value">,
): Problems | undefined {
  const becomesOneTime = after.type === "OneTime" && known.type !== "OneTime";
  if (becomesOneTime && !isForOneTime(after.value)) return { value: [NOT_ONCE] };
  const step = correction(known, after);
  return step === undefined || isOneMovement(step) ? undefined : { value: [TOO_FAR] };
}

type Bounded = Pick<Privilege, "type" | "minimum" | "maximum">;

/** Which bound a value breaks. */
export function outOfBounds(terms: Bounded, value: Decimal): BrokenBound | undefined {
  return brokenBound(boundsOf(terms), value);
}

/** The same of a value that stays, which may be one that a `OneTime` privilege should not have. */
export function keptOutOfBounds(terms: Bounded, value: Decimal): BrokenBound | undefined {
  return brokenBound(ownBoundsOf(terms), value);
}

function brokenBound(
  { low, high }: ReturnType<typeof boundsOf>,
  value: Decimal,
): BrokenBound | undefined {
  const units = unitsOf(value);
  if (units < low) return "insufficient-value";
  return units > high ? "value-exceeds-maximum" : undefined;
}

/** `expired` follows from the clock, so a caller who sends it back changes nothing. */
export function statusAfter(
  { type, status }: PrivilegePut,
  known: PrivilegeStatus | undefined,
): PrivilegeStatus {
  if (status !== undefined && status !== "expired") return status;
  return known ?? (type === "Unlockable" ? "locked" : "available");
}

/**
 * The movement that leads from the sum of the ledger to a value; undefined if none is needed. A
 * privilege without a value that only records keeps its sum, whatever it is.
 */
export function correction(
  before: Pick<Privilege, "value" | "total">,
  after: Pick<Privilege, "type" | "value">,
): Decimal | undefined {
  const onlyRecords = after.value === null && before.value === null && !beginsAtZero(after.type);
  if (onlyRecords) return undefined;
  const step = unitsOf(after.value ?? ZERO) - unitsOf(before.total);
  return step === 0n ? undefined : decimalFromUnits(step);
}
