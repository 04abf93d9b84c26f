import Type from "typebox";
import { isAllowed } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { configurationOf, publicAddress } from "#src/tenants/public.ts";
import { passIdentifierTaken, passNotFound } from "./pass.errors.ts";
import {
  ExpandedPass,
  PASS_EXAMPLE,
  type Pass,
  PassCreate,
  PassParams,
  PassView,
  presentPass,
  presentWithLinks,
  versionOf,
  WRITABLE_PASS_EXAMPLE,
} from "./pass.schema.ts";
import { createPass, deletePass, expandPass, getPass } from "./pass.service.ts";

export const passCreate = defineRoute({
  op: "pass.create",
  method: "POST",
  url: "/api/:tenantId/passes",
  scope: "Pass.Write",
  summary: "Create a pass for a customer",
  description:
    "Identifiers that the template calls unique belong to one pass of its type: another one is refused with 409, which names the holder, or found with `onConflict`. Send `links.landing` to the customer: it is the page from which the pass is added to a wallet.",
  query: Type.Object(
    {
      passType: Type.String({
        minLength: 1,
        maxLength: 64,
        description: "The name of a template.",
        examples: ["loyalty"],
      }),
      onConflict: Type.Optional(
        Type.Enum(["fail", "return", "update"], {
          default: "fail",
          description:
            "When another pass has the identifiers: `return` answers 200 with it, `update` changes it by what was sent.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  body: PassCreate,
  reply: PassView,
  status: 201,
  otherStatuses: [200],
  errors: [passIdentifierTaken],
  example: {
    body: { identifiers: PASS_EXAMPLE.identifiers, additionalData: PASS_EXAMPLE.additionalData },
    reply: WRITABLE_PASS_EXAMPLE,
  },
  async handle(context, { query, body }) {
    const { passType, onConflict = "fail" } = query;
    const { pass, isNew } = await createPass(context, passType, body, onConflict);
    const present = await presenterOf(context);
    const location = `/api/${context.tenantId}/passes/${pass.id}`;
    return answer(present(pass), {
      status: isNew ? 201 : 200,
      headers: { location },
      version: versionOf(pass),
    });
  },
});

export const passGet = defineRoute({
  op: "pass.get",
  method: "GET",
  url: "/api/:tenantId/passes/:passId",
  scope: "Pass.Read",
  summary: "Read one pass",
  description:
    "With `expand` there is no ETag: what it shows may change while the record does not.",
  params: PassParams,
  query: Type.Object(
    {
      expand: Type.Optional(
        Type.String({
          maxLength: 200,
          description:
            "What else to show, separated by commas: `privileges`, `scans` for the last hundred scans, `receipts` for the last hundred receipts, and `timeline` for the last hundred events.",
          examples: ["privileges,scans,timeline"],
        }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: ExpandedPass,
  errors: [passNotFound],
  example: { reply: PASS_EXAMPLE },
  async handle(context, { params, query }) {
    const pass = await getPass(context, params.passId);
    const present = await presenterOf(context);
    if (query.expand === undefined) {
      return answer(present(pass), { version: versionOf(pass) });
    }
    const names = [...new Set(query.expand.split(","))];
    const more = await expandPass(context, pass.id, names);
    // Without an ETag, because expanded data can change while the version of the pass stays the
    // same.
    return { ...present(pass), ...more };
  },
});

export const passDelete = defineRoute({
  op: "pass.delete",
  method: "DELETE",
  url: "/api/:tenantId/passes/:passId",
  scope: "Pass.Write",
  summary: "Erase a pass and what is known of its holder",
  description:
    "The record, its identifiers and the contents of its events are erased at once; that events happened, and how many, stays. Cannot be undone.",
  params: PassParams,
  errors: [passNotFound],
  async handle(context, { params }) {
    await deletePass(context, params.passId);
  },
});

/**
 * Makes the function that shows passes to this caller. The configuration of the call says which
 * domain the links have; callers that see no links do not wait for it.
 */
export async function presenterOf(context: TenantContext): Promise<(pass: Pass) => PassView> {
  const { actor, tenantId, runtime } = context;
  if (!isAllowed(actor, "Pass.Write", tenantId)) return presentPass;
  const { settings } = await configurationOf(context);
  const address = publicAddress(runtime.baseUrl, settings.customDomain);
  return (pass) => presentWithLinks(pass, address, tenantId);
}

export const passRoutes = [passCreate, passGet, passDelete];
