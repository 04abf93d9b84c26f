import { PRIVILEGE_MINIMUM, type TemplatePrivilege } from "./template.schema.ts";

/** Whether a new pass can have this value. `OneTime` can be redeemed once: a part of it, or several, cannot. */
export function isValueOfType({ type, value }: Pick<TemplatePrivilege, "type" | "value">): boolean {
  return type !== "OneTime" || value === undefined || value === 0 || value === 1;
}

/**
 * The privilege that a new pass is given. Templates of former releases may give a `OneTime` privilege
 * another value than 1 or 0: passes are issued all the same, with something to redeem if there was any.
 */
export function initialPrivilege(privilege: TemplatePrivilege): TemplatePrivilege {
  const { minimum = PRIVILEGE_MINIMUM, maximum = null } = privilege;
  if (isValueOfType(privilege)) return privilege;
  const value = (privilege.value ?? 0) > 0 ? 1 : 0;
  return {
    ...privilege,
    value,
    minimum: Math.min(minimum, value),
    maximum: maximum === null ? null : Math.max(maximum, value),
  };
}
