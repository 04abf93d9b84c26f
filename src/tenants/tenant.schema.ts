import Type, { type Static } from "typebox";

export const TenantId = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]{1,62}$",
  mustBe: "2 to 63 lower-case letters, digits and hyphens, no hyphen first",
  description: "Lower-case letters, digits and hyphens, 2 to 63 of them.",
  examples: ["cafe-lune"],
});

export const TenantParams = Type.Object({ tenantId: TenantId });

export const TenantView = Type.Object(
  {
    tenantId: TenantId,
    name: Type.String({ examples: ["Café Lune"] }),
    version: Type.Integer({ minimum: 1 }),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { title: "Tenant" },
);
export type TenantView = Static<typeof TenantView>;

export type Tenant = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export function presentTenant(tenant: Tenant): TenantView {
  return {
    tenantId: tenant.id,
    name: tenant.name,
    version: tenant.version,
    createdAt: tenant.createdAt.toISOString(),
    updatedAt: tenant.updatedAt.toISOString(),
  };
}
