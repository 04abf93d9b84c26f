import type { TenantContext } from "#kernel/context.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import type { Answer } from "#kernel/http/route.ts";
import { type CustomerLink, customerTooManyPasses, getCustomer } from "#src/customers/public.ts";
import type { Pass, PassView } from "../pass.schema.ts";
import { erasePasses, findPassesToErase } from "../pass-erasure.service.ts";
import { listPassesOf, listPassIdsOf } from "./customer-pass.repository.ts";

/** An identifier that more passes share than this hardly belongs to one person. */
const PASSES_ERASED_MAX = 500;

/**
 * Passes and customers are linked by identifiers only, so there is no other link to keep up to
 * date.
 */
export async function listPassesOfCustomer(
  context: TenantContext,
  customerId: string,
  input: ListInput,
  present: (pass: Pass) => PassView,
): Promise<Answer> {
  const { identifiers } = await getCustomer(context, customerId);
  return await listPassesOf(context, identifiers, input, present);
}

export const passesOfCustomers: CustomerLink = {
  async erase(context, tx, identifiers) {
    const ids = await listPassIdsOf(tx, identifiers, PASSES_ERASED_MAX + 1);
    if (ids.length > PASSES_ERASED_MAX) throw customerTooManyPasses({ most: PASSES_ERASED_MAX });
    const passes = await findPassesToErase(tx, ids);
    if (passes.length > 0) await erasePasses(context, tx, passes);
  },
};
