import { tooBusy } from "#kernel/fair-gate.ts";
import { defineRoute } from "#kernel/http/route.ts";
import { contentNotFound } from "#src/content/public.ts";
import { PassParams, passNotFound } from "#src/passes/public.ts";
import { configurationInvalid, TenantParams } from "#src/tenants/public.ts";
import { previewTemplateMissing } from "./preview.errors.ts";
import { PREVIEW_EXAMPLE, Preview, PreviewRequest } from "./preview.schema.ts";
import { createPreview, getPreview } from "./preview.service.ts";

/** Room for some pictures; the texts of a whole tenant have a fraction of it. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

export const previewGet = defineRoute({
  op: "preview.get",
  method: "GET",
  url: "/api/:tenantId/passes/:passId/preview",
  scope: "Pass.Read",
  summary: "See a pass as both wallets get it",
  description:
    "The `pass.json` with its translations and images, and the class and object of Google Wallet, made by the published template. What only the real pass may hold, such as its `authenticationToken`, is left out; no credentials are needed.",
  params: PassParams,
  reply: Preview,
  errors: [tooBusy, passNotFound, contentNotFound],
  example: { reply: PREVIEW_EXAMPLE },
  handle: (context, { params }) => getPreview(context, params.passId),
});

export const previewCreate = defineRoute({
  op: "preview.create",
  method: "POST",
  url: "/api/tenants/:tenantId/preview",
  scope: "TenantConfiguration.Read",
  summary: "See what unpublished files would give",
  description:
    "Makes a pass by the draft, or by the version in force if there is no draft, with the files sent laid over it, and tells what is wrong with them. Without `passId` the pass holds sample data. Nothing is stored.",
  params: TenantParams,
  body: PreviewRequest,
  bodySizeBytesMax: BODY_BYTES_MAX,
  reply: Preview,
  status: 200,
  inSteps: true,
  rateLimit: { limit: 600, windowSeconds: 60 },
  errors: [tooBusy, configurationInvalid, previewTemplateMissing, passNotFound],
  example: {
    body: { passType: "loyalty", additionalData: { firstName: "Camille" } },
    reply: PREVIEW_EXAMPLE,
  },
  handle: (context, { body }) => createPreview(context, body),
});
