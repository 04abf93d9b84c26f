import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { jobIsFinished, jobNotFound } from "./job.errors.ts";
import { JOB_LIST } from "./job.repository.ts";
import {
  JOB_EXAMPLE,
  JobParams,
  JobSummary,
  JobView,
  jobVersionOf,
  presentJob,
} from "./job.schema.ts";
import { cancelJob, getJob, type JobWithFailures, listJobs } from "./job.service.ts";

function present({ job, failures }: JobWithFailures) {
  return answer({ ...presentJob(job), failures }, { version: jobVersionOf(job) });
}

const { failures: _failures, ...SUMMARY_EXAMPLE } = JOB_EXAMPLE;

export const jobList = defineRoute({
  op: "job.list",
  method: "GET",
  url: "/api/:tenantId/jobs",
  scope: "Pass.Read",
  orScopes: ["Webhook.Read"],
  summary: "List what goes on in the background",
  description:
    "The newest first. Kept for 30 days after its end. Jobs about passes for those with `Pass.Read`, those about webhooks for those with `Webhook.Read`.",
  list: JOB_LIST,
  reply: Type.Array(JobSummary),
  example: { reply: [SUMMARY_EXAMPLE] },
  handle: (context, input) => listJobs(context, input),
});

export const jobGet = defineRoute({
  op: "job.get",
  method: "GET",
  url: "/api/:tenantId/jobs/:jobId",
  scope: "Pass.Read",
  orScopes: ["Webhook.Read"],
  summary: "Read how far a job is",
  description:
    "With its counts, its rate and the first failures. All counts are true at every moment: each change is counted together with being made.",
  params: JobParams,
  reply: JobView,
  errors: [jobNotFound],
  example: { reply: JOB_EXAMPLE },
  async handle(context, { params }) {
    return present(await getJob(context, params.jobId));
  },
});

export const jobCancel = defineRoute({
  op: "job.cancel",
  method: "POST",
  url: "/api/:tenantId/jobs/:jobId/cancel",
  scope: "Pass.Write",
  orScopes: ["Webhook.Write"],
  summary: "Stop a job",
  description:
    "What was changed stays changed; nothing more is changed once this is answered. One that has ended is refused with 409.",
  params: JobParams,
  reply: JobView,
  errors: [jobNotFound, jobIsFinished],
  example: {
    reply: {
      ...JOB_EXAMPLE,
      state: "cancelled",
      finishedAt: "2026-01-31T09:30:08.100Z",
      remainingSeconds: 0,
    },
  },
  async handle(context, { params }) {
    return present(await cancelJob(context, params.jobId));
  },
});

export const jobRoutes = [jobList, jobGet, jobCancel];
