import { seedPass, seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

/** What the makers of all modules share. */

export type Made = Readonly<Record<string, string>>;
/** Gets what was made for the parameters before it. */
export type Maker = (api: TestApi, tenantId: string, mark: string, made: Made) => Promise<string>;

/** Makes what must be there before an operation can succeed; may name other parameters to use. */
export type Preparation = (api: TestApi, tenantId: string, mark: string) => Promise<object>;

/** Publishes the types of passes only where an operation took them away: that takes its time. */
export async function ensurePass(
  api: TestApi,
  tenantId: string,
  more: Parameters<typeof seedPass>[2],
) {
  try {
    return await seedPass(api, tenantId, more);
  } catch {
    await seedPassTenant(api, tenantId);
    return await seedPass(api, tenantId, more);
  }
}

export async function made(
  api: TestApi,
  path: string,
  body: unknown,
  member: string,
): Promise<string> {
  const answer = await api.post(path, { key: api.operatorKey, body });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body[member];
}
