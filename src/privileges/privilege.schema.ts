import Type, { type Static } from "typebox";
import {
  type Decimal,
  decimalSent,
  decimalShown,
  showDecimal,
  showMaybeDecimal,
} from "#kernel/decimal.ts";
import { MomentSent } from "#src/passes/public.ts";
import { PRIVILEGE_ID } from "#src/templates/public.ts";

const Moment = Type.String({ format: "date-time" });
const MaybeMoment = Type.Union([Moment, Type.Null()]);
const closed = { additionalProperties: false } as const;

const ID_EXAMPLE = "coffee";
const PrivilegeId = Type.String({ ...PRIVILEGE_ID, examples: [ID_EXAMPLE] });
export const PrivilegeParams = Type.Object({ privilegeId: PrivilegeId });

export const PRIVILEGE_TYPES = ["OneTime", "Unlimited", "MultiUse", "Unlockable"] as const;
export type PrivilegeType = (typeof PRIVILEGE_TYPES)[number];
export const PRIVILEGE_STATES = ["locked", "available", "used", "expired"] as const;
export type PrivilegeStatus = (typeof PRIVILEGE_STATES)[number];

const PrivilegeTypeSchema = Type.Enum([...PRIVILEGE_TYPES], {
  description:
    "`MultiUse` counts within its bounds; without a value it begins at 0. `OneTime` is redeemed once and is `used` then. `Unlimited` only records: its bounds do not count. `Unlockable` is `MultiUse` that cannot be redeemed until an issuance, or `status: available`, unlocks it.",
});

const value = {
  description:
    "An exact decimal: at most 15 digits before the point and 4 after it. The sum of its movements; null for a privilege that has no value, and whose uses are only recorded.",
  examples: [10],
};

export const PrivilegeView = Type.Object(
  {
    privilegeId: PrivilegeId,
    name: Type.String(),
    type: PrivilegeTypeSchema,
    value: Type.Union([decimalShown(), Type.Null()], value),
    minimum: decimalShown({ description: "The value never falls below." }),
    maximum: Type.Union([decimalShown(), Type.Null()], {
      description: "The value never rises above; null for no bound.",
    }),
    unit: Type.Union([Type.String(), Type.Null()]),
    status: Type.Enum([...PRIVILEGE_STATES], {
      description: "`expired` follows from `validUntil`, unless it was used before.",
    }),
    validFrom: MaybeMoment,
    validUntil: MaybeMoment,
    metadata: Type.Record(Type.String(), Type.Unknown()),
    createdAt: Moment,
    updatedAt: Moment,
    version: Type.Integer({ minimum: 1, description: "Rises with every change and movement." }),
  },
  { title: "Privilege" },
);
export type PrivilegeView = Static<typeof PrivilegeView>;

export const METADATA_MEMBERS_MAX = 50;
export const METADATA_CHARS_MAX = 8_192;

/** What callers keep with a record; the limit keeps events small. */
export const MetadataSent = Type.Refine(
  Type.Record(Type.String({ maxLength: 128 }), Type.Unknown(), {
    maxProperties: METADATA_MEMBERS_MAX,
    description: `For your own use: at most ${METADATA_MEMBERS_MAX} members, ${METADATA_CHARS_MAX} characters of JSON in all.`,
  }),
  (metadata) => JSON.stringify(metadata).length <= METADATA_CHARS_MAX,
  () => `must not have more than ${METADATA_CHARS_MAX} characters of JSON`,
);

const terms = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "What people call it. Without it, the id.",
    }),
  ),
  type: PrivilegeTypeSchema,
  value: Type.Optional(Type.Union([decimalSent(), Type.Null()], value)),
  minimum: Type.Optional(
    decimalSent({ description: "The value never falls below; 0 if it is not sent." }),
  ),
  maximum: Type.Optional(
    Type.Union([decimalSent(), Type.Null()], {
      description: "The value never rises above; null for no bound.",
    }),
  ),
  unit: Type.Optional(Type.Union([Type.String({ maxLength: 50 }), Type.Null()])),
  status: Type.Optional(
    Type.Enum([...PRIVILEGE_STATES], {
      description:
        "Without it, a new privilege is `locked` if it is `Unlockable`, otherwise `available`, and a known one stays as it is. `expired` cannot be set: it follows from `validUntil`.",
    }),
  ),
  validFrom: Type.Optional(
    Type.Union([MomentSent, Type.Null()], { description: "Not redeemable before." }),
  ),
  validUntil: Type.Optional(
    Type.Union([MomentSent, Type.Null()], { description: "Not redeemable from this time on." }),
  ),
  metadata: Type.Optional(MetadataSent),
};

export const PrivilegeCreate = Type.Object(
  { privilegeId: PrivilegeId, ...terms },
  { ...closed, title: "PrivilegeCreate" },
);
export type PrivilegeCreate = Static<typeof PrivilegeCreate>;

export const PrivilegePut = Type.Object(
  {
    privilegeId: Type.Optional(
      Type.String({ ...PRIVILEGE_ID, description: "If it is sent, the one in the address." }),
    ),
    ...terms,
  },
  { ...closed, title: "PrivilegePut" },
);
export type PrivilegePut = Static<typeof PrivilegePut>;

/** The members that make a privilege what it is, without its ledger. */
export type PrivilegeTerms = {
  readonly name: string;
  readonly type: PrivilegeType;
  readonly minimum: Decimal;
  readonly maximum: Decimal | null;
  readonly unit: string | null;
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export type Privilege = PrivilegeTerms & {
  readonly id: string;
  readonly value: Decimal | null;
  /** The sum of its ledger: the value, unless the privilege only records. */
  readonly total: Decimal;
  /** As stored: `expired` is found by the clock when the privilege is shown. */
  readonly status: PrivilegeStatus;
  /** The status that its creation or a PUT gave; redemptions and issuances since then change it. */
  readonly givenStatus: PrivilegeStatus;
  /** The number of the last movement when that status was given. */
  readonly givenStatusSequence: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
  /** The number of its last movement. */
  readonly sequence: number;
  /** The number of the last movement before it was created: above 0 if it was created anew. */
  readonly sequenceFrom: number;
};

export type PassPrivilege = { readonly passId: string; readonly privilege: Privilege };

export function statusOf({ status, validUntil }: Privilege, now: Date): PrivilegeStatus {
  const isOver = validUntil !== null && validUntil <= now;
  return isOver && status !== "used" ? "expired" : status;
}

export function presentPrivilege(privilege: Privilege, now: Date): PrivilegeView {
  const { id, name, type, unit, metadata, version } = privilege;
  return {
    privilegeId: id,
    name,
    type,
    value: showMaybeDecimal(privilege.value),
    minimum: showDecimal(privilege.minimum),
    maximum: showMaybeDecimal(privilege.maximum),
    unit,
    status: statusOf(privilege, now),
    validFrom: privilege.validFrom?.toISOString() ?? null,
    validUntil: privilege.validUntil?.toISOString() ?? null,
    metadata: { ...metadata },
    createdAt: privilege.createdAt.toISOString(),
    updatedAt: privilege.updatedAt.toISOString(),
    version,
  };
}

/**
 * The version for the ETag. It has the time of creation, because a privilege that is created anew
 * begins with version 1 again, and the status, which time changes without a version.
 */
export function versionOf(privilege: Privilege, now: Date): string {
  const { createdAt, version } = privilege;
  return `${createdAt.getTime().toString(36)}.${version}.${statusOf(privilege, now)}`;
}

export const PRIVILEGE_EXAMPLE: PrivilegeView = {
  privilegeId: ID_EXAMPLE,
  name: "Coffee on the house",
  type: "MultiUse",
  value: 10,
  minimum: 0,
  maximum: 10,
  unit: "cup",
  status: "available",
  validFrom: null,
  validUntil: "2027-01-31T09:30:00.000Z",
  metadata: {},
  createdAt: "2026-01-31T09:30:00.000Z",
  updatedAt: "2026-01-31T09:30:00.000Z",
  version: 1,
};

export const PRIVILEGE_BODY_EXAMPLE = {
  privilegeId: ID_EXAMPLE,
  name: "Coffee on the house",
  type: "MultiUse",
  value: 10,
  maximum: 10,
  unit: "cup",
  validUntil: "2027-01-31T09:30:00Z",
} as const;
