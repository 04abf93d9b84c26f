import { defineError } from "#kernel/errors.ts";

// Also for a job of another tenant: callers must not learn that the job exists.
export const jobNotFound = defineError({
  code: "job.not-found",
  status: 404,
  title: "Job not found",
  detail: ({ jobId }: { jobId: string }) => `This tenant has no job '${jobId}'.`,
});

export const jobIsFinished = defineError({
  code: "job.finished",
  status: 409,
  title: "Job has ended",
  detail: ({ jobId }: { jobId: string }) => `Job '${jobId}' has ended and cannot be cancelled.`,
});
