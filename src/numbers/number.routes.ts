import { defineRoute } from "#kernel/http/route.ts";
import { NUMBERS_EXAMPLE, NumbersQuery, NumbersView } from "./number.schema.ts";
import { getNumbers } from "./number.service.ts";

export const numbersGet = defineRoute({
  op: "numbers.get",
  method: "GET",
  url: "/api/:tenantId/admin/numbers",
  scope: "Pass.Read",
  summary: "Read how much happened",
  description:
    "Passes issued, installed and removed, scans, redemptions, updates of wallets and deliveries to webhooks, in all and by the hour or the day, beside the period before. They are kept for 400 days and stay when a pass is erased. Counting began with the oldest event that was kept then.",
  query: NumbersQuery,
  reply: NumbersView,
  rateLimit: { limit: 120, windowSeconds: 60 },
  example: { reply: NUMBERS_EXAMPLE },
  handle: (context, { query }) => getNumbers(context, query),
});
