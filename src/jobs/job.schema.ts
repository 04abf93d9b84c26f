import Type, { type Static } from "typebox";
import { type Answer, answer } from "#kernel/http/route.ts";

export const FAILURES_KEPT_MAX = 1_000;
export const FAILURES_SHOWN_MAX = 100;
const ID_EXAMPLE = "job_0VfQm3Ks00x7Rk2LwPq9Zt";

const Moment = Type.String({ format: "date-time" });
const MaybeMoment = Type.Union([Moment, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

export const JobState = Type.Enum(["queued", "running", "completed", "cancelled", "failed"], {
  description:
    "`failed` when not one of those matched could be changed; `completed` when some could, or none was matched.",
});
export type JobState = Static<typeof JobState>;

/** What the caller requested. Changes are shown by name, without their values. */
export const JobRequest = Type.Object({
  subject: Type.Optional(
    Type.String({ description: "The one thing that it is about, such as the id of a webhook." }),
  ),
  selection: Type.String({ description: "How things were chosen.", examples: ["passIds"] }),
  changes: Type.Array(Type.String(), {
    description: "The members to change, not what they become; the first 50.",
    examples: [["additionalData.tier"]],
  }),
  options: Type.Record(Type.String(), Type.Boolean()),
});
export type JobRequest = Static<typeof JobRequest>;

export const JobFailure = Type.Object({
  subject: Type.String({ description: "What could not be changed, such as the id of a pass." }),
  code: Type.String({ examples: ["pass.not-found"] }),
  message: Type.String(),
});
export type JobFailure = Static<typeof JobFailure>;

const members = {
  id: Type.String({ examples: [ID_EXAMPLE] }),
  kind: Type.String({ examples: ["pass.update"] }),
  state: JobState,
  request: JobRequest,
  matched: { ...Count, description: "How many there are to change." },
  processed: Count,
  updated: Count,
  unchanged: { ...Count, description: "Were as wanted already." },
  failed: Count,
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  ratePerSecond: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  remainingSeconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: "null when unknown.",
  }),
  createdAt: Moment,
  createdBy: Type.String({ description: "Who asked for it." }),
  startedAt: MaybeMoment,
  finishedAt: MaybeMoment,
};

export const JobSummary = Type.Object(members, { title: "JobSummary" });

export const JobView = Type.Object(
  {
    ...members,
    failures: Type.Array(JobFailure, {
      description: `The first ${FAILURES_SHOWN_MAX}. A source of metadata that failed is among them, although the pass was updated without it.`,
    }),
  },
  { title: "Job" },
);

export const JobParams = Type.Object({
  tenantId: Type.String(),
  jobId: Type.String({ description: "The job.", examples: [ID_EXAMPLE] }),
});

/** The scopes that protect jobs: `pass.update` needs `Pass.Read` or `Pass.Write`. */
export const JOB_AREAS = ["Pass", "Webhook"] as const;
export type JobArea = (typeof JOB_AREAS)[number];
/** The area in lower case comes first, as in `pass.update`. */
export type JobKind = `${Lowercase<JobArea>}.${string}`;

export function areaOf({ kind }: Pick<Job, "kind">): JobArea | undefined {
  return JOB_AREAS.find((area) => kind.startsWith(`${area.toLowerCase()}.`));
}

export type Job = {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  readonly request: JobRequest;
  readonly matched: number;
  readonly processed: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly startedAt: Date | null;
  readonly touchedAt: Date | null;
  readonly finishedAt: Date | null;
};

export function isOver({ state }: Pick<Job, "state">): boolean {
  return state !== "queued" && state !== "running";
}

/** Rates are as of the last progress, so that the answer changes only if the job does. */
export function presentJob(job: Job) {
  const { startedAt, touchedAt, finishedAt, matched, processed } = job;
  const seconds =
    startedAt === null || touchedAt === null
      ? 0
      : (touchedAt.getTime() - startedAt.getTime()) / 1_000;
  const rate = seconds > 0 && processed > 0 ? processed / seconds : null;
  const remaining = rate === null ? null : Math.ceil((matched - processed) / rate);
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    request: job.request,
    matched,
    processed,
    updated: job.updated,
    unchanged: job.unchanged,
    failed: job.failed,
    progress: matched === 0 ? 1 : Math.min(1, processed / matched),
    ratePerSecond: rate === null ? null : Math.round(rate * 10) / 10,
    remainingSeconds: isOver(job) ? 0 : remaining,
    createdAt: job.createdAt.toISOString(),
    createdBy: job.createdBy,
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

/** Answers 202; the address in `Location` shows the progress. */
export function acceptedJob<Body extends { readonly jobId: string }>(
  { tenantId }: { readonly tenantId: string },
  body: Body,
): Answer {
  const location = `/api/${tenantId}/jobs/${body.jobId}`;
  return answer(body, { status: 202, headers: { location } });
}

export function jobVersionOf({ id, state, processed }: Job): string {
  return `${id}.${state}.${processed}`;
}

export const JOB_EXAMPLE: Static<typeof JobView> = {
  id: ID_EXAMPLE,
  kind: "pass.update",
  state: "running",
  request: { selection: "filter", changes: ["additionalData.tier"], options: {} },
  matched: 100_000,
  processed: 40_000,
  updated: 39_000,
  unchanged: 999,
  failed: 1,
  progress: 0.4,
  ratePerSecond: 5_000,
  remainingSeconds: 12,
  createdAt: "2026-01-31T09:30:00.000Z",
  createdBy: "crm-sync",
  startedAt: "2026-01-31T09:30:00.100Z",
  finishedAt: null,
  failures: [
    {
      subject: "ps_0VfQm3Ks00x7Rk2LwPq9Zt",
      code: "request.invalid",
      message: 'additionalData.tier: must be one of "Deck", "Bridge"',
    },
  ],
};
