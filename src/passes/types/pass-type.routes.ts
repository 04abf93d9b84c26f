import Type from "typebox";
import { defineRoute } from "#kernel/http/route.ts";
import { passTypesOf } from "../pass.types.ts";
import { PASS_TYPE_EXAMPLE, PassTypeView, presentPassType } from "./pass-type.schema.ts";

export const passTypeList = defineRoute({
  op: "pass-type.list",
  method: "GET",
  url: "/api/:tenantId/pass-types",
  scope: "Pass.Read",
  summary: "List the kinds of pass that can be created",
  description:
    "Those of the published configuration, by name, with what a form must ask for. It shows nothing of how a pass looks: see the configuration for that.",
  reply: Type.Array(PassTypeView),
  example: { reply: [PASS_TYPE_EXAMPLE] },
  async handle(context) {
    const types = await passTypesOf(context);
    return types.names
      .toSorted()
      .flatMap((name) => types.find(name) ?? [])
      .map(presentPassType);
  },
});
