import { defineRoute } from "#kernel/http/route.ts";
import { TenantParams } from "#src/tenants/public.ts";
import { extensionNotConfigured } from "../settings/settings.errors.ts";
import { botCheckRefused, botCheckUnavailable } from "./bot-check.errors.ts";
import { BotCheckAsked, BotCheckResult, RESULT_EXAMPLE } from "./bot-check.schema.ts";
import { verifyBotCheck } from "./bot-check.service.ts";

export const botCheckVerify = defineRoute({
  op: "bot-check.verify",
  method: "POST",
  url: "/api/:tenantId/extensions/bot-check/verify",
  scope: "BotCheck.Verify",
  summary: "Ask whether a visitor is a person",
  description:
    "For forms of your own, before anything of the visitor is kept. Answers 200 only for a token that the vendor accepts, from a host, an action and with a score that fit `server/bot-check.yml`. A vendor that is slow, away or cannot be understood refuses everybody: 503.",
  params: TenantParams,
  body: BotCheckAsked,
  reply: BotCheckResult,
  inSteps: true,
  noStore: true,
  errors: [botCheckRefused, botCheckUnavailable, extensionNotConfigured],
  example: { body: { token: "0.vf8yKX…" }, reply: RESULT_EXAMPLE },
  handle: (context, { body }) => verifyBotCheck(context, body),
});
