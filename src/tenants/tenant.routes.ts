import Type from "typebox";
import { defineRoute } from "#kernel/http/route.ts";
import { listTenants, TENANT_LIST } from "./tenant.repository.ts";
import { TenantParams, TenantView } from "./tenant.schema.ts";
import { deleteTenant } from "./tenant.service.ts";

export const tenantList = defineRoute({
  op: "tenant.list",
  method: "GET",
  url: "/api/tenants",
  scope: "platform:admin",
  summary: "List all tenants",
  list: TENANT_LIST,
  reply: Type.Array(TenantView),
  handle: (context, input) => listTenants(context, input),
});

export const tenantDelete = defineRoute({
  op: "tenant.delete",
  method: "DELETE",
  url: "/api/tenants/:tenantId",
  scope: "platform:admin",
  summary: "End a tenant",
  description:
    "Its keys stop at once, its secrets can never be opened again, and a job erases all its data. This cannot be undone.",
  params: TenantParams,
  handle: (context) => deleteTenant(context),
});
