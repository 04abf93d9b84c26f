import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type Filter, type ListWish, listQuery } from "../api/list-query.ts";

export type Customer = components["schemas"]["Customer"];
export type CustomerCreate = components["schemas"]["CustomerCreate"];
export type CustomerUpdate = components["schemas"]["CustomerUpdate"];
export type Pass = components["schemas"]["Pass"];

const PASSES_SHOWN = 20;

export const CUSTOMER_EVENTS = ["customer."];
export const customersOf = (tenantId: string): readonly unknown[] => ["customers", tenantId];

const at = (tenantId: string, customerId: string) => ({
  params: { path: { tenantId, customerId } },
});

export const listCustomers = (tenantId: string, wish: ListWish): Promise<ListPage<Customer>> =>
  takePage(
    api.GET("/api/{tenantId}/customers", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

export const getCustomer = (tenantId: string, customerId: string): Promise<Customer> =>
  take(api.GET("/api/{tenantId}/customers/{customerId}", at(tenantId, customerId)));

export const createCustomer = (tenantId: string, body: CustomerCreate): Promise<Customer> =>
  take(api.POST("/api/{tenantId}/customers", { params: { path: { tenantId } }, body }));

export const updateCustomer = (
  tenantId: string,
  customerId: string,
  body: CustomerUpdate,
): Promise<Customer> =>
  take(api.PATCH("/api/{tenantId}/customers/{customerId}", { ...at(tenantId, customerId), body }));

export const eraseCustomer = (
  tenantId: string,
  customerId: string,
  passes: boolean,
): Promise<unknown> =>
  take(
    api.DELETE("/api/{tenantId}/customers/{customerId}", {
      params: { path: { tenantId, customerId }, ...(passes ? { query: { passes } } : {}) },
    }),
  );

export const listPasses = (tenantId: string, customerId: string): Promise<ListPage<Pass>> =>
  takePage(
    api.GET("/api/{tenantId}/customers/{customerId}/passes", {
      params: { path: { tenantId, customerId }, query: listQuery({ pageSize: PASSES_SHOWN }) },
    }),
  );

/** What one calls them: the name, else the address, else any identifier. */
export function nameOf({ firstName, lastName, email, phone, identifiers, customerId }: Customer) {
  const name = [firstName, lastName].filter((part) => part !== null).join(" ");
  return name || email || phone || Object.values(identifiers)[0] || customerId;
}

const IDENTIFIER = /^([\w-]+\.[\w.-]+)\s*=\s*(.+)$/;

/** All filters must hold, so the kind of what was typed is told from how it looks. */
export function typedFilter(text: string, isFirstName: boolean): Filter[] {
  const value = text.trim();
  const [, name, identifier] = IDENTIFIER.exec(value) ?? [];
  if (name !== undefined && identifier !== undefined)
    return [{ field: `identifiers.${name}`, operator: "equals", value: identifier }];
  if (value.includes("@")) return [{ field: "email", operator: "contains", value }];
  if (/^cus_/.test(value)) return [{ field: "customerId", operator: "equals", value }];
  if (/^\+?\d[\d\s]*$/.test(value))
    return [{ field: "phone", operator: "contains", value: value.replaceAll(/\s/g, "") }];
  return [{ field: isFirstName ? "firstName" : "lastName", operator: "contains", value }];
}
