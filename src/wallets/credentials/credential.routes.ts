import { hash } from "node:crypto";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { TenantParams } from "#src/tenants/public.ts";
import { HEALTH_EXAMPLE, WalletHealth } from "./credential.schema.ts";
import { getWalletHealth } from "./credential.service.ts";

export const walletHealthGet = defineRoute({
  op: "wallet.get",
  method: "GET",
  url: "/api/:tenantId/admin/wallets",
  scope: "Secret.Read",
  summary: "Read the health of the wallets' credentials",
  description:
    "For each wallet: whether its credential is there and usable, for whom it was issued, how long it lasts, and what is wrong with it, in plain words. Never the value of a secret.",
  params: TenantParams,
  reply: WalletHealth,
  example: { reply: HEALTH_EXAMPLE },
  async handle(context) {
    const health = await getWalletHealth(context);
    return answer(health, { version: hash("sha256", JSON.stringify(health), "base64url") });
  },
});

export const credentialRoutes: readonly Route[] = [walletHealthGet];
