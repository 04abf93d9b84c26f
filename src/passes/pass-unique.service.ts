import type { TenantTx } from "#kernel/db/transaction.ts";
import { identifiersBusy } from "#src/customers/public.ts";
import { publishedTemplatesOf } from "#src/templates/public.ts";
import type { PublicationStep } from "#src/tenants/public.ts";
import type { UniqueIn } from "./pass.repository.ts";
import type { Pass } from "./pass.schema.ts";
import * as names from "./pass-unique.repository.ts";

/**
 * Call it before identifiers are inserted. The caller takes those that its template does not call unique for
 * some that passes share; if the published template calls one of them unique by now, the transaction fails
 * and the same request succeeds a moment later. Costs no message, and nothing if all of them are unique
 * (docs/adr/0017).
 */
export async function requirePublishedRules(
  tx: TenantTx,
  passes: readonly Pick<Pass, "passType" | "identifiers">[],
  uniqueIn: UniqueIn,
): Promise<void> {
  const shared = new Map<string, names.TypedName>();
  for (const { passType, identifiers } of passes) {
    const unique = uniqueIn(passType);
    for (const name of Object.keys(identifiers)) {
      if (!unique.includes(name)) shared.set(`${passType} ${name}`, { passType, name });
    }
  }
  if (shared.size === 0) return;
  const inserted = [...shared.values()];
  if (tx.mayGuess) names.requireSharedIdentifiers(tx, inserted);
  else if (!(await names.mayShareIdentifiers(tx, inserted))) throw identifiersBusy();
}

/** Keeps which identifiers are unique by the templates that are published. */
export const keepUniqueNames: PublicationStep = {
  async prepare(next) {
    const { templates } = await publishedTemplatesOf(next);
    const unique = [...templates].flatMap(([passType, { template }]) =>
      (template.identifiers?.unique ?? []).map((name) => ({ passType, name })),
    );
    return (tx) => names.updateUniqueNames(tx, unique);
  },
};
