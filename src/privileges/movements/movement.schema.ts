import Type, { type Static } from "typebox";
import {
  type Decimal,
  decimalSent,
  decimalShown,
  showDecimal,
  showMaybeDecimal,
} from "#kernel/decimal.ts";
import { MomentSent } from "#src/passes/public.ts";
import { MetadataSent } from "../privilege.schema.ts";

const Moment = Type.String({ format: "date-time" });
const closed = { additionalProperties: false } as const;

export const MOVEMENT_TYPES = ["issuance", "redemption", "adjustment"] as const;
export type MovementType = (typeof MOVEMENT_TYPES)[number];

const MOVEMENT_ID = {
  pattern: "^[\\w-]{5,50}$",
  mustBe: "the id of a movement: 5 to 50 letters, digits, '_' or '-'",
};
export const MovementId = Type.String({ ...MOVEMENT_ID, examples: ["mv_0VfQm3Ks00x7Rk2LwPq9Zt"] });

const MovementTypeSchema = Type.Enum([...MOVEMENT_TYPES], {
  description:
    "An `issuance` adds, a `redemption` takes, an `adjustment` does either. Only redemptions need the privilege to be unlocked, unused and valid.",
});

const MaybeText = Type.Union([Type.String(), Type.Null()]);
const MaybeDecimal = Type.Union([decimalShown(), Type.Null()]);

const shown = {
  movementId: MovementId,
  privilegeId: Type.String(),
  type: MovementTypeSchema,
  value: decimalShown({ description: "Signed: negative for a redemption." }),
  valueBefore: MaybeDecimal,
  valueAfter: Type.Union([decimalShown(), Type.Null()], {
    description: "Null if the privilege has no value.",
  }),
  sequence: Type.Integer({
    minimum: 1,
    description: "Counts the movements of a privilege, without gaps.",
  }),
  createdAt: Moment,
  reason: MaybeText,
  reference: MaybeText,
  metadata: Type.Record(Type.String(), Type.Unknown()),
  occurredAt: Moment,
  reverses: Type.Union([Type.String(), Type.Null()], {
    description: "The movement that this one undoes.",
  }),
};

/** A line of the ledger, as the API shows it. */
export const MovementView = Type.Object(shown, { title: "Movement" });
export type MovementView = Static<typeof MovementView>;

/** Where movements of many passes stand side by side. */
export const MovementOfPassView = Type.Object(
  { passId: Type.String(), ...shown },
  { title: "MovementOfPass" },
);
export type MovementOfPassView = Static<typeof MovementOfPassView>;

/** The members of a movement, for events. */
export const movementMembers = shown;

const noted = {
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "Why, in words for people." }),
  ),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Your own number of it, such as a receipt. Only kept: see `Idempotency-Key`.",
    }),
  ),
  metadata: Type.Optional(MetadataSent),
};

export const MovementCreate = Type.Object(
  {
    value: Type.Optional(
      decimalSent({
        description:
          "Signed, not zero. Without `type`, a positive one is an issuance and a negative one a redemption.",
        examples: [-1],
      }),
    ),
    type: Type.Optional(MovementTypeSchema),
    amount: Type.Optional(
      decimalSent({
        description:
          "Instead of `value`, with `type`: above zero for an issuance or a redemption, either sign for an adjustment.",
        examples: [1],
      }),
    ),
    expectedValue: Type.Optional(
      decimalSent({
        description: "Refused with 409 and the current value if that is another one.",
        examples: [10],
      }),
    ),
    ...noted,
    occurredAt: Type.Optional(MomentSent),
  },
  { ...closed, title: "MovementCreate" },
);
export type MovementCreate = Static<typeof MovementCreate>;

export const ReversalCreate = Type.Object(noted, { ...closed, title: "ReversalCreate" });
export type ReversalCreate = Static<typeof ReversalCreate>;

export type Movement = {
  readonly id: string;
  readonly privilegeId: string;
  readonly sequence: number;
  readonly type: MovementType;
  readonly value: Decimal;
  readonly valueBefore: Decimal | null;
  readonly valueAfter: Decimal | null;
  readonly reason: string | null;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly reverses: string | null;
  readonly occurredAt: Date;
  readonly createdAt: Date;
};

export type MovementOfPass = Movement & { readonly passId: string };

export function presentMovement(movement: Movement): MovementView {
  const { id, privilegeId, sequence, type, reason, reference, metadata, reverses } = movement;
  return {
    movementId: id,
    privilegeId,
    type,
    value: showDecimal(movement.value),
    valueBefore: showMaybeDecimal(movement.valueBefore),
    valueAfter: showMaybeDecimal(movement.valueAfter),
    sequence,
    createdAt: movement.createdAt.toISOString(),
    reason,
    reference,
    metadata: { ...metadata },
    occurredAt: movement.occurredAt.toISOString(),
    reverses,
  };
}

export function presentMovementOfPass(movement: MovementOfPass): MovementOfPassView {
  return { passId: movement.passId, ...presentMovement(movement) };
}

export const MOVEMENT_EXAMPLE: MovementView = {
  movementId: "mv_0VfQm3Ks00x7Rk2LwPq9Zt",
  privilegeId: "coffee",
  type: "redemption",
  value: -1,
  valueBefore: 10,
  valueAfter: 9,
  sequence: 2,
  createdAt: "2026-01-31T09:30:00.000Z",
  reason: null,
  reference: "receipt-4711",
  metadata: {},
  occurredAt: "2026-01-31T09:30:00.000Z",
  reverses: null,
};
