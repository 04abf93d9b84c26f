import { defineRoute } from "#kernel/http/route.ts";
import { ME_EXAMPLE, MeView } from "./me.schema.ts";
import { getMe } from "./me.service.ts";

export const meGet = defineRoute({
  op: "me.get",
  method: "GET",
  url: "/api/me",
  scope: "signed-in",
  summary: "Read who is asking",
  description:
    "Whose credential the request carries, the tenants it may enter with their names, and its scopes.",
  reply: MeView,
  example: { reply: ME_EXAMPLE },
  handle: (context) => getMe(context),
});
