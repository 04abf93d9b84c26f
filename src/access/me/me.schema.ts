import Type, { type Static } from "typebox";
import { TenantId } from "#src/tenants/public.ts";
import { AdministratorRole } from "../administrators/administrator.schema.ts";

export const MeView = Type.Object(
  {
    kind: Type.Enum(["administrator", "api-key", "device", "operator"], {
      description:
        "Whose credential it is: a person's, a program's, a scanner's or the operator's.",
    }),
    id: Type.String({ description: "Stays the same for this person or program." }),
    name: Type.String({ description: "What people call it." }),
    email: Type.Union([Type.String(), Type.Null()], {
      description:
        "Of a person with an account here; null for programs, and for people of another issuer.",
    }),
    role: Type.Union([AdministratorRole, Type.Null()], {
      description: "Of a person: `global` or `tenant`. Null for programs.",
    }),
    allTenants: Type.Boolean({
      description: "True if every tenant may be entered; `tenants` is empty then.",
    }),
    tenants: Type.Array(Type.Object({ tenantId: TenantId, name: Type.String() }), {
      description: "The tenants that may be entered, by name.",
    }),
    scopes: Type.Array(Type.String(), {
      description: "What the credential may be used for, as a credential of its kind writes it.",
    }),
  },
  { title: "Me" },
);
export type MeView = Static<typeof MeView>;

export const ME_EXAMPLE: MeView = {
  kind: "administrator",
  id: "administrator:adm_0WnTq3Xk00aB3dE5fG7hI9",
  name: "Ada Lovelace",
  email: "ada@example.com",
  role: "tenant",
  allTenants: false,
  tenants: [{ tenantId: "cafe-lune", name: "Café Lune" }],
  scopes: ["tenant.pass:read", "tenant.pass:write"],
};
