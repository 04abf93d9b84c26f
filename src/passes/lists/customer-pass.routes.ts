import Type from "typebox";
import { defineRoute } from "#kernel/http/route.ts";
import { CustomerParams, customerNotFound } from "#src/customers/public.ts";
import { presenterOf } from "../pass.routes.ts";
import { PASS_EXAMPLE, PassView } from "../pass.schema.ts";
import { listPassesOfCustomer } from "./customer-pass.service.ts";
import { PASS_LIST } from "./pass-list.repository.ts";

export const passListOfCustomer = defineRoute({
  op: "pass.list-of-customer",
  method: "GET",
  url: "/api/:tenantId/customers/:customerId/passes",
  scope: "Pass.Read",
  summary: "List the passes of a customer",
  description: "Those that share at least one identifier with the customer, the newest first.",
  params: CustomerParams,
  list: PASS_LIST,
  reply: Type.Array(PassView),
  errors: [customerNotFound],
  example: { reply: [PASS_EXAMPLE] },
  async handle(context, input) {
    const present = await presenterOf(context);
    return await listPassesOfCustomer(context, input.params.customerId, input, present);
  },
});
