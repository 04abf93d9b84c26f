import type { TenantContext } from "#kernel/context.ts";
import { findDropFile, type ImportFile, summarizeDrop } from "#src/imports/public.ts";
import { readSecret } from "#src/secrets/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { hostKeysOf } from "./host-keys/host-key.service.ts";
import { PASSWORD_SECRET } from "./server/login.service.ts";
import { addressOf } from "./sftp.address.ts";
import { sftpFileNotFound } from "./sftp.errors.ts";
import type { DropFacts } from "./sftp.schema.ts";

/** Whether the tenant has a file drop, how to reach it, and what is in it. */
export async function getStatus(context: TenantContext): Promise<DropFacts> {
  const { runtime, tenantId } = context;
  const tenant = await tenantCacheOf(runtime).find(tenantId);
  const drop = tenant?.settings.sftp;
  return {
    tenantId,
    isEnabled: drop?.enabled === true,
    hasPassword: (await readSecret(context, PASSWORD_SECRET)) !== undefined,
    keys: drop?.keys?.length ?? 0,
    address: addressOf(runtime),
    hostKeys: await hostKeysOf(runtime),
    summary: await summarizeDrop(context),
  };
}

/** The file whose log is asked for; undefined for a tenant without a file drop, which has no files. */
export async function findLoggedFile(
  context: TenantContext,
  fileName: string,
): Promise<ImportFile | undefined> {
  const file = await findDropFile(context, fileName);
  if (file !== undefined) return file;
  const tenant = await tenantCacheOf(context.runtime).find(context.tenantId);
  if (tenant?.settings.sftp?.enabled === true) throw sftpFileNotFound();
  return undefined;
}
