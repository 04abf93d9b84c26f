import type { TenantContext } from "#kernel/context.ts";
import { getPass } from "#src/passes/public.ts";
import { configurationOf, publicAddress } from "#src/tenants/public.ts";

/** The public address of a file with these passes. */
export async function createBundleLink(
  context: TenantContext,
  passIds: readonly string[],
): Promise<string> {
  const { settings } = await configurationOf(context);
  const address = publicAddress(context.runtime.baseUrl, settings.customDomain);
  const links: string[] = [];
  for (const passId of passIds) {
    const { id, secret } = await getPass(context, passId);
    links.push(`${id}.${secret}`);
  }
  return `${address}/p/${context.tenantId}/${links.join(",")}/passes.pkpasses`;
}
