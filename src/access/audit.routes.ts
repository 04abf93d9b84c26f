import Type from "typebox";
import { defineRoute, type Route } from "#kernel/http/route.ts";
import {
  AUDIT_LIST,
  INSTALLATION_AUDIT_LIST,
  listAudit,
  listInstallationAudit,
} from "./audit.repository.ts";
import { AUDIT_EXAMPLE, AuditView, InstallationAuditView } from "./audit.schema.ts";

export const auditList = defineRoute({
  op: "audit.list",
  method: "GET",
  url: "/api/:tenantId/admin/audit",
  scope: "Audit.Read",
  summary: "List who changed what in this tenant",
  description:
    "Newest first. Every write is here, whatever the credential, in its own transaction.",
  list: AUDIT_LIST,
  reply: Type.Array(AuditView),
  example: { reply: [AUDIT_EXAMPLE] },
  handle: listAudit,
});

export const installationAuditList = defineRoute({
  op: "audit.list-all",
  method: "GET",
  url: "/api/audit",
  scope: "platform:admin",
  summary: "List who changed what in the whole installation",
  description: "Newest first, the rows of all tenants and those of the installation itself.",
  list: INSTALLATION_AUDIT_LIST,
  reply: Type.Array(InstallationAuditView),
  example: { reply: [{ ...AUDIT_EXAMPLE, tenantId: "cafe-lune" }] },
  handle: listInstallationAudit,
});

export const auditRoutes: Route[] = [auditList, installationAuditList];
