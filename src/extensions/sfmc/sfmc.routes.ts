import Type from "typebox";
import { ANY_TYPE, defineRoute, type Route } from "#kernel/http/route.ts";
import { inboxNotFound, inboxSignatureInvalid } from "../inbox/inbox.errors.ts";
import { journeyTooSlow } from "../journeys/journey.errors.ts";
import { activityConfig, doneArguments } from "./sfmc.activity.ts";
import { ActivityConfig, ActivityParams, StepParams, StepResult } from "./sfmc.schema.ts";
import { describeActivity, runStep } from "./sfmc.service.ts";

const BODY_BYTES_MAX = 256 * 1024;
const NO_BYTES = Buffer.alloc(0);
const EXAMPLE_ADDRESS =
  "https://passes.example/api/cafe-lune/extensions/sfmc/webhooks/0VfQm3Ks00x7Rk2LwPq9Zt4hJ6nB8vC1xD3sF5gL";

const sfmcConfig = defineRoute({
  op: "sfmc.config",
  method: "GET",
  url: "/api/:tenantId/extensions/sfmc/webhooks/:activityToken/config.json",
  scope: "public",
  summary: "Describe the activity to Journey Builder",
  description:
    "`webhookUrl` of the settings is the endpoint of the activity in the installed package; Journey Builder adds `config.json` to it.",
  params: ActivityParams,
  reply: ActivityConfig,
  errors: [inboxNotFound],
  example: { reply: activityConfig(EXAMPLE_ADDRESS, {}) },
  handle: (context, { params }) => describeActivity(context, params.activityToken),
});

const sfmcStep = defineRoute({
  op: "sfmc.step",
  method: "POST",
  url: "/api/:tenantId/extensions/sfmc/webhooks/:activityToken/:step",
  scope: "public",
  summary: "Take a call of Journey Builder",
  description:
    "For Marketing Cloud alone. The whole body is a token (JWT, HS256) that the signing secret of the package has signed. `execute` does what the activity was set up for, and answers 200 with arguments for the next steps, also where it fails for this contact: any other status ejects the contact from the journey. The other steps answer 200 with an empty object.",
  params: StepParams,
  body: Type.Unknown({ description: "A signed token, as `application/jwt`." }),
  rawBody: { type: ANY_TYPE, sizeBytesMax: BODY_BYTES_MAX },
  reply: StepResult,
  noStore: true,
  errors: [inboxNotFound, inboxSignatureInvalid, journeyTooSlow],
  example: {
    body: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJrZXlWYWx1ZSI6IkMtMSJ9.…",
    reply: doneArguments({
      status: "created",
      passId: "ps_0VfQm3Ks00x7Rk2LwPq9Zt",
      installUrl: "https://passes.example/p/cafe-lune/ps_0VfQm3Ks00x7Rk2LwPq9Zt.4hJ6nB8vC1xD3sF5gL",
    }),
  },
  handle: (context, { params: { activityToken, step }, raw }) =>
    runStep(context, activityToken, step, raw ?? NO_BYTES),
});

export const sfmcRoutes: readonly Route[] = [sfmcConfig, sfmcStep];
