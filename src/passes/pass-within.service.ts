import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { insertPass } from "./pass.repository.ts";
import type { Pass, PassMaking } from "./pass.schema.ts";
import type { PassType, PassTypes } from "./pass.types.ts";
import { creationProblems, makePass, welcomePasses } from "./pass-creation.service.ts";
import { requirePublishedRules } from "./pass-unique.service.ts";

/**
 * Creates a pass in the transaction of another module. Undefined if another pass of the type has one
 * of its unique identifiers. Throws the problem if the rules of the type refuse the contents.
 */
export async function createPassWithin(
  context: TenantContext,
  tx: TenantTx,
  types: PassTypes,
  type: PassType,
  sent: PassMaking,
): Promise<Pass | undefined> {
  const problems = creationProblems(type, sent);
  if (problems !== undefined) throw validationProblem(problems);
  const made = makePass(tx.now, type, sent);
  if (!made.ok) throw validationProblem(made.errors);
  await requirePublishedRules(tx, [made.pass], () => type.rules.unique);
  if (!(await insertPass(tx, made.pass, type.rules.unique))) return undefined;
  await welcomePasses(context, tx, types, [made.pass]);
  return made.pass;
}
