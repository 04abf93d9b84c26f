import type { TenantContext } from "#kernel/context.ts";
import { defineRecord } from "#kernel/db/record.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListField, ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  CUSTOMER_MEMBERS,
  type Customer,
  type CustomerFields,
  presentCustomer,
} from "./customer.schema.ts";
import type { Identifiers } from "./identifier.rules.ts";

const record = defineRecord<Customer, typeof CUSTOMER_MEMBERS>(CUSTOMER_MEMBERS);

/** The conditions name the table `customer`, so the query must use that name. */
export const CUSTOMER_LIST: ListSpec = {
  fields: {
    customerId: { sql: "customer.id", type: "id", nullable: false },
    email: { sql: "customer.email", type: "text" },
    phone: { sql: "customer.phone", type: "text" },
    firstName: { sql: "customer.first_name", type: "text" },
    lastName: { sql: "customer.last_name", type: "text" },
    locale: { sql: "customer.locale", type: "text" },
    createdAt: { sql: "customer.created_at", type: "timestamp", nullable: false },
    updatedAt: { sql: "customer.updated_at", type: "timestamp", nullable: false },
    version: { sql: "customer.version", type: "number", nullable: false },
  },
  families: [
    { prefix: "identifiers.", resolve: identifierField },
    { prefix: "consents.", resolve: consentField },
  ],
  id: "customerId",
  paging: "always",
  defaultSort: [{ field: "customerId", direction: "DESC" }],
};

function identifierField(name: string): ListField {
  return {
    sql: sql`customer.identifiers ->> ${name}::text`,
    type: "text",
    condition(operator, value) {
      if (operator !== "equals") return undefined;
      return sql`(customer.tenant_id, customer.id) in (
        select tenant_id, customer_id
          from customer_identifier
         where name = ${name}::text and value = ${value}::text)`;
    },
  };
}

/** True or false as the customer answered; null without an answer. */
function consentField(name: string): ListField {
  return { sql: sql`(customer.consents -> ${name}::text ->> 'granted')::boolean`, type: "boolean" };
}

export function listCustomers(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: record.columns,
      from: sql`customer`,
      where: sql`customer.tenant_id = ${context.tenantId}`,
      spec: CUSTOMER_LIST,
      present: presentCustomer,
    },
    input,
  );
}

export async function findCustomer(
  context: TenantContext,
  id: string,
): Promise<Customer | undefined> {
  const rows = await context.read(sql<Customer>`
    select ${record.columns} from customer where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

export function findCustomerForUpdate(tx: TenantTx, id: string): Promise<Customer | undefined> {
  return tx.maybeOne(sql<Customer>`
    select ${record.columns}
      from customer
     where tenant_id = ${tx.tenantId} and id = ${id}
       for update
  `);
}

/**
 * Until the end of this transaction, the customer is not erased: what is written about them will be
 * erased with them. False if there is no such customer.
 */
export async function holdCustomer(tx: TenantTx, id: string): Promise<boolean> {
  const held = await tx.maybeOne(sql<{ id: string }>`
    select id from customer where tenant_id = ${tx.tenantId} and id = ${id} for key share
  `);
  return held !== undefined;
}

export function insertCustomer(
  tx: TenantTx,
  id: string,
  fields: CustomerFields,
): Promise<Customer> {
  const customer = { ...fields, id, createdAt: tx.now, updatedAt: tx.now };
  return tx.one(sql<Customer>`
    insert into customer (tenant_id, ${record.insertColumns})
    values (${tx.tenantId}, ${record.insertValues(customer)})
    returning ${record.columns}
  `);
}

/** The caller must have locked the row with `findCustomerForUpdate`. */
export function updateCustomer(
  tx: TenantTx,
  id: string,
  fields: CustomerFields,
): Promise<Customer> {
  return tx.one(sql<Customer>`
    update customer
       set ${record.assignments(fields)},
           updated_at = ${tx.now},
           version = version + 1
     where tenant_id = ${tx.tenantId} and id = ${id}
    returning ${record.columns}
  `);
}

/**
 * Returns false if another customer has one of the identifiers. Waits for transactions that add the
 * same ones. Inserts in the order of names, so that two transactions do not deadlock.
 */
export async function replaceIdentifiers(
  tx: TenantTx,
  customerId: string,
  identifiers: Identifiers,
): Promise<boolean> {
  await deleteIdentifiers(tx, customerId);
  const count = await tx.run(sql`
    insert into customer_identifier (tenant_id, name, value, customer_id)
    select ${tx.tenantId}, name, value, ${customerId}
      from ${pairs(identifiers)} as identifier (name, value)
     order by name collate "C"
        on conflict do nothing
  `);
  return count === Object.keys(identifiers).length;
}

async function deleteIdentifiers(tx: TenantTx, customerId: string): Promise<void> {
  await tx.run(sql`
    delete from customer_identifier
     where tenant_id = ${tx.tenantId} and customer_id = ${customerId}
  `);
}

export type Holder = { readonly name: string; readonly customerId: string };

/** Finds another customer that has one of these identifiers. */
export function findHolder(
  tx: TenantTx,
  identifiers: Identifiers,
  except: string,
): Promise<Holder | undefined> {
  return tx.maybeOne(sql<Holder>`
    select name, customer_id as "customerId"
      from customer_identifier
     where tenant_id = ${tx.tenantId}
       and customer_id <> ${except}
       and (name, value) in (select * from ${pairs(identifiers)})
     order by name
     limit 1
  `);
}

/** Whether a customer has one of these identifiers. */
export async function holdsIdentifiers(
  context: TenantContext,
  identifiers: Identifiers,
): Promise<boolean> {
  const rows = await context.read(sql`
    select from customer_identifier
     where tenant_id = ${context.tenantId}
       and (name, value) in (select * from ${pairs(identifiers)})
     limit 1
  `);
  return rows.length > 0;
}

function pairs(identifiers: Identifiers): Sql {
  return sql`unnest(${Object.keys(identifiers)}::text[], ${Object.values(identifiers)}::text[])`;
}

export async function deleteCustomer(tx: TenantTx, id: string): Promise<void> {
  await deleteIdentifiers(tx, id);
  await tx.run(sql`delete from customer where tenant_id = ${tx.tenantId} and id = ${id}`);
}
