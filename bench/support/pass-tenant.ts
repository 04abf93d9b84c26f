import { createClient } from "#test/support/client.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { type Product, TENANT_FILE } from "./product.ts";

/** Gives a tenant types of pass and a key for passes and scans; makes it if need be. */
export async function preparePassTenant(product: Product, tenantId: string): Promise<string> {
  const api = createClient(product.url);
  const key = product.operatorKey;
  const tenant = await api.put(`/api/tenants/${tenantId}`, {
    key,
    body: { files: { "tenant.yml": TENANT_FILE, ...PASS_FILES } },
  });
  if (tenant.status > 201) throw new Error(`No tenant: ${tenant.text}`);
  const created = await api.post(`/api/${tenantId}/admin/apiKeys`, {
    key,
    body: { name: "bench-passes", scopes: ["Pass.Read", "Pass.Write", "PassScan.Scan"] },
  });
  if (created.status !== 201) throw new Error(`No key: ${created.text}`);
  return created.body.token;
}
