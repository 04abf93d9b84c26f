import Type, { type Static } from "typebox";

const Moment = Type.String({ format: "date-time" });
const MaybeMoment = Type.Union([Moment, Type.Null()]);
const MaybeNumber = Type.Union([Type.Number(), Type.Null()]);

export const PrivilegeView = Type.Object(
  {
    privilegeId: Type.String(),
    name: Type.String(),
    type: Type.Enum(["OneTime", "Unlimited", "MultiUse", "Unlockable"]),
    value: MaybeNumber,
    minimum: Type.Number(),
    maximum: MaybeNumber,
    unit: Type.Union([Type.String(), Type.Null()]),
    status: Type.Enum(["locked", "available", "used", "expired"]),
    validFrom: MaybeMoment,
    validUntil: MaybeMoment,
    metadata: Type.Record(Type.String(), Type.Unknown()),
    createdAt: Moment,
    updatedAt: Moment,
    version: Type.Integer({ minimum: 1 }),
  },
  { title: "Privilege" },
);
export type PrivilegeView = Static<typeof PrivilegeView>;

export type Privilege = {
  readonly id: string;
  readonly name: string;
  readonly type: PrivilegeView["type"];
  /** Exact decimals as text, because binary floating-point numbers would be inexact. */
  readonly value: string | null;
  readonly minimum: string;
  readonly maximum: string | null;
  readonly unit: string | null;
  readonly status: PrivilegeView["status"];
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
};

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}

export function presentPrivilege(privilege: Privilege): PrivilegeView {
  const { id, name, type, unit, status, metadata, version } = privilege;
  return {
    privilegeId: id,
    name,
    type,
    value: toNumber(privilege.value),
    minimum: Number(privilege.minimum),
    maximum: toNumber(privilege.maximum),
    unit,
    status,
    validFrom: privilege.validFrom?.toISOString() ?? null,
    validUntil: privilege.validUntil?.toISOString() ?? null,
    metadata: { ...metadata },
    createdAt: privilege.createdAt.toISOString(),
    updatedAt: privilege.updatedAt.toISOString(),
    version,
  };
}
