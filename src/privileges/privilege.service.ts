import type { PassCompanion } from "#src/passes/public.ts";
import { PRIVILEGE_MINIMUM, type Template } from "#src/templates/public.ts";
import * as privileges from "./privilege.repository.ts";
import { presentPrivilege } from "./privilege.schema.ts";

/** Gives every new pass the privileges of its template. */
export const privilegesOfPasses: PassCompanion = {
  name: "privileges",
  async attach(tx, pass, template) {
    const given = (template.privileges ?? []).map(newPrivilege);
    if (given.length > 0) privileges.insertPrivileges(tx, pass.id, given);
  },
  detach: (tx, passId) => privileges.deletePrivileges(tx, passId),
  async read(context, passId) {
    return (await privileges.listPrivileges(context, passId)).map(presentPrivilege);
  },
};

type TemplatePrivilege = NonNullable<Template["privileges"]>[number];

function newPrivilege(given: TemplatePrivilege): privileges.NewPrivilege {
  const { id, name, type, value, minimum, maximum, unit } = given;
  return {
    id,
    name,
    type,
    value: value ?? null,
    minimum: minimum ?? PRIVILEGE_MINIMUM,
    maximum: maximum ?? null,
    unit: unit ?? null,
    status: type === "Unlockable" ? "locked" : "available",
  };
}
