import type { TenantTx } from "#kernel/db/transaction.ts";
import { type Decimal, decimalFromUnits, parseDecimal, ZERO } from "#kernel/decimal.ts";
import { type ProblemError, validationProblem } from "#kernel/errors.ts";
import type { CompanionWish, PassCompanion } from "#src/passes/public.ts";
import {
  initialPrivilege,
  PRIVILEGE_MINIMUM,
  type Template,
  type TemplatePrivilege,
} from "#src/templates/public.ts";
import { deleteMovements } from "./movements/movement.repository.ts";
import { boundsOf } from "./movements/movement.rules.ts";
import { privilegeNotFound } from "./privilege.errors.ts";
import * as privileges from "./privilege.repository.ts";
import { changeProblems, outOfBounds, termsProblems } from "./privilege.rules.ts";
import type { Privilege } from "./privilege.schema.ts";
import {
  type GivenPrivilege,
  insertWithLedger,
  listPrivilegesOf,
  newPrivilege,
  setValues,
  type ValueChange,
} from "./privilege.service.ts";

/** Gives every new pass the privileges of its template, and sets their values in batches. */
export const privilegesOfPasses: PassCompanion = {
  name: "privileges",
  async attach(tx, made) {
    const given = made.flatMap(({ pass, template }) =>
      givenBy(tx, template).map((privilege) => ({ passId: pass.id, privilege })),
    );
    if (given.length > 0) insertWithLedger(tx, given);
  },
  async detach(tx, passIds) {
    await privileges.deletePrivileges(tx, passIds);
    for (const passId of passIds) deleteMovements(tx, passId);
  },
  read: listPrivilegesOf,
  async plan(tx, wishes) {
    const there = wishes.filter(({ newBy }) => newBy === undefined);
    const known = await privileges.findPrivilegesForUpdate(
      tx,
      there.map(({ pass }) => pass.id),
    );
    const problems = new Map<string, ProblemError>();
    const changes = new Map<string, readonly ValueChange[]>();
    for (const wish of wishes) {
      const { pass, newBy } = wish;
      const own = newBy === undefined ? (known.get(pass.id) ?? []) : givenBy(tx, newBy);
      const planned = planValues(own, wish);
      if (planned.problem === undefined) changes.set(pass.id, planned.changes);
      else problems.set(pass.id, planned.problem);
    }
    return {
      problems,
      write(writing, passIds) {
        const wanted = [...changes].flatMap(([passId, own]) =>
          passIds.has(passId) ? own.map((change) => ({ passId, ...change })) : [],
        );
        setValues(writing, wanted);
        return new Set(wanted.map(({ passId }) => passId));
      },
    };
  },
};

type Planned =
  | { readonly problem: ProblemError; readonly changes?: undefined }
  | { readonly problem?: undefined; readonly changes: readonly ValueChange[] };

/** Refuses all values of a pass if one of them is refused. */
function planValues(own: readonly Privilege[], { values }: CompanionWish): Planned {
  const changes: ValueChange[] = [];
  for (const [privilegeId, sent] of values) {
    const known = own.find(({ id }) => id === privilegeId);
    if (known === undefined) return { problem: privilegeNotFound({ privilegeId }) };
    const value = parseDecimal(sent);
    if (value === undefined) return { problem: invalid(privilegeId, "must be a number") };
    if (value === known.value) continue;
    const after = { type: known.type, value };
    const problems = termsProblems(known, value) ?? changeProblems(known, after);
    const [reasons] = Object.values(problems ?? {});
    if (reasons !== undefined) {
      return { problem: invalid(privilegeId, boundOf(known, value) ?? reasons[0]) };
    }
    changes.push({ known, value });
  }
  return { changes };
}

/** Says the bound that a value breaks: whoever sends many values does not know what each pass has. */
function boundOf(known: Privilege, value: Decimal): string | undefined {
  const { low, high } = boundsOf(known);
  switch (outOfBounds(known, value)) {
    case "insufficient-value":
      return `must be at least ${decimalFromUnits(low)}`;
    case "value-exceeds-maximum":
      return `must be at most ${decimalFromUnits(high)}`;
    default:
      return undefined;
  }
}

function invalid(privilegeId: string, reason = "is not allowed"): ProblemError {
  return validationProblem({ [`privileges.${privilegeId}`]: [reason] });
}

function givenBy(tx: TenantTx, template: Template): Privilege[] {
  return (template.privileges ?? []).map((one) => newPrivilege(tx, byTemplate(one)));
}

function byTemplate(privilege: TemplatePrivilege): GivenPrivilege {
  const { id, name, type, value, minimum, maximum, unit } = initialPrivilege(privilege);
  return {
    id,
    name,
    type,
    value: value === undefined ? null : rounded(value),
    minimum: rounded(minimum ?? PRIVILEGE_MINIMUM),
    maximum: maximum === undefined || maximum === null ? null : rounded(maximum),
    unit: unit ?? null,
    status: type === "Unlockable" ? "locked" : "available",
    validFrom: null,
    validUntil: null,
    metadata: {},
    sequence: 0,
  };
}

/** Templates that were published long ago may have numbers of more digits. */
function rounded(value: number): Decimal {
  return parseDecimal(value) ?? parseDecimal(value.toFixed(4)) ?? ZERO;
}
