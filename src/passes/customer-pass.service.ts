import type { TenantContext } from "#kernel/context.ts";
import type { ListInput } from "#kernel/http/list-page.ts";
import type { Answer } from "#kernel/http/route.ts";
import { type CustomerLink, customerTooManyPasses, getCustomer } from "#src/customers/public.ts";
import { listPassesOf, listPassIdsOf } from "./customer-pass.repository.ts";
import { findPassesForUpdate } from "./pass.repository.ts";
import type { Pass, PassView } from "./pass.schema.ts";
import { erasePass } from "./pass-erasure.service.ts";

/** More than these share an identifier that is hardly of one person. */
const PASSES_ERASED_MAX = 500;

/** Linked by identifiers: there is nothing else to keep in step. */
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
    for (const pass of await findPassesForUpdate(tx, ids)) await erasePass(context, tx, pass);
  },
};
