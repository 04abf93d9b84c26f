import Type, { type Static } from "typebox";
import { TenantId } from "#src/tenants/public.ts";

export const AdministratorRole = Type.Enum(["global", "tenant"], {
  description:
    "`global`: everything in every tenant. `tenant`: everything in the tenants named in `tenants`.",
});
export type AdministratorRole = Static<typeof AdministratorRole>;

const Email = Type.String({
  // Only one @ between other characters is checked: the invitation shows whether the address works.
  pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$',
  mustBe: "an email address",
  minLength: 3,
  maxLength: 254,
  description: "Identifies the person at sign-in; upper and lower case are the same.",
});
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "\\S",
  mustBe: "more than spaces",
});
const Tenants = Type.Array(TenantId, {
  maxItems: 1_000,
  uniqueItems: true,
  description:
    "Tenants that exist. Empty for Global Administrators. A tenant that ends is taken out, also for a later one of its id.",
});

export const AdministratorParams = Type.Object({
  administratorId: Type.String({
    pattern: "^adm_[0-9A-Za-z]{22}$",
    mustBe: "the id of an administrator, which begins with adm_",
    examples: ["adm_0WnTq3Xk00aB3dE5fG7hI9"],
  }),
});

export const AdministratorCreate = Type.Object(
  {
    email: Email,
    name: Name,
    role: AdministratorRole,
    tenants: Type.Optional(Tenants),
  },
  { additionalProperties: false, title: "AdministratorCreate" },
);
export type AdministratorCreate = Static<typeof AdministratorCreate>;

export const AdministratorUpdate = Type.Object(
  {
    email: Email,
    name: Name,
    role: AdministratorRole,
    tenants: Type.Optional(Tenants),
    disabled: Type.Optional(Type.Boolean({ description: "Default: false." })),
  },
  { additionalProperties: false, title: "AdministratorUpdate" },
);
export type AdministratorUpdate = Static<typeof AdministratorUpdate>;

const VIEW = {
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: AdministratorRole,
  tenants: Type.Array(TenantId),
  disabled: Type.Boolean(),
  invited: Type.Boolean({ description: "No password has been chosen yet." }),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ format: "date-time" }),
  updatedAt: Type.String({ format: "date-time" }),
  lastSignInAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
};

export const AdministratorView = Type.Object(VIEW, { title: "Administrator" });
export type AdministratorView = Static<typeof AdministratorView>;

export const Invitation = Type.Object(
  {
    url: Type.String({ description: "Works once. Send it to the person by a way you trust." }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { title: "Invitation" },
);
export type Invitation = Static<typeof Invitation>;

export const AdministratorCreated = Type.Object(
  { ...VIEW, invitation: Invitation },
  { title: "AdministratorCreated" },
);

/** Without the hash of the password, which is read only at sign-in. */
export type Administrator = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: AdministratorRole;
  readonly tenants: readonly string[];
  readonly disabled: boolean;
  readonly invited: boolean;
  readonly tokensValidFrom: Date;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastSignInAt: Date | null;
};

export function presentAdministrator(administrator: Administrator): AdministratorView {
  return {
    id: administrator.id,
    email: administrator.email,
    name: administrator.name,
    role: administrator.role,
    tenants: [...administrator.tenants],
    disabled: administrator.disabled,
    invited: administrator.invited,
    version: administrator.version,
    createdAt: administrator.createdAt.toISOString(),
    updatedAt: administrator.updatedAt.toISOString(),
    lastSignInAt: administrator.lastSignInAt?.toISOString() ?? null,
  };
}
