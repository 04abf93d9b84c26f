import { randomInt } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { newId } from "#kernel/ids.ts";
import {
  type CustomerCreate,
  enrolCustomer,
  type Identifiers,
  identifiersBusy,
  isIdentifierTaken,
} from "#src/customers/public.ts";
import { connectorOfIdentifier } from "#src/extensions/names/public.ts";
import {
  createPassWithin,
  findPass,
  findPassesForUpdate,
  type Pass,
  type PassType,
  type PassTypes,
} from "#src/passes/public.ts";
import type { Answers } from "../form/form.answers.ts";
import { updateEnrolments } from "../links/link.repository.ts";
import type { Link } from "../links/link.schema.ts";
import type { FormSettings } from "../settings/settings.schema.ts";
import { enrolmentCompleted, enrolmentRepeated } from "./entry.events.ts";
import { attemptKey, type Person, personOf } from "./entry.person.ts";
import * as entries from "./entry.repository.ts";

/** Links a pass to its customer where nothing else tells who the person is. */
const OWN_IDENTIFIER = "enrolment.id";
const SOURCE = "Enrolment form";
/** For so long, whoever sends the same form again is led to the pass that it made. */
const REPEAT_MS = 3_600_000;
/** More than one try, because a pass may be erased, or a number taken, at the same moment. */
const TRIES_MAX = 3;

/** A consent as it was shown. */
export type ShownConsent = {
  readonly id: string;
  readonly text: string;
  readonly url: string | undefined;
};

export type Enrolment = {
  readonly types: PassTypes;
  readonly type: PassType;
  readonly settings: FormSettings;
  readonly answers: Answers;
  readonly consents: readonly ShownConsent[];
  readonly language: string;
  /** The secret of the form that was sent. */
  readonly attempt: string;
  readonly link: Link | undefined;
};

export type EnrolOutcome =
  | { readonly kind: "enrolled"; readonly pass: Pick<Pass, "id" | "secret"> }
  /** The person has such a pass. Who asks may be somebody else, so it is not shown. */
  | { readonly kind: "known" };

/** Thrown to undo everything where an identifier belongs to a pass that is there. */
class IdentifierTaken extends Error {}

/** Makes the customer, the pass and the link between them in one transaction, or nothing. */
export async function enrol(context: TenantContext, wanted: Enrolment): Promise<EnrolOutcome> {
  for (let count = 1; ; count += 1) {
    try {
      const outcome = await context.transaction((tx) => enrolOnce(context, tx, wanted));
      if (outcome !== undefined) return outcome;
    } catch (error) {
      if (error instanceof IdentifierTaken && count === TRIES_MAX) return { kind: "known" };
      // The same person got a pass of another type at the same moment: their customer is there now.
      if (!(error instanceof IdentifierTaken || isIdentifierTaken(error))) throw error;
    }
    if (count === TRIES_MAX) throw identifiersBusy();
  }
}

/** Undefined if it should be tried again. */
async function enrolOnce(
  context: TenantContext,
  tx: TenantTx,
  wanted: Enrolment,
): Promise<EnrolOutcome | undefined> {
  const { type, answers, attempt, link } = wanted;
  const person = personOf(answers, attempt);
  const { passType } = type.rules;
  const key = { passType, person: person.key };
  if (!(await entries.insertEntry(tx, key, attemptKey(attempt)))) {
    return await meetKnown(tx, key, wanted);
  }
  const identifiers = linkOf(person);
  const customer = await enrolCustomer(tx, customerOf(tx, wanted, identifiers));
  const pass = await createPassWithin(context, tx, wanted.types, type, {
    identifiers: { ...identifiersOf(wanted), ...identifiers },
    additionalData: { ...wanted.settings.data, ...answers.data },
    metadata: { enrolment: recordOf(tx, wanted) },
  });
  if (pass === undefined) throw new IdentifierTaken();
  entries.updatePassOfEntry(tx, key, pass.id);
  if (link !== undefined) updateEnrolments(tx, link.id);
  const told = { ...originOf(wanted), passId: pass.id, passType, customerId: customer.id };
  tx.emit(enrolmentCompleted, told, { subject: pass.id });
  return { kind: "enrolled", pass };
}

type SameForm = Pick<Enrolment, "answers" | "attempt"> & { readonly passType: string };

/**
 * The pass that this very form made within the last hour. A look and nothing more; without the secret
 * of the form it finds the same for somebody who is known and for somebody who is not.
 */
export async function findRepeated(
  context: TenantContext,
  { passType, answers, attempt }: SameForm,
): Promise<Pick<Pass, "id" | "secret"> | undefined> {
  const key = { passType, person: personOf(answers, attempt).key };
  const since = new Date(context.clock.now().getTime() - REPEAT_MS);
  const passId = await entries.findPassOfForm(context, key, attemptKey(attempt), since);
  return passId === undefined ? undefined : await findPass(context, passId);
}

/** The same form sent again leads to its pass; any other form of the person is not shown it. */
async function meetKnown(
  tx: TenantTx,
  key: entries.PersonKey,
  wanted: Enrolment,
): Promise<EnrolOutcome | undefined> {
  const entry = await entries.findEntry(tx, key);
  if (entry === undefined) return undefined;
  const { passId, createdAt } = entry;
  const isSameForm = entry.attempt.equals(attemptKey(wanted.attempt));
  if (isSameForm && tx.now.getTime() - createdAt.getTime() < REPEAT_MS) {
    const [pass] = await findPassesForUpdate(tx, [passId]);
    return pass && { kind: "enrolled", pass };
  }
  const told = { ...originOf(wanted), passId, passType: key.passType };
  tx.emit(enrolmentRepeated, told, { subject: passId });
  return { kind: "known" };
}

function linkOf({ identifier }: Person): Identifiers {
  return identifier === undefined
    ? { [OWN_IDENTIFIER]: newId("enr") }
    : { [identifier.name]: identifier.value };
}

/**
 * No answer becomes an identifier of a connector, because nobody has proved it: the connector would show
 * what it knows of somebody to whoever types in their address. Such settings are not published any more,
 * but versions of before may have them.
 */
function identifiersOf({ settings: { identifiers = {} }, answers }: Enrolment): Identifiers {
  const made = Object.entries(identifiers).flatMap(([name, { member, digits, prefix = "" }]) => {
    if (member === undefined) return [[name, `${prefix}${randomDigits(digits ?? 0)}`] as const];
    if (connectorOfIdentifier(name) !== undefined) return [];
    const answer = answers.data[member];
    return answer === undefined ? [] : [[name, String(answer)] as const];
  });
  return Object.fromEntries(made);
}

/** The first is never 0, because spreadsheets drop it. */
function randomDigits(count: number): string {
  const others = Array.from({ length: count - 1 }, () => randomInt(10));
  return `${randomInt(1, 10)}${others.join("")}`;
}

function customerOf(
  tx: TenantTx,
  { answers, consents, language }: Enrolment,
  identifiers: Identifiers,
): CustomerCreate {
  const at = tx.now.toISOString();
  const given = consents.map(({ id, text }) => {
    const granted = answers.consents[id] === true;
    return [id, { granted, at, source: SOURCE, text }] as const;
  });
  return {
    identifiers,
    ...answers.personal,
    locale: language,
    consents: Object.fromEntries(given),
  };
}

function originOf({ link, language }: Enrolment) {
  return {
    link: link?.id ?? null,
    source: link?.source ?? null,
    storeId: link?.storeId ?? null,
    language,
  };
}

/** What the pass keeps of its enrolment: where it came from, and what was agreed to. */
function recordOf(tx: TenantTx, wanted: Enrolment) {
  const given = wanted.consents.map(({ id, text, url }) => {
    const granted = wanted.answers.consents[id] === true;
    return [id, { granted, text, ...(url === undefined ? {} : { url }) }] as const;
  });
  return {
    at: tx.now.toISOString(),
    ...originOf(wanted),
    consents: Object.fromEntries(given),
  };
}
