import Type from "typebox";
import { defineRoute } from "#kernel/http/route.ts";
import { presenterOf } from "../pass.routes.ts";
import { PASS_EXAMPLE, PassView } from "../pass.schema.ts";
import { listPasses, PASS_LIST } from "./pass-list.repository.ts";

export const passList = defineRoute({
  op: "pass.list",
  method: "GET",
  url: "/api/:tenantId/passes",
  scope: "Pass.Read",
  summary: "List passes",
  description:
    "The newest first. `installationStatus`, `apple` and `google` are `none`, `installed` or `uninstalled`. A member of an object is named with a dot: `additionalData.address.city`. Numbers and booleans are compared with what you write as `5` and `true`. In order, texts (by code points) stand before numbers, and numbers before booleans; passes without the value, such as those in no wallet, come last in either direction. The total is exact up to 10,000 passes in the tenant, without a filter, by `passType` and `status`, and up to 1,000 matches; beyond, it is counted now and then.",
  list: PASS_LIST,
  reply: Type.Array(PassView),
  example: { reply: [PASS_EXAMPLE] },
  handle: async (context, input) => listPasses(context, input, await presenterOf(context)),
});
