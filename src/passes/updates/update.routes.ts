import Type from "typebox";
import { validationProblem } from "#kernel/errors.ts";
import { tooBusy } from "#kernel/fair-gate.ts";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { acceptedJob } from "#src/jobs/public.ts";
import { PASS_LIST } from "../lists/pass-list.repository.ts";
import { passIdentifierTaken, passNotFound } from "../pass.errors.ts";
import { presenterOf } from "../pass.routes.ts";
import { PASS_EXAMPLE, PassParams, PassUpdate, versionOf } from "../pass.schema.ts";
import {
  ACCEPTED_EXAMPLE,
  PassUpdateMany,
  SingleAccepted,
  UPDATE_BYTES_MAX,
  UpdateAccepted,
  UpdatedMany,
  UpdatedPass,
} from "./update.schema.ts";
import { readUpdates } from "./update.selection.ts";
import { acceptUpdate, acceptUpdates, updatePassesNow, updatePassNow } from "./update.service.ts";

export const passUpdateMany = defineRoute({
  op: "pass.update-many",
  method: "PATCH",
  url: "/api/:tenantId/passes",
  scope: "Pass.Write",
  summary: "Change many passes",
  description:
    "Select passes by `passIds`, by `identifiers`, by the `filter` of the list or, with a change for each, by `updates`. Answered with 202 and a job to follow: the passes are those selected at this moment, each is changed exactly once, and changes of one pass are made in the order in which they were accepted; several that wait become one version. With `options.BypassQueue` at most 100 passes are changed before the answer, which is 200 with a result for each.",
  body: PassUpdateMany,
  bodyNeeded: true,
  bodySizeBytesMax: UPDATE_BYTES_MAX,
  reply: Type.Union([UpdateAccepted, UpdatedMany]),
  status: 202,
  otherStatuses: [200],
  errors: [tooBusy],
  example: {
    body: {
      filter: [{ field: "additionalData.tier", operator: "equals", value: "Deck" }],
      additionalData: { tier: "Bridge" },
    },
    reply: ACCEPTED_EXAMPLE,
  },
  async handle(context, { body }) {
    const read = await readUpdates(body, PASS_LIST);
    if (!read.ok) throw validationProblem(read.errors);
    const { options = {} } = body;
    if (options.BypassQueue !== true) {
      return acceptedJob(context, await acceptUpdates(context, read.wanted, options));
    }
    const results = await updatePassesNow(context, read.wanted, options);
    return answer({ results }, { status: 200 });
  },
});

export const passUpdate = defineRoute({
  op: "pass.update",
  method: "PATCH",
  url: "/api/:tenantId/passes/:passId",
  scope: "Pass.Write",
  summary: "Change a pass",
  description:
    "Members sent replace those stored, null deletes one, and what is not sent stays. Answered with 202 and a job to follow; with `options.BypassQueue`, with 200 and the pass as it is then, after all that was accepted for it before; what still waits for sources of metadata is done without them. `If-Match` holds when the change is made: it fails when the pass has another version by then. A change that changes nothing makes no version and no event.",
  params: PassParams,
  body: PassUpdate,
  bodyNeeded: true,
  reply: Type.Union([SingleAccepted, UpdatedPass]),
  status: 202,
  otherStatuses: [200],
  errors: [passNotFound, passIdentifierTaken],
  example: {
    body: { additionalData: { firstName: PASS_EXAMPLE.additionalData.firstName } },
    reply: { jobId: ACCEPTED_EXAMPLE.jobId },
  },
  async handle(context, { params, body }) {
    if (body.options?.BypassQueue !== true) {
      return acceptedJob(context, { jobId: await acceptUpdate(context, params.passId, body) });
    }
    const { pass, failures, delivery } = await updatePassNow(context, params.passId, body);
    const shown = failures.length === 0 ? { delivery } : { delivery, metadataFailures: failures };
    const present = await presenterOf(context);
    return answer({ ...present(pass), ...shown }, { status: 200, version: versionOf(pass) });
  },
});

export const updateRoutes = [passUpdateMany, passUpdate];
