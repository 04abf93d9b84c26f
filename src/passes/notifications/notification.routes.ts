import { problemKinds } from "#kernel/http/problem.ts";
import { defineRoute } from "#kernel/http/route.ts";
import { acceptedJob } from "#src/jobs/public.ts";
import { passNotFound } from "../pass.errors.ts";
import { PASS_EXAMPLE, PassParams } from "../pass.schema.ts";
import { ACCEPTED_EXAMPLE } from "../updates/update.schema.ts";
import { passNotActive } from "./notification.errors.ts";
import { NotificationAccepted, NotificationSent } from "./notification.schema.ts";
import { notifyPass } from "./notification.service.ts";

export const passNotify = defineRoute({
  op: "pass.notify",
  method: "PUT",
  url: "/api/:tenantId/passes/:passId/notification",
  scope: "Pass.Write",
  summary: "Send a message to the holder of a pass",
  description:
    "Shown on the lock screen by the wallets that hold the pass: `content`, or one text per language. Accepted with 202 and handed to the wallets afterwards; a pass that no wallet holds has nobody to tell. One that is disabled or expired is refused with 409.",
  params: PassParams,
  body: NotificationSent,
  bodyNeeded: true,
  reply: NotificationAccepted,
  status: 202,
  errors: [passNotFound, passNotActive, problemKinds.preconditionFailed],
  example: {
    body: { content: "Your table is ready." },
    reply: { passId: PASS_EXAMPLE.id, state: "queued", jobId: ACCEPTED_EXAMPLE.jobId },
  },
  async handle(context, { params: { passId }, body }) {
    const jobId = await notifyPass(context, passId, body);
    return acceptedJob(context, { passId, state: "queued", jobId });
  },
});
