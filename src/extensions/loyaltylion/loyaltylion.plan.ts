import type { TenantContext } from "#kernel/context.ts";
import type { Connection, Delivery, Plan } from "../kit/connector.ts";
import type { SettingsOf } from "../kit/connector-file.ts";
import { customerActions } from "../kit/sale-actions.ts";
import { decimalAt, textAt, valueAt } from "../kit/values.ts";
import type { loyaltylionFile } from "./loyaltylion.config.ts";

type Settings = SettingsOf<(typeof loyaltylionFile)["members"]>;

const PATHS = {
  email: "email",
  firstName: "properties.first_name",
  lastName: "properties.last_name",
};

/** The pass shows what the programme says: LoyaltyLion keeps the points, and the ledger follows. */
export function planLoyaltyLion(
  _context: TenantContext,
  { json }: Delivery,
  { settings }: Pick<Connection<Settings>, "settings">,
): Plan {
  const customer = valueAt(json, "customer");
  if (valueAt(customer, "guest") === true) return { ignored: "The customer is a guest." };
  const customerId = textAt(customer, "id") ?? "";
  const merchantId = textAt(customer, "merchant_id");
  const identifiers = {
    "loyaltylion.customerId": customerId,
    ...(merchantId === undefined ? {} : { "loyaltylion.merchantId": merchantId }),
  };
  const value = decimalAt(customer, "points_approved");
  const companions =
    settings.points === undefined || value === undefined
      ? undefined
      : { privileges: new Map([[settings.points, value]]) };
  return {
    actions: customerActions(
      settings,
      { identifiers, from: customer, paths: PATHS },
      { companions },
    ),
  };
}
