import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { JOB_EXAMPLE, JobSummary } from "./job.schema.ts";

const { failures: _failures, ...example } = JOB_EXAMPLE;

// Names and fields are a published contract: add, never rename or remove.
export const jobProgressed = defineEvent({
  name: "job.progressed",
  version: 1,
  summary: "A job has done another tenth of its work, and is not at its end.",
  payload: JobSummary,
  example,
});

export const jobEnded = defineEvent({
  name: "job.ended",
  version: 1,
  summary:
    "A job has ended; `state` says how. A change of one pass by its id is told only if it failed: otherwise the event of the pass tells of it.",
  payload: JobSummary,
  example: {
    ...example,
    state: "completed",
    processed: 100_000,
    updated: 99_000,
    progress: 1,
    remainingSeconds: 0,
    finishedAt: "2026-01-31T09:30:20.100Z",
  },
});

export const jobEvents: readonly EventDefinition[] = [jobProgressed, jobEnded];
