import { isAllowed } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { eraseTracesOf } from "#kernel/events/erasure.ts";
import { rightMissing } from "#kernel/http/right-missing.ts";
import { newId } from "#kernel/ids.ts";
import { isSameJson } from "#kernel/json.ts";
import { applyChange, isUnchanged, NOBODY } from "./customer.change.ts";
import { noteErased } from "./customer.erased.ts";
import { customerIdentifierTaken, customerNotFound } from "./customer.errors.ts";
import { customerCreated, customerDeleted, customerUpdated } from "./customer.events.ts";
import { customerLinks } from "./customer.links.ts";
import * as customers from "./customer.repository.ts";
import {
  type Customer,
  type CustomerCreate,
  type CustomerFields,
  type CustomerUpdate,
  presentCustomer,
  versionOf,
} from "./customer.schema.ts";
import { identifiersBusy } from "./identifier.errors.ts";
import type { Identifiers } from "./identifier.rules.ts";

/** An identifier may be taken by a customer that is erased before it is found; then try again. */
const TRIES_MAX = 3;

export function createCustomer(context: TenantContext, sent: CustomerCreate): Promise<Customer> {
  const fields = changed(NOBODY, sent);
  return context.transaction((tx) => insertCustomer(tx, fields));
}

async function insertCustomer(tx: TenantTx, fields: CustomerFields): Promise<Customer> {
  const id = newId("cus", tx.now.getTime());
  await claimIdentifiers(tx, id, fields.identifiers);
  const customer = await customers.insertCustomer(tx, id, fields);
  tx.emit(customerCreated, presentCustomer(customer), { subject: id });
  tx.audit({ ...about(id), after: summary(customer) });
  return customer;
}

/**
 * Notes what a person told of themselves, in the transaction that keeps their answers. A customer
 * with one of the identifiers is completed, and what is known of them stays: people who sign up may
 * be mistaken, or be somebody else. Without such a customer, one is created.
 */
export async function enrolCustomer(tx: TenantTx, sent: CustomerCreate): Promise<Customer> {
  const given = changed(NOBODY, sent);
  const holder = await customers.findHolder(tx, given.identifiers, "");
  const known = holder && (await customers.findCustomerForUpdate(tx, holder.customerId));
  if (known === undefined) return await insertCustomer(tx, given);
  const fields: CustomerFields = {
    identifiers: known.identifiers,
    email: known.email ?? given.email,
    phone: known.phone ?? given.phone,
    firstName: known.firstName ?? given.firstName,
    lastName: known.lastName ?? given.lastName,
    locale: known.locale ?? given.locale,
    consents: { ...given.consents, ...known.consents },
  };
  if (isUnchanged(known, fields)) return known;
  return await replaceFields(tx, known, fields);
}

/** What became of a customer that another system told of. */
export type TiedCustomer = {
  readonly customer: Customer;
  readonly outcome: "created" | "updated" | "unchanged";
};

/**
 * Notes what another system knows of a person, in the caller's transaction. A customer with one of the
 * identifiers is changed: what is sent replaces what is known. Without such a customer, one is created.
 */
export async function upsertCustomer(
  tx: TenantTx,
  sent: CustomerUpdate & { readonly identifiers: Identifiers },
  { onlyIfMissing = false }: { readonly onlyIfMissing?: boolean } = {},
): Promise<TiedCustomer> {
  const holder = await customers.findHolder(tx, sent.identifiers, "");
  const known = holder && (await customers.findCustomerForUpdate(tx, holder.customerId));
  if (known === undefined) {
    return { customer: await insertCustomer(tx, changed(NOBODY, sent)), outcome: "created" };
  }
  const fields = onlyIfMissing ? known : changed(known, sent);
  if (isUnchanged(known, fields)) return { customer: known, outcome: "unchanged" };
  return { customer: await changeFields(tx, known, fields), outcome: "updated" };
}

async function changeFields(
  tx: TenantTx,
  known: Customer,
  fields: CustomerFields,
): Promise<Customer> {
  if (!isSameJson(known.identifiers, fields.identifiers)) {
    await claimIdentifiers(tx, known.id, fields.identifiers);
  }
  return await replaceFields(tx, known, fields);
}

async function replaceFields(
  tx: TenantTx,
  known: Customer,
  fields: CustomerFields,
): Promise<Customer> {
  const customer = await customers.updateCustomer(tx, known.id, fields);
  const previous = presentCustomer(known);
  tx.emit(customerUpdated, presentCustomer(customer), { previous, subject: known.id });
  tx.audit({ ...about(known.id), before: summary(known), after: summary(customer) });
  return customer;
}

export async function getCustomer(context: TenantContext, customerId: string): Promise<Customer> {
  const customer = await customers.findCustomer(context, customerId);
  if (customer === undefined) throw customerNotFound({ customerId });
  return customer;
}

/** A change without effect makes no version and no event. */
export function updateCustomer(
  context: TenantContext,
  customerId: string,
  sent: CustomerUpdate,
): Promise<Customer> {
  return context.transaction(async (tx) => {
    const known = await lockOrRefuse(context, tx, customerId);
    const fields = changed(known, sent);
    return isUnchanged(known, fields) ? known : await changeFields(tx, known, fields);
  });
}

/** Also erases the bodies of events and the stored answers; the events themselves stay. */
export function deleteCustomer(
  context: TenantContext,
  customerId: string,
  more: { readonly withPasses: boolean },
): Promise<void> {
  if (more.withPasses) requirePassScope(context);
  return context.transaction(async (tx) => {
    const customer = await lockOrRefuse(context, tx, customerId);
    if (more.withPasses) await eraseLinked(context, tx, customer.identifiers);
    await eraseCustomer(tx, customer);
  });
}

async function eraseLinked(
  context: TenantContext,
  tx: TenantTx,
  identifiers: Identifiers,
): Promise<void> {
  for (const link of context.runtime.ports.all(customerLinks)) {
    await link.erase(context, tx, identifiers);
  }
}

async function eraseCustomer(tx: TenantTx, customer: Customer): Promise<void> {
  const { id: customerId } = customer;
  noteErased(tx, customer);
  await customers.deleteCustomer(tx, customerId);
  await eraseTracesOf(tx, [customerId]);
  tx.emit(customerDeleted, { customerId }, { subject: customerId });
  tx.audit({ ...about(customerId), before: summary(customer) });
}

/**
 * Erases whoever has these identifiers, with their passes, in the caller's transaction. Also erases
 * passes that have one of them without a customer. Returns the id of the customer, if there was one.
 */
export async function eraseCustomerBy(
  context: TenantContext,
  tx: TenantTx,
  identifiers: Identifiers,
): Promise<string | undefined> {
  const holder = await customers.findHolder(tx, identifiers, "");
  const customer = holder && (await customers.findCustomerForUpdate(tx, holder.customerId));
  await eraseLinked(context, tx, { ...identifiers, ...customer?.identifiers });
  if (customer !== undefined) await eraseCustomer(tx, customer);
  return customer?.id;
}

/** A caller that may not erase passes must not erase them together with a customer. */
function requirePassScope({ actor, tenantId }: TenantContext): void {
  const scope = "Pass.Write";
  if (isAllowed(actor, scope, tenantId)) return;
  throw rightMissing(actor, scope, tenantId, "Erasing the passes too");
}

function changed(known: CustomerFields, sent: CustomerUpdate): CustomerFields {
  const result = applyChange(known, sent);
  if (!result.ok) throw validationProblem(result.errors);
  return result.fields;
}

async function lockOrRefuse(
  context: TenantContext,
  tx: TenantTx,
  customerId: string,
): Promise<Customer> {
  const customer = await customers.findCustomerForUpdate(tx, customerId);
  if (customer === undefined) throw customerNotFound({ customerId });
  context.requireMatch(versionOf(customer));
  return customer;
}

async function claimIdentifiers(
  tx: TenantTx,
  customerId: string,
  identifiers: Identifiers,
): Promise<void> {
  for (let count = 1; ; count += 1) {
    if (await customers.replaceIdentifiers(tx, customerId, identifiers)) return;
    const holder = await customers.findHolder(tx, identifiers, customerId);
    if (holder !== undefined) throw customerIdentifierTaken(holder);
    if (count === TRIES_MAX) throw identifiersBusy();
  }
}

/** Links a row of the audit to the customer. */
function about(customerId: string) {
  return { target: `customer:${customerId}`, subject: customerId };
}

/** Audit rows stay after the customer is erased, so they contain names of members, not values. */
function summary(customer: Customer) {
  const {
    identifiers,
    consents,
    version,
    id: _id,
    createdAt: _c,
    updatedAt: _u,
    ...texts
  } = customer;
  return {
    version,
    identifiers: Object.keys(identifiers),
    consents: Object.keys(consents),
    texts: Object.entries(texts).flatMap(([name, text]) => (text === null ? [] : [name])),
  };
}
