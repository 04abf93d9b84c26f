import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { isSameJson } from "#kernel/json.ts";
import {
  type CustomerCreate,
  enrolCustomer,
  type Identifiers,
  identifiersBusy,
  isIdentifierTaken,
} from "#src/customers/public.ts";
import {
  findPass,
  type Pass,
  type PassType,
  type PassTypes,
  passTypesOf,
  updatePassWithin,
} from "#src/passes/public.ts";
import type { Enrolment } from "#src/templates/language/public.ts";
import { appleSignerOf } from "../signing/apple-signer.ts";
import { readAnswer } from "./enrolment.answer.ts";
import { type Answers, keptParts, lacksAnswers } from "./enrolment.rules.ts";

/** Links a pass without a unique identifier to the customer who signed up with it. */
const OWN_IDENTIFIER = "enrolment.pass";
/** The name of the consent to the terms of the template. */
const TERMS_CONSENT = "terms";
const SOURCE = "Apple Wallet";
/** More than one try, because somebody else may answer, or change the pass, at the same moment. */
const TRIES_MAX = 3;

/** Thrown to undo everything where the pass is another one than was read. */
class ChangedMeanwhile extends Error {}

/**
 * Keeps what the holder of a pass answered, in the pass and as a customer, and returns the signed
 * token by which the phone recognises us. Undefined if passes of this type ask for nothing, or this
 * one is over. Whoever was first is the holder: later answers are signed, and change nothing. So a
 * phone that did not get our answer may repeat, and nobody else can replace what is kept.
 */
export async function enrolHolder(
  context: TenantContext,
  pass: Pass,
  body: unknown,
): Promise<Buffer | undefined> {
  const { passType, status, expiresAt } = pass;
  const types = await passTypesOf(context);
  const type = types.find(passType);
  const enrolment = type?.template.enrolment;
  const now = context.clock.now();
  const isOver = status !== "active" || (expiresAt !== null && expiresAt <= now);
  if (type === undefined || enrolment === undefined || isOver) return undefined;
  const answer = readAnswer(enrolment, body);
  if (!answer.ok) throw validationProblem(answer.errors);
  const { token, answers } = answer;
  // Before anything is kept: without a signature the phone takes the enrolment as failed.
  const signer = await appleSignerOf(context);
  const isKept = await keepAnswers(context, { types, type, enrolment, answers }, pass);
  return isKept ? await signer.sign(Buffer.from(token), now) : undefined;
}

type AnsweredForm = {
  readonly types: PassTypes;
  readonly type: PassType;
  readonly enrolment: Enrolment;
  readonly answers: Answers;
};

/** Keeps the answers unless the pass has them by now. False if there is no such pass any more. */
async function keepAnswers(
  context: TenantContext,
  form: AnsweredForm,
  pass: Pass,
): Promise<boolean> {
  let known: Pass | undefined = pass;
  for (let count = 1; known && lacksAnswers(form.enrolment, known.data); count += 1) {
    if (count > TRIES_MAX) throw identifiersBusy();
    const seen = known;
    try {
      await context.transaction((tx) => keepOnce(tx, form, seen));
      return true;
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile || isIdentifierTaken(error))) throw error;
    }
    known = await findPass(context, pass.id);
  }
  return known !== undefined;
}

/**
 * Locks the customer before the pass, as every transaction does. So who the customer is follows from
 * the pass as it was seen, and that is looked at again once the pass is locked.
 */
async function keepOnce(
  tx: TenantTx,
  { types, type, enrolment, answers }: AnsweredForm,
  seen: Pass,
): Promise<void> {
  const identifiers = personalIdentifiers(seen, type.rules.unique);
  await enrolCustomer(tx, customerOf(tx, enrolment, answers, identifiers));
  const kept = await updatePassWithin(tx, types, seen.id, (known) => {
    const isSame = isSameJson(known.identifiers, seen.identifiers);
    if (!isSame || !lacksAnswers(enrolment, known.data)) throw new ChangedMeanwhile();
    const additionalData = membersOf(enrolment, answers);
    const isLinked = Object.keys(identifiers).every((name) => name in known.identifiers);
    return isLinked ? { additionalData } : { additionalData, identifiers };
  });
  if (kept === undefined) throw new ChangedMeanwhile();
}

function membersOf(enrolment: Enrolment, answers: Answers): Record<string, string> {
  const members = [...keptParts(enrolment)].flatMap(([part, member]) => {
    const text = answers[part];
    return text === undefined ? [] : [[member, text] as const];
  });
  return Object.fromEntries(members);
}

/**
 * Identifiers that only this pass has. Others may name an event or a shop, and would link the
 * customer to the passes of many people.
 */
function personalIdentifiers({ id, identifiers }: Pass, unique: readonly string[]): Identifiers {
  const own = Object.entries(identifiers).filter(([name]) => unique.includes(name));
  return own.length > 0 ? Object.fromEntries(own) : { [OWN_IDENTIFIER]: id };
}

function customerOf(
  tx: TenantTx,
  { terms }: Enrolment,
  { email, phone, firstName, lastName }: Answers,
  identifiers: Identifiers,
): CustomerCreate {
  const number = phone === undefined ? undefined : internationalNumber(phone);
  const consent = { granted: true, at: tx.now.toISOString(), source: SOURCE };
  return {
    identifiers,
    ...(email === undefined ? {} : { email }),
    ...(number === undefined ? {} : { phone: number }),
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    // The phone sends nothing unless its owner agrees to the terms.
    ...(terms === undefined ? {} : { consents: { [TERMS_CONSENT]: consent } }),
  };
}

const INTERNATIONAL = /^\+[1-9][0-9]{6,14}$/;

/** Customers have numbers with a country code. Another number is kept in the pass alone. */
function internationalNumber(written: string): string | undefined {
  const number = written.replaceAll(/[^+0-9]/g, "");
  return INTERNATIONAL.test(number) ? number : undefined;
}
